/** Where the call of an operation ends in the HTML of `starlight-openapi`, and its description begins. */
const endOfCall = '<div class="sl-openapi-markdown"';

/** The response to an error stands in the guide, so the search leaves it out here; other responses are no chapters. */
const errorSection = /<section(?= class="sl-openapi-section[^>]*>\s*<div[^>]*>\s*<h3 [^>]*id="[45]\d\d")/g;
const successHeading = /<h3(?= [^>]*id="[123]\d\d")/g;
const headersHeading = /<h4(?= [^>]*id="headers")/g;

/** A label above an example is no heading: it would skip a level. */
const exampleLabel = /<h5( class="sl-openapi-examples-heading[^>]*>.*?<\/)h5>/gs;

/** A link of the overview: the name of its page, and the path of the operation or the title of the webhook message. */
const overviewLink =
  /<div class="sl-openapi-overview-navigation-link [^>]*>(?:(?!<a ).)*<a href="[^"]*\/(\w+)\.html"[^>]*>([^<]*)<\/a>/gs;

/** Adds to the links of the overview the titles of the operations, and the groups of the menu. */
const withTitlesAndGroups = (html, operations) => {
  let current;
  return html.replaceAll(overviewLink, (link, name, label) => {
    const { title, group } = operations[name] ?? { group: 'Webhooks' };
    const heading = group === current ? '' : `<h3>${group}</h3>`;
    current = group;
    return heading + (title ? link.replace(`>${label}</a>`, `>${title}</a><code>${label}</code>`) : link);
  });
};

/** Each cell has the title of its column, which a narrow view shows in the cell. */
const withColumnTitles = (table) => {
  const titles = [...table.matchAll(/<th[^>]*>(.*?)<\/th>/gs)].map(([, title]) =>
    title.replaceAll(/<[^>]*>/g, '').replaceAll('"', '&quot;'),
  );
  let cell = 0;
  return table.replaceAll(/<td(?=[ >])/g, () => `<td data-column="${titles[cell++ % titles.length]}"`);
};

/** A path in inline code or above a call is wrapped between its segments. */
const path = /(?<=<(?:code|div class="sl-openapi-operation-method-path)[^>]*>)[^<]*\/[^<]*(?=<\/(?:code|div)>)/g;

/** The HTML of a page in two parts: the call of an operation, which other pages do not have, and everything else. */
export const forReaders = (html, operations) => {
  const text = withTitlesAndGroups(html, operations)
    .replaceAll(/<table>.*?<\/table>/gs, withColumnTitles)
    .replaceAll(path, (segments) => segments.replaceAll(/\/(?=[\w{])/g, '/<wbr>'))
    .replaceAll(errorSection, '<section data-pagefind-ignore')
    .replaceAll(successHeading, '<h3 data-pagefind-ignore')
    .replaceAll(headersHeading, '<h4 data-pagefind-ignore')
    .replaceAll(exampleLabel, '<p$1p>');
  const end = text.indexOf(endOfCall);
  return end < 0 ? { call: '', text } : { call: text.slice(0, end), text: text.slice(end) };
};
