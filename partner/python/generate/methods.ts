import { isSuccess, operationsIn, type WithPaths } from '../../client/build/operations.ts';
import { docstringOf, lines, literalOf, snakeCase } from './python.ts';
import { isBoolean, isChoice, nameOfChoice, type Schema, typeOf } from './types.ts';

type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
};
type Content = { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> };
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content>>;
};
type MethodsDocument = WithPaths<Operation> & {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** Returns the module with a method for each operation, and an iterator over the items of each list. */
export const methodsModule = (document: MethodsDocument): string =>
  lines([
    'from __future__ import annotations',
    '',
    'from typing import Any, Iterator, Mapping, Optional, Union',
    '',
    'from .. import types',
    'from ..answers import Answer',
    'from ..pages import pages_of',
    '',
    '',
    'class Methods:',
    '    """The operations of the API document. Each raises PartnerApiError if the service refuses or does not answer."""',
    '',
    '    def call(',
    '        self,',
    '        operation_id: str,',
    '        *,',
    '        path: Mapping[str, str] = {},',
    '        query: Mapping[str, Union[str, int, bool, None]] = {},',
    '        headers: Mapping[str, Union[str, int, None]] = {},',
    '        body: Any = None,',
    '    ) -> Answer[Any]:',
    '        raise NotImplementedError',
    ...operationsIn(document).flatMap(({ method, path, operation }) => {
      const item = itemOf(operation, document.components.schemas);
      return [...methodOf(`${method} ${path}`, operation), ...(item ? iterationOf(operation, item) : [])];
    }),
  ]);

const methodOf = (route: string, operation: Operation): string[] => {
  const { operationId, summary, description, requestBody } = operation;
  const parts = (['path', 'query', 'header'] as const).map((place) => [place, parametersIn(operation, place)] as const);
  return [
    '',
    `    def ${snakeCase(operationId)}(`,
    ...argumentsOf(operation, parametersIn(operation, 'query')),
    `    ) -> Answer[${successOf(operation)}]:`,
    ...docstringOf(
      [...(description.startsWith(summary) ? [] : [`${summary}.`]), description, `\`${route}\``].join('\n\n'),
      8,
    ),
    '        return self.call(',
    `            ${literalOf(operationId)},`,
    ...parts
      .filter(([, some]) => some.length > 0)
      .map(([place, some]) => `            ${partNames[place]}=${dictOf(some)},`),
    ...(requestBody ? ['            body=body,'] : []),
    '        )',
  ];
};

const partNames = { path: 'path', query: 'query', header: 'headers' } as const;

/** Returns the method that iterates over all pages of a list. */
const iterationOf = (operation: Operation, item: string): string[] => {
  const name = snakeCase(operation.operationId);
  const query = parametersIn(operation, 'query').filter((parameter) => parameter.name !== 'cursor');
  const ids = parametersIn(operation, 'path').map((parameter) => snakeCase(parameter.name));
  const given = query.map((parameter) => `${snakeCase(parameter.name)}=${snakeCase(parameter.name)}`);
  return [
    '',
    `    def ${name.replace(/^list_/, 'iter_')}(`,
    ...argumentsOf(operation, query),
    `    ) -> Iterator[${item}]:`,
    `        """Iterates over the items of all pages of \`${name}\`. Requests each page when the loop reaches it."""`,
    `        for page in pages_of(${[`self.${name}`, ...ids, ...given].join(', ')}):`,
    '            yield from page.body["items"]',
  ];
};

const argumentsOf = (operation: Operation, query: readonly Parameter[]): string[] => {
  const { operationId, requestBody } = operation;
  const named = [...query, ...parametersIn(operation, 'header')].map(
    ({ name, schema }) => `${snakeCase(name)}: Optional[${argumentType(operationId, name, schema)}] = None`,
  );
  const body = bodyType(requestBody);
  return [
    'self',
    ...parametersIn(operation, 'path').map(({ name }) => `${snakeCase(name)}: str`),
    ...(body === undefined ? [] : [requestBody?.required ? `body: ${body}` : `body: Optional[${body}] = None`]),
    ...(named.length > 0 ? ['*', ...named] : []),
  ].map((argument) => `        ${argument},`);
};

/** Returns the parameters in a place that the caller passes. The client adds `x-user-id`. */
const parametersIn = ({ parameters = [] }: Operation, place: Parameter['in']): Parameter[] =>
  parameters.filter((parameter) => parameter.in === place && parameter.name !== 'x-user-id');

const argumentType = (operationId: string, name: string, schema: Schema): string => {
  if (isBoolean(schema)) return 'bool';
  if (name === 'If-Match') return 'Union[str, int]';
  return isChoice(schema) ? `types.${nameOfChoice(operationId, name)}` : typeOf('', schema);
};

const dictOf = (parameters: readonly Parameter[]): string =>
  `{${parameters.map(({ name }) => `${literalOf(name)}: ${snakeCase(name)}`).join(', ')}}`;

const bodyType = (given: Content | undefined): string | undefined => {
  const schema = given?.content?.['application/json']?.schema;
  return schema && `types.${typeOf('', schema)}`;
};

const successOf = ({ responses }: Operation): string => {
  const [, response] = Object.entries(responses).find(([status]) => isSuccess(status)) ?? [];
  return bodyType(response) ?? 'None';
};

/** Returns the item type of a list; undefined for other operations and for the feed, which has no last page. */
const itemOf = (operation: Operation, schemas: MethodsDocument['components']['schemas']): string | undefined => {
  const { items, nextCursor } = schemas[successOf(operation).replace('types.', '')]?.properties ?? {};
  if (!items?.items || !nextCursor?.type?.includes('null')) return undefined;
  return `types.${typeOf('', items.items)}`;
};
