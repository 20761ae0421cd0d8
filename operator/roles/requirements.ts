import type { TableIndex, TableName } from '../../lambdas/api/tables.ts';

/** An IAM action on a table or an index, without its `dynamodb:` prefix. */
type ReadAction = 'BatchGetItem' | 'DescribeContinuousBackups' | 'DescribeTable' | 'GetItem' | 'Query' | 'Scan';
const writeActions = ['ConditionCheckItem', 'DeleteItem', 'PutItem', 'UpdateItem'] as const;
type WriteAction = (typeof writeActions)[number];
const restoreActions = ['BatchWriteItem', 'RestoreTableToPointInTime'] as const;
type RestoreAction = (typeof restoreActions)[number];

/** The tables that a restore makes beside those of the stage, `<stack>-restored-…`: no function knows them. */
export const restoredTables = 'RestoredTables';

type Target = TableName | TableIndex | typeof restoredTables;

/** An IAM action of another service. Asking who is calling (`sts:GetCallerIdentity`) needs no permission. */
export type ServiceAction =
  | 'apigateway:GET'
  | 'cloudformation:DescribeStacks'
  | 'cloudformation:ListStackResources'
  | 'lambda:GetAccountSettings';

/** Nothing changes or deletes a row of the audit log, and only a restore writes outside of transactions, to its own tables. */
type ActionOn<On, Action> = On extends typeof restoredTables
  ? Action
  : On extends 'AuditLog'
    ? Exclude<Action, 'BatchWriteItem' | 'DeleteItem' | 'UpdateItem'>
    : On extends TableIndex
      ? Action & 'Query'
      : Exclude<Action, 'BatchWriteItem'>;

type RequirementsOf<Action> = {
  readonly tableActions: { readonly [On in Target]?: readonly ActionOn<On, Action>[] };
  readonly serviceActions?: readonly ServiceAction[];
};

/** What a command asks of AWS, in the words of IAM; the roles of operators follow from it. */
export type Requirements = RequirementsOf<ReadAction | WriteAction | RestoreAction>;

/** The same of a command that changes nothing. */
export type ReadRequirements = RequirementsOf<ReadAction>;

/** The requirements of a command that works without AWS. */
export const nothing = { tableActions: {} } as const satisfies ReadRequirements;

/** What every command needs that asks AWS for anything: to find the stage. */
export const connecting = {
  tableActions: {},
  serviceActions: ['cloudformation:ListStackResources'],
} as const satisfies ReadRequirements;

/** Whether an action writes rows of the stage: each stands in a transaction, with the audit row of the change. */
export const isWrite = (action: string, target: string): boolean =>
  target !== restoredTables && (writeActions as readonly string[]).includes(action);

/** Whether an action belongs to a change, of the stage's tables or of restored ones. */
export const isChange = (action: string): boolean =>
  ([...writeActions, ...restoreActions] as readonly string[]).includes(action);

export const needsAws = ({ tableActions, serviceActions = [] }: Requirements): boolean =>
  Object.keys(tableActions).length + serviceActions.length > 0;
