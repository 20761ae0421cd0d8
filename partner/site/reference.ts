import { openApiDocument } from '../openapi/document.ts';
import { codeSamplesOf } from './code-samples.ts';
import { codeBlockOf } from './markdown.ts';
import { describedOperations, documentPaths, methods } from './operations.ts';

/** The API document with what the pages show beside it: examples as code, and the way to a page that sends them. */
export const referenceDocument = (tryOutPage: string | undefined): object => {
  const document = openApiDocument();
  const paths = Object.fromEntries(
    Object.entries(documentPaths()).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([key, value]) => {
          if (!methods.includes(key)) return [key, value];
          const samples = codeSamplesOf({ method: key.toUpperCase(), path, operation: value });
          const externalDocs = {
            url: `${tryOutPage}#${value.operationId}`,
            description: 'Try it out in this local run',
          };
          return [key, { ...value, 'x-codeSamples': samples, ...(tryOutPage && { externalDocs }) }];
        }),
      ),
    ]),
  );
  return { ...document, paths };
};

/** The Markdown of each operation: what it does, and its part of the API document. */
export const operationPages = () =>
  describedOperations().map(({ method, path, operation }) => ({
    name: `reference/operations/${operation.operationId.toLowerCase()}`,
    title: operation.summary,
    about: `\`${method} ${path}\``,
    markdown: [
      `# ${operation.summary}`,
      `\`${method} ${path}\``,
      operation.description,
      ...codeSamplesOf({ method, path, operation }).map(({ lang, source }) => codeBlockOf(lang, source)),
      '## In the API document',
      'The `$ref`s lead into `openapi.json`.',
      codeBlockOf('json', JSON.stringify({ [path]: { [method.toLowerCase()]: operation } }, null, 2)),
    ].join('\n\n'),
  }));
