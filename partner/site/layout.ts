/**
 * The policy of all pages: nothing is loaded from another origin, and a page holds no script and no style itself. The style
 * sheet of Swagger UI has its icons as data.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

type Page = {
  readonly title: string;
  readonly styles: readonly string[];
  readonly scripts?: readonly string[];
  readonly main: string;
};

/** A whole page. Its links are relative, so that the folder can stand anywhere. */
export const pageHtml = ({ title, styles, scripts = [], main }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="icon.svg">
${styles.map((style) => `<link rel="stylesheet" href="${style}">`).join('\n')}
</head>
<body>
<header class="site"><a class="name" href="index.html">Partner API</a>
<nav><a href="index.html">Guide</a> <a href="reference.html">Reference</a> <a href="openapi.json">OpenAPI</a></nav></header>
${main}
${scripts.map((script) => `<script src="${script}"></script>`).join('\n')}
</body>
</html>
`;

/** Data for a script of the page. No text in the data can end the element. */
export const dataHtml = (id: string, data: unknown): string =>
  `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`;
