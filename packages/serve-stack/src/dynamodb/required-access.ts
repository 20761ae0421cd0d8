import { UserFacingError } from '../errors.ts';
import { type Environment, tableArn } from '../template/stack.ts';

/** A permission that a request to DynamoDB requires. */
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

/** A transaction requires the actions of its items; it has no action of its own. */
const transactedActions: Readonly<Record<string, string>> = {
  ConditionCheck: 'ConditionCheckItem',
  Delete: 'DeleteItem',
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
};

/** The actions that a restore performs on its target on behalf of its caller. */
const targetActions = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'];

/** PartiQL statements contain the names of their tables in their text. */
const operationsWithStatements = ['BatchExecuteStatement', 'ExecuteStatement', 'ExecuteTransaction'];

/**
 * Returns all permissions that an operation requires: one per item of a transaction, one per table of a batch. Throws for
 * PartiQL.
 */
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

/** A batch of writes contains one request for each item; a batch of reads is one request for all of its keys. */
const partsOf = (request: ItemRequest | BatchedWrite): readonly ItemRequest[] =>
  'Keys' in request ? [request as ItemRequest] : Object.values(request as BatchedWrite);

/** The SDK also accepts a table's ARN instead of its name. */
const resourceArn = (environment: Environment, table: string, index: string | undefined) => {
  const arn = table.startsWith('arn:') ? table : tableArn(environment, table);
  return index === undefined ? arn : `${arn}/index/${index}`;
};

/** The parameters that name attributes, of a request about items of one table or of such a part of a larger request. */
type ItemRequest = {
  readonly Key?: object;
  readonly Item?: object;
  readonly Keys?: readonly object[];
  readonly ProjectionExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  /** Legacy parameters, from before expressions existed. */
  readonly AttributesToGet?: readonly string[];
} & { readonly [Name in LegacyParameter]?: object };

const legacyParameters = ['AttributeUpdates', 'Expected', 'KeyConditions', 'QueryFilter', 'ScanFilter'] as const;
type LegacyParameter = (typeof legacyParameters)[number];

/**
 * Returns the top-level attributes that a request names, as IAM compares them with `dynamodb:Attributes`: those of the key, of
 * the item, and of all expressions, whether they read, compare or change them. Attributes that are only returned do not count.
 */
const accessedAttributes = (request: ItemRequest): string[] => {
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

/** Reserved words; an attribute with such a name has to be written as a placeholder. */
const keywords = new Set(['ADD', 'AND', 'BETWEEN', 'DELETE', 'IN', 'NOT', 'OR', 'REMOVE', 'SET']);

/** `#a.b[0] = :v AND size(c) > :w` → `#a`, `c`. */
const attributesIn = (expression: string): string[] =>
  Array.from(expression.matchAll(/(?<![\w#:.])(#?\w+)(?!\w*\s*\()/g), ([, name = '']) => name).filter(
    (name) => !keywords.has(name.toUpperCase()) && !/^\d/.test(name),
  );
