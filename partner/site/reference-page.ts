import { openApiDocument } from '../openapi/document.ts';
import { dataHtml, pageHtml } from './layout.ts';

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
