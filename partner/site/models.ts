import { apiStage } from '../../lambdas/api/version.ts';
import { openApiText } from '../openapi/document.ts';
import { type Operator, type Page, pages } from './pages.ts';
import { operationPages } from './reference.ts';

/** Returns `llms.txt`: how to call the API, and all pages with links to their Markdown. `site` is the URL of the site. */
export const indexForModels = (site: string, operator?: Operator): string => {
  const lineOf = ({ name, title }: Pick<Page, 'name' | 'title'>) => `- [${title}](${site}${name}.md)`;
  const [landing, ...chapters] = pages(operator);
  const [title = '', tagline = ''] = landing?.markdown.split('\n\n') ?? [];
  return `${[
    title,
    `> ${tagline.replaceAll('\n', ' ')}`,
    howToCall.join('\n'),
    ['## Guide', ...chapters.map(lineOf)].join('\n'),
    [
      '## Reference',
      ...operationPages().map((page) => `${lineOf(page)}: ${page.about}`),
      `- [OpenAPI document](${site}openapi.json) (${sizeOf(openApiText())}): all operations, schemas and problems`,
      `- [The same in OpenAPI 3.0](${site}openapi-3.0.json), for tools that do not know 3.1`,
    ].join('\n'),
    [
      '## All pages',
      `- [llms-full.txt](${site}llms-full.txt) (${sizeOf(wholeForModels(operator))}): the guide and the reference as one text`,
      `- [Changes](${site}changelog.xml): an Atom feed with an entry for each version`,
    ].join('\n'),
  ].join('\n\n')}\n`;
};

/** Returns `llms-full.txt`: the Markdown of all pages. */
export const wholeForModels = (operator?: Operator): string =>
  `${[...pages(operator), ...operationPages()].map(({ markdown }) => markdown.trim()).join('\n\n')}\n`;

const howToCall = [
  `- Base URL: \`https://<host>/${apiStage}\`. The operator of the API gives you the host and registers your source addresses.`,
  '- Each request has the header `x-api-key`. Requests below `/hvacs` also have `x-user-id`, the owner on whose behalf you act.',
  '- After a 429 or 503, wait for the number of seconds in `Retry-After`, then send the request again. Do not poll the state: read the feed `GET /events`.',
];

const sizeOf = (text: string): string => `${Math.ceil(Buffer.byteLength(text) / 1000)} kB`;
