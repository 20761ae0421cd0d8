import type { QueueName } from '../../lambdas/api/queues.ts';
import type { TableIndex, TableName } from '../../lambdas/api/tables.ts';
import type { DeadLetterQueue, StageQueue } from '../connection/stage-queues.ts';

/** An IAM action on a table or an index, without its `dynamodb:` prefix. */
type ReadAction = 'BatchGetItem' | 'DescribeContinuousBackups' | 'DescribeTable' | 'GetItem' | 'Query' | 'Scan';
const writeActions = ['ConditionCheckItem', 'DeleteItem', 'PutItem', 'UpdateItem'] as const;
type WriteAction = (typeof writeActions)[number];
const restoreActions = ['BatchWriteItem', 'RestoreTableToPointInTime'] as const;
type RestoreAction = (typeof restoreActions)[number];

/** The tables that a restore makes beside those of the stage, `<stack>-restored-…`: no function knows them. */
export const restoredTables = 'RestoredTables';

type Target = TableName | TableIndex | typeof restoredTables;

/** An IAM action on a queue, without its `sqs:` prefix. Who looks at dead letters receives them, and gives them back at once. */
type ReadQueueAction = 'ChangeMessageVisibility' | 'GetQueueAttributes' | 'ReceiveMessage';
const queueWriteActions = ['DeleteMessage', 'SendMessage'] as const;
type QueueWriteAction = (typeof queueWriteActions)[number];

/** An IAM action of another service. Asking who is calling (`sts:GetCallerIdentity`) needs no permission. */
type ReadServiceAction =
  | 'apigateway:GET'
  | 'cloudformation:DescribeStacks'
  | 'cloudformation:ListStackResources'
  | 'cloudwatch:GetMetricData'
  | 'events:DescribeEventBus'
  | 'lambda:GetAccountSettings'
  | 'lambda:GetEventSourceMapping';
const serviceWriteActions = ['events:PutEvents'] as const;
type ServiceWriteAction = (typeof serviceWriteActions)[number];
export type ServiceAction = ReadServiceAction | ServiceWriteAction;

/** Nothing changes or deletes a row of the audit log, and only a restore writes outside of transactions, to its own tables. */
type ActionOn<On, Action> = On extends typeof restoredTables
  ? Action
  : On extends 'AuditLog'
    ? Exclude<Action, 'BatchWriteItem' | 'DeleteItem' | 'UpdateItem'>
    : On extends TableIndex
      ? Action & 'Query'
      : Exclude<Action, 'BatchWriteItem'>;

/** Messages on their way are the consumers': an operator sends some, and receives or deletes dead letters only. */
type ActionOnQueue<On, Action> = On extends DeadLetterQueue
  ? Exclude<Action, 'SendMessage'>
  : On extends QueueName
    ? Action & ('GetQueueAttributes' | 'SendMessage')
    : never;

type RequirementsOf<Action, QueueAction, Service> = {
  readonly tableActions: { readonly [On in Target]?: readonly ActionOn<On, Action>[] };
  readonly queueActions?: { readonly [On in StageQueue]?: readonly ActionOnQueue<On, QueueAction>[] };
  readonly serviceActions?: readonly Service[];
};

/** What a command asks of AWS, in the words of IAM; the roles of operators follow from it. */
export type Requirements = RequirementsOf<
  ReadAction | WriteAction | RestoreAction,
  ReadQueueAction | QueueWriteAction,
  ServiceAction
>;

/** The same of a command that changes nothing. */
export type ReadRequirements = RequirementsOf<ReadAction, ReadQueueAction, ReadServiceAction>;

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

const changes: readonly string[] = [...writeActions, ...restoreActions, ...queueWriteActions, ...serviceWriteActions];

/** Whether an action belongs to a change, of the stage's tables, of restored ones, of queues or of the bus. */
export const isChange = (action: string): boolean => changes.includes(action);

export const needsAws = ({ tableActions, queueActions = {}, serviceActions = [] }: Requirements): boolean =>
  Object.keys(tableActions).length + Object.keys(queueActions).length + serviceActions.length > 0;
