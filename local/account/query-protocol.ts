import type { AccountError } from './account-error.ts';

/** A parameter of a request in AWS's query protocol: text, list or structure. */
export type QueryValue = string | QueryValue[] | { readonly [name: string]: QueryValue };

/** Reads `Tags.member.1.Key=a&Name=b` as `{ Tags: [{ Key: 'a' }], Name: 'b' }`. */
export const parseQuery = (body: string): Record<string, QueryValue> => {
  const tree: Tree = {};
  for (const [path, value] of new URLSearchParams(body)) insert(tree, path.split('.'), value);
  return Object.fromEntries(Object.entries(tree).map(([name, each]) => [name, parametersIn(each)]));
};

type Tree = { [name: string]: Tree | string };

const insert = (tree: Tree, [name = '', ...rest]: readonly string[], value: string): void => {
  if (rest.length === 0) tree[name] = value;
  else {
    const branch = tree[name];
    const next = typeof branch === 'object' ? branch : {};
    tree[name] = next;
    insert(next, rest, value);
  }
};

const parametersIn = (tree: Tree | string): QueryValue => {
  if (typeof tree === 'string') return tree;
  const { member } = tree;
  if (typeof member === 'object') return Object.values(member).map(parametersIn);
  return Object.fromEntries(Object.entries(tree).map(([name, each]) => [name, parametersIn(each)]));
};

/** What an answer may hold; what is undefined is left out. */
export type XmlValue =
  | string
  | number
  | boolean
  | undefined
  | readonly XmlValue[]
  | { readonly [name: string]: XmlValue };

/** Writes an answer of the query protocol: items of lists are called `member`. */
export const queryAnswer = (action: string, result: XmlValue): string =>
  xml({ [`${action}Response`]: { [`${action}Result`]: result, ResponseMetadata: { RequestId: 'local' } } });

export const queryRefusal = ({ code, message }: AccountError): string =>
  xml({ ErrorResponse: { Error: { Type: 'Sender', Code: code, Message: message }, RequestId: 'local' } });

/** Writes `{ A: { B: 1 } }` as `<A><B>1</B></A>`. */
export const xml = (value: XmlValue): string => {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map((item) => `<member>${xml(item)}</member>`).join('');
  if (typeof value !== 'object') return escaped(String(value));
  return Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => `<${name}>${xml(each)}</${name}>`)
    .join('');
};

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
