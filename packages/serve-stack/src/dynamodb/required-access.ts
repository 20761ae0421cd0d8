import { UserFacingError } from '../errors.ts';
import { type Environment, tableArn } from '../template/template.ts';

/** Names what a role has to be granted for a request to DynamoDB. */
export type Access = {
  readonly action: string;
  readonly resource: string;
  readonly attributes: readonly string[];
  readonly enclosingOperation?: string;
};

type Target = ItemRequest & { readonly TableName?: string; readonly IndexName?: string };

/** The body of a request to DynamoDB. */
export type StoreRequest = Target & {
  readonly RequestItems?: Readonly<Record<string, ItemRequest | readonly BatchedWrite[]>>;
  readonly SourceTableName?: string;
  readonly TargetTableName?: string;
  readonly TransactItems?: readonly Readonly<Record<string, Target>>[];
};

/** `{ PutRequest: { Item } }` or `{ DeleteRequest: { Key } }`. */
type BatchedWrite = Readonly<Record<string, ItemRequest>>;

/** A transaction is granted by the actions of its items, not by one of its own. */
const transactedActions: Readonly<Record<string, string>> = {
  ConditionCheck: 'ConditionCheckItem',
  Delete: 'DeleteItem',
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
};

/** What a restore does to its target in the name of who starts it. */
const targetActions = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'];

/** PartiQL's statements name their tables within their text. */
const operationsWithStatements = ['BatchExecuteStatement', 'ExecuteStatement', 'ExecuteTransaction'];

/** Lists every access that an operation means: one per item of a transaction, one per table of a batch. */
export const accessesOf = (environment: Environment, operation: string, body: StoreRequest): Access[] => {
  if (operationsWithStatements.includes(operation))
    throw new UserFacingError(`The local run does not know the operation ${operation} of DynamoDB.`);

  const access = (action: string, { TableName, IndexName, ...request }: Target, parts = [request]): Access => ({
    action: `dynamodb:${action}`,
    resource: TableName === undefined ? '*' : resourceArn(environment, TableName, IndexName),
    attributes: parts.flatMap(accessedAttributes),
  });
  if (body.TransactItems)
    return body.TransactItems.flatMap(Object.entries<Target>).map(([kind, target]) => ({
      ...access(transactedActions[kind] ?? kind, target),
      enclosingOperation: operation,
    }));
  if (operation === 'RestoreTableToPointInTime') {
    const [source, target] = [{ TableName: body.SourceTableName ?? '' }, { TableName: body.TargetTableName ?? '' }];
    return [access(operation, source), ...[operation, ...targetActions].map((action) => access(action, target))];
  }
  if (body.RequestItems)
    return Object.entries(body.RequestItems).map(([TableName, requests]) =>
      access(operation, { TableName }, [requests].flat().flatMap(partsOf)),
    );
  return [access(operation, body)];
};

/** A batch of writes holds one request for each; a batch of reads is one request for all of its keys. */
const partsOf = (request: ItemRequest | BatchedWrite): readonly ItemRequest[] =>
  'Keys' in request ? [request as ItemRequest] : Object.values(request as BatchedWrite);

/** The SDK also takes a table's ARN in place of its name. */
const resourceArn = (environment: Environment, table: string, index: string | undefined) => {
  const arn = table.startsWith('arn:') ? table : tableArn(environment, table);
  return index === undefined ? arn : `${arn}/index/${index}`;
};

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
