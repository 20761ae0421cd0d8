import { arnOf } from '../template/account.ts';

/** What a role has to be granted for a request to DynamoDB. */
export type Access = { readonly action: string; readonly resource: string };

type Target = { readonly TableName?: string; readonly IndexName?: string };
/** The body of a request to DynamoDB. */
export type StoreRequest = Target & {
  readonly RequestItems?: Readonly<Record<string, unknown>>;
  readonly TransactItems?: readonly Readonly<Record<string, Target>>[];
};

/** A transaction is granted by the actions of its items, not by one of its own. */
const transactedActions: Readonly<Record<string, string>> = {
  ConditionCheck: 'ConditionCheckItem',
  Delete: 'DeleteItem',
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
};

/** Every access that an operation means: one per item of a transaction, one per table of a batch. */
export const accessesOf = (operation: string, body: StoreRequest): Access[] => {
  const access = (action: string, { TableName, IndexName }: Target): Access => ({
    action: `dynamodb:${action}`,
    resource: TableName === undefined ? '*' : resourceArn(TableName, IndexName),
  });
  if (body.TransactItems)
    return body.TransactItems.flatMap(Object.entries<Target>).map(([kind, target]) =>
      access(transactedActions[kind] ?? kind, target),
    );
  if (body.RequestItems) return Object.keys(body.RequestItems).map((TableName) => access(operation, { TableName }));
  return [access(operation, body)];
};

const resourceArn = (table: string, index: string | undefined) =>
  index === undefined ? tableArn(table) : `${tableArn(table)}/index/${index}`;

export const tableArn = (table: string): string => arnOf('dynamodb', `table/${table}`);

/** The name of the table that an ARN names, or whose index it names. */
export const tableIn = (arn: string): string | undefined => arn.match(/:table\/([^/]+)/)?.[1];
