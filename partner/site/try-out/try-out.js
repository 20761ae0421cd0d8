// Sends what a reader tries, with Swagger UI. All that it needs is in the page: nothing is asked of any server but by "Execute".
const dataIn = (id) => JSON.parse(document.getElementById(id).textContent);

const { serverUrl, apiKey } = dataIn('settings');

/** Each answer has half a dozen headers, mostly the same: on demand, or they bury what differs. */
const foldHeaders = ({ React: { createElement } }) => ({
  wrapComponents: {
    headers: (Headers) => (props) =>
      createElement('details', null, createElement('summary', null, 'Headers'), createElement(Headers, props)),
  },
});

/** The filter is outside of the main part of the page, so it has to be a landmark of its own. */
const nameFilter = ({ React: { createElement } }) => ({
  wrapComponents: {
    FilterContainer: (Filter) => (props) =>
      createElement('div', { role: 'search', 'aria-label': 'Operations' }, createElement(Filter, props)),
  },
});

/** The reference leads to an operation by its id. Swagger UI shows the operations a moment after it has them. */
const openTheOneAskedFor = () => {
  if (!document.querySelector('.opblock')) return void requestAnimationFrame(openTheOneAskedFor);
  const asked = document.querySelector(`.opblock[id$="-${CSS.escape(location.hash.slice(1))}"]`);
  asked?.querySelector('.opblock-summary-control').click();
  asked?.scrollIntoView();
};

const ui = window.SwaggerUIBundle({
  dom_id: '#operations',
  spec: { ...dataIn('api-document'), servers: [{ url: serverUrl }] },
  onComplete: () => {
    if (apiKey) ui.preauthorizeApiKey('apiKey', apiKey);
    openTheOneAskedFor();
  },
  plugins: [foldHeaders, nameFilter],
  displayOperationId: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  filter: true,
  tryItOutEnabled: true,
  // Settings from the address of the page would let a link change what the page shows.
  queryConfigEnabled: false,
});
