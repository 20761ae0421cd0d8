import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { openApiDocument } from '../../openapi/document.ts';
import { writtenAt } from '../../openapi/examples.ts';
import { contentSecurityPolicy } from '../harden.ts';

/** The server and the API key of the try-out page. */
export type TryOut = {
  /** The URL of the API. It must have the page's origin, because the API allows no other. */
  readonly serverUrl: string;
  /** The API key that the page fills in. */
  readonly apiKey?: string | undefined;
};

export const tryOutPage = 'try-out.html';

/** Returns the try-out page with its scripts and styles, by file name. Only local runs serve it. */
export const tryOutFiles = (tryOut: TryOut): ReadonlyMap<string, string | Buffer> =>
  new Map<string, string | Buffer>([
    [tryOutPage, pageOf(tryOut)],
    ...['try-out.css', 'colors.js', 'try-out.js'].map(
      (name) => [name, readFileSync(new URL(name, import.meta.url))] as const,
    ),
    ...['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt'].map(
      (name) => [name, readFileSync(require.resolve(`swagger-ui-dist/${name}`))] as const,
    ),
  ]);

const require = createRequire(import.meta.url);

const pageOf = (tryOut: TryOut): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy()}">
<meta name="referrer" content="no-referrer">
<title>Try it out | Partner API</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="swagger-ui.css">
<link rel="stylesheet" href="try-out.css">
<script src="colors.js"></script>
</head>
<body>
<header><a class="name" href="index.html">Partner API</a>
<nav><a href="guide/first-call.html">Guide</a> <a href="reference.html">Reference</a></nav></header>
<section class="about" aria-labelledby="title">
<h1 id="title">Try it out</h1>
<p>Open an operation and press “Execute”. The request goes to the local run that serves this page. ${
  tryOut.apiKey ? 'The key of the demo company acme is filled in' : 'Press “Authorize” and paste an API key first'
}. The ids are those of acme’s first gateway.</p>
<h2>Operations</h2>
</section>
<div id="operations"></div>
${dataHtml('settings', tryOut)}
${dataHtml('api-document', withoutOptionalExamples(writtenAt(Date.now(), openApiDocument())))}
<script src="swagger-ui-bundle.js"></script>
<script src="try-out.js"></script>
</body>
</html>
`;

/** Removes the examples of optional headers, because Swagger UI would fill them in and send the headers. */
const withoutOptionalExamples = (document: object): object =>
  JSON.parse(
    JSON.stringify(document, (_, value) =>
      value?.in === 'header' && value.required === false ? { ...value, example: undefined } : value,
    ),
  );

/** Returns a script element with data for the page. Escapes the data, so that no text in it can end the element. */
const dataHtml = (id: string, data: unknown): string =>
  `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`;
