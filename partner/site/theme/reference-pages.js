/** Where the call of an operation ends in the HTML of `starlight-openapi`. */
const endOfCall = '<div id="sl-openapi-operation-description-popover"';

/** The response to an error stands in the guide, so the search leaves it out here; other responses are no chapters. */
const errorSection = /<section(?= class="sl-openapi-section[^>]*>\s*<div[^>]*>\s*<h3 [^>]*id="[45]\d\d")/g;
const successHeading = /<h3(?= [^>]*id="[123]\d\d")/g;
const headersHeading = /<h4(?= [^>]*id="headers")/g;

/** A label above an example is no heading: it would skip a level. */
const exampleLabel = /<h5( class="sl-openapi-examples-heading[^>]*>.*?<\/)h5>/gs;

/** The HTML of a page in two parts: the call of an operation, which other pages do not have, and everything else. */
export const forReaders = (html) => {
  const text = html
    .replaceAll(errorSection, '<section data-pagefind-ignore')
    .replaceAll(successHeading, '<h3 data-pagefind-ignore')
    .replaceAll(headersHeading, '<h4 data-pagefind-ignore')
    .replaceAll(exampleLabel, '<p$1p>');
  const end = text.indexOf(endOfCall);
  return end < 0 ? { call: '', text } : { call: text.slice(0, end), text: text.slice(end) };
};
