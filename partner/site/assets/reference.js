// Shows the API document with Swagger UI. All that it needs is in the page: nothing is asked of any server but by "Execute".
const dataIn = (id) => JSON.parse(document.getElementById(id).textContent);

const { serverUrl, apiKey } = dataIn('settings');
const apiDocument = dataIn('api-document');

/** Each answer has half a dozen headers, mostly the same: on demand, or they bury what differs. */
const foldHeaders = ({ React: { createElement } }) => ({
  wrapComponents: {
    headers: (Headers) => (props) =>
      createElement('details', null, createElement('summary', null, 'Headers'), createElement(Headers, props)),
  },
});

const ui = window.SwaggerUIBundle({
  dom_id: '#reference',
  spec: serverUrl ? { ...apiDocument, servers: [{ url: serverUrl }] } : apiDocument,
  supportedSubmitMethods: serverUrl ? ['get', 'put', 'post', 'delete', 'patch'] : [],
  onComplete: () => apiKey && ui.preauthorizeApiKey('apiKey', apiKey),
  plugins: [foldHeaders],
  deepLinking: true,
  displayOperationId: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // Settings from the address of the page would let a link change what the page shows.
  queryConfigEnabled: false,
});
