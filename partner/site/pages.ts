import { openApiDocument } from '../openapi/document.ts';
import { readChapters } from './chapters.ts';

/** All chapters on one page, so that a reader can search them all. */
export const guidePage = (): string => {
  const chapters = readChapters();
  return pageHtml({
    title: 'Partner API: guide',
    styles: ['site.css', 'guide.css'],
    main: `<div class="guide">
<nav class="contents" aria-label="Contents">
${chapters.map(({ name, title }) => `<a href="#${name}">${title}</a>`).join('\n')}
</nav>
<main>
${chapters.map(({ html }) => `<section>\n${html}</section>`).join('\n')}
</main>
</div>`,
  });
};

/** The server to which a reader can send requests, and the key to send. */
export type TryOut = {
  /** Has the origin of the page, because the API allows no other. */
  readonly serverUrl: string;
  /** The key that the page fills in. */
  readonly apiKey?: string | undefined;
};

export const referencePage = (tryOut?: TryOut): string =>
  pageHtml({
    title: 'Partner API: reference',
    styles: ['swagger-ui.css', 'site.css', 'reference.css'],
    scripts: ['swagger-ui-bundle.js', 'reference.js'],
    main: `<main${tryOut ? '' : ' class="read-only"'}>
<p class="note">${tryOut ? tryingOut(tryOut) : notTryingOut}</p>
<div id="reference"></div>
</main>
${dataHtml('settings', tryOut ?? {})}
${dataHtml('api-document', withoutOptionalExamples(openApiDocument()))}`,
  });

/** Swagger UI fills in every example of a parameter, and so would send headers that a reader has not asked for. */
const withoutOptionalExamples = (document: object): object =>
  JSON.parse(
    JSON.stringify(document, (_, value) =>
      value?.in === 'header' && value.required === false ? { ...value, example: undefined } : value,
    ),
  );

const tryingOut = ({ apiKey }: TryOut): string =>
  `Open an operation and press “Try it out”, then “Execute”. The request goes to the local run that serves this page. ${
    apiKey ? 'The key of the demo company acme is filled in' : 'Press “Authorize” and paste an API key first'
  }. The ids are those of acme’s first gateway.`;

const notTryingOut =
  'To send requests from this page, run the service on your own machine (<code>npm ci &amp;&amp; npm start</code> in a checkout) and open <code>/docs</code> there. A key does not belong in a browser, so the deployed API does not answer browsers.';

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
const pageHtml = ({ title, styles, scripts = [], main }: Page): string => `<!doctype html>
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
