import type { TableIndex, TableName } from '../../lambdas/api/tables.ts';

/** An IAM action on a table or an index, without its `dynamodb:` prefix. */
type ReadAction = 'BatchGetItem' | 'DescribeTable' | 'GetItem' | 'Query' | 'Scan';
const writeActions = ['ConditionCheckItem', 'DeleteItem', 'PutItem', 'UpdateItem'] as const;
type WriteAction = (typeof writeActions)[number];

/** An IAM action of another service. Asking who is calling (`sts:GetCallerIdentity`) needs no permission. */
export type ServiceAction =
  | 'apigateway:GET'
  | 'cloudformation:DescribeStacks'
  | 'cloudformation:ListStackResources'
  | 'lambda:GetAccountSettings';

/** Nothing changes or deletes a row of the audit log. */
type ActionOn<Target, Action> = Target extends 'AuditLog'
  ? Exclude<Action, 'DeleteItem' | 'UpdateItem'>
  : Target extends TableIndex
    ? Action & 'Query'
    : Action;

type RequirementsOf<Action> = {
  readonly tableActions: { readonly [Target in TableName | TableIndex]?: readonly ActionOn<Target, Action>[] };
  readonly serviceActions?: readonly ServiceAction[];
};

/** What a command asks of AWS, in the words of IAM; the roles of operators follow from it. */
export type Requirements = RequirementsOf<ReadAction | WriteAction>;

/** The same of a command that changes nothing. */
export type ReadRequirements = RequirementsOf<ReadAction>;

/** The requirements of a command that works without AWS. */
export const nothing = { tableActions: {} } as const satisfies ReadRequirements;

/** What every command needs that asks AWS for anything: to find the stage. */
export const connecting = {
  tableActions: {},
  serviceActions: ['cloudformation:ListStackResources'],
} as const satisfies ReadRequirements;

/** Whether an action belongs to a change. Each stands in a transaction, with the audit row of the change. */
export const isWrite = (action: string): boolean => (writeActions as readonly string[]).includes(action);

export const needsAws = ({ tableActions, serviceActions = [] }: Requirements): boolean =>
  Object.keys(tableActions).length + serviceActions.length > 0;
