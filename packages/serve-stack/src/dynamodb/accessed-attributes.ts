/** A request about items of one table, or the part of a larger one that is: whatever of it names attributes. */
export type ItemRequest = {
  readonly Key?: object;
  readonly Item?: object;
  readonly Keys?: readonly object[];
  readonly ProjectionExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  /** Parameters from before there were expressions. */
  readonly AttributesToGet?: readonly string[];
} & { readonly [Name in LegacyParameter]?: object };

const legacyParameters = ['AttributeUpdates', 'Expected', 'KeyConditions', 'QueryFilter', 'ScanFilter'] as const;
type LegacyParameter = (typeof legacyParameters)[number];

/**
 * The top-level attributes that a request names, as IAM compares them with `dynamodb:Attributes`: those of the key, of the
 * item, and of every expression, whether it reads, compares or changes them. Not what is returned beyond that.
 */
export const accessedAttributes = (request: ItemRequest): string[] => {
  const { Key = {}, Item = {}, Keys = [], AttributesToGet = [], ExpressionAttributeNames: names = {} } = request;
  const { ProjectionExpression, KeyConditionExpression, FilterExpression, ConditionExpression, UpdateExpression } =
    request;
  const expressions = [
    ...[ProjectionExpression, KeyConditionExpression, FilterExpression],
    ...[ConditionExpression, UpdateExpression],
  ];
  return [
    ...new Set([
      ...[Key, Item, ...Keys, ...legacyParameters.map((name) => request[name] ?? {})].flatMap(Object.keys),
      ...AttributesToGet,
      ...expressions.flatMap((expression = '') => attributesIn(expression)).map((name) => names[name] ?? name),
    ]),
  ];
};

/** Words of the language; an attribute of such a name has to be written with a placeholder. */
const keywords = new Set(['ADD', 'AND', 'BETWEEN', 'DELETE', 'IN', 'NOT', 'OR', 'REMOVE', 'SET']);

/** `#a.b[0] = :v AND size(c) > :w` → `#a`, `c`. */
const attributesIn = (expression: string): string[] =>
  Array.from(expression.matchAll(/(?<![\w#:.])(#?\w+)(?!\w*\s*\()/g), ([, name = '']) => name).filter(
    (name) => !keywords.has(name.toUpperCase()) && !/^\d/.test(name),
  );
