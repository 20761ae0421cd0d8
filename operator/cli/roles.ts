import { stackNameOf } from '../../config/schema.ts';
import type { QueueName } from '../../lambdas/api/queues.ts';
import type { TableIndex, TableName } from '../../lambdas/api/tables.ts';
import type { DeadLetterQueue, StageQueue } from '../integrations/integrations.ts';

/**
 * The roles of operators: the reader can do all that changes nothing, the operator all but what erases owners, and privacy
 * that alone.
 */
export const roles = ['reader', 'operator', 'privacy'] as const;

export type Role = (typeof roles)[number];

/** What counts of a command here. */
type Command = {
  readonly changes: boolean;
  readonly requirements: ErasureRequirements;
  /** The one that it takes, where that is neither the reader nor the operator. */
  readonly role?: 'privacy';
};

/** The name of a role, which a profile of the AWS configuration files refers to. */
export const roleNameOf = (stage: string, role: Role): string => `${stackNameOf(stage)}-${role}`;

/** The role that a command takes, as long as it is no dry run; undefined if it works without AWS. */
export const roleOf = ({ changes, requirements, role }: Command): Role | undefined => {
  if (!needsAws(requirements)) return undefined;
  return role ?? (changes ? 'operator' : 'reader');
};

/** What a role may do: its actions by table or index and by queue, and those of other services. Each stands there once. */
export type Permissions = {
  readonly tableActions: ActionsByTarget;
  readonly queueActions: ActionsByTarget;
  readonly serviceActions: readonly ServiceAction[];
};

type ActionsByTarget = Readonly<Record<string, readonly string[]>>;

/** All that one command needs. */
export const permissionsOf = ({ requirements }: Command): Permissions =>
  needsAws(requirements) ? union([connecting, requirements]) : union([]);

/** What the commands need together; of a reader, without what belongs to changes, so that dry runs work. */
export const permissionsOfRole = (role: Role, commands: readonly Command[]): Permissions => {
  const ofRole = commands.filter((command) => (command.role === 'privacy') === (role === 'privacy'));
  const all = union(ofRole.map(permissionsOf));
  if (role !== 'reader') return all;
  return {
    tableActions: actionsWhere(all.tableActions, (action) => !isChange(action)),
    queueActions: actionsWhere(all.queueActions, (action) => !isChange(action)),
    serviceActions: all.serviceActions.filter((action) => !isChange(action)),
  };
};

/** What permissions allow beyond others. */
export const permissionsBeyond = (all: Permissions, others: Permissions): Permissions => ({
  tableActions: beyond(all.tableActions, others.tableActions),
  queueActions: beyond(all.queueActions, others.queueActions),
  serviceActions: all.serviceActions.filter((action) => !others.serviceActions.includes(action)),
});

const beyond = (all: ActionsByTarget, others: ActionsByTarget): ActionsByTarget =>
  actionsWhere(all, (action, target) => !others[target]?.includes(action));

/** The actions that pass the check, without the targets that have none left. */
const actionsWhere = (
  byTarget: ActionsByTarget,
  isWanted: (action: string, target: string) => boolean,
): ActionsByTarget =>
  Object.fromEntries(
    Object.entries(byTarget)
      .map(([target, actions]) => [target, actions.filter((action) => isWanted(action, target))] as const)
      .filter(([, actions]) => actions.length > 0),
  );

const union = (parts: readonly ErasureRequirements[]): Permissions => ({
  tableActions: unionByTarget(parts.map(({ tableActions }) => tableActions)),
  queueActions: unionByTarget(parts.map(({ queueActions = {} }) => queueActions)),
  serviceActions: sorted(parts.flatMap(({ serviceActions = [] }) => serviceActions)),
});

/** In the order of the alphabet, so that another order of commands makes no other template. */
const unionByTarget = (parts: readonly Readonly<Partial<Record<string, readonly string[]>>>[]): ActionsByTarget => {
  const byTarget: Record<string, string[]> = {};
  for (const [target, actions = []] of parts.flatMap((part) => Object.entries(part)))
    byTarget[target] = sorted([...(byTarget[target] ?? []), ...actions]);
  return Object.fromEntries(sorted(Object.keys(byTarget)).map((key) => [key, byTarget[key] ?? []]));
};

const sorted = <Text extends string>(values: readonly Text[]): Text[] => [...new Set(values)].sort();

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
type ReadQueueAction = 'ChangeMessageVisibility' | 'GetQueueAttributes' | 'ListMessageMoveTasks' | 'ReceiveMessage';
const queueWriteActions = ['CancelMessageMoveTask', 'DeleteMessage', 'SendMessage', 'StartMessageMoveTask'] as const;
type QueueWriteAction = (typeof queueWriteActions)[number];

/** An IAM action of another service. Asking who is calling (`sts:GetCallerIdentity`) needs no permission. */
type ReadServiceAction =
  | 'apigateway:GET'
  | 'cloudformation:DescribeStacks'
  | 'cloudformation:ListStackResources'
  | 'cloudwatch:GetMetricData'
  | 'events:DescribeEventBus'
  | 'lambda:GetAccountSettings'
  | 'lambda:GetEventSourceMapping'
  | 'logs:GetQueryResults'
  | 'logs:StartQuery'
  | 'wafv2:GetIPSet';
const serviceWriteActions = ['events:PutEvents', 'wafv2:UpdateIPSet'] as const;
type ServiceWriteAction = (typeof serviceWriteActions)[number];
/** Computes what stands for an owner: who may do that finds out who was erased. */
const pseudonymAction = 'kms:GenerateMac';
export type ServiceAction = ReadServiceAction | ServiceWriteAction | typeof pseudonymAction;

/** The attributes of an audit row in which an owner may stand: an erasure changes these, and nothing else does. */
export const erasedAuditAttributes = ['userId', 'before', 'after', 'reason'] as const;

/**
 * Nothing deletes a row of the audit log, only an erasure changes one, and only a restore writes outside of transactions, to its
 * own tables.
 */
type ActionOn<On, Action, OnRecord> = On extends typeof restoredTables
  ? Action
  : On extends 'AuditLog'
    ? Exclude<Action, 'BatchWriteItem' | 'DeleteItem' | 'UpdateItem'> | OnRecord
    : On extends TableIndex
      ? Action & 'Query'
      : Exclude<Action, 'BatchWriteItem'>;

/** Messages on their way are the consumers': an operator sends some, and receives or deletes dead letters only. */
type ActionOnQueue<On, Action> = On extends DeadLetterQueue
  ? Exclude<Action, 'SendMessage'>
  : On extends QueueName
    ? Action & ('GetQueueAttributes' | 'SendMessage')
    : never;

type RequirementsOf<Action, QueueAction, Service, OnRecord = never> = {
  readonly tableActions: { readonly [On in Target]?: readonly ActionOn<On, Action, OnRecord>[] };
  readonly queueActions?: { readonly [On in StageQueue]?: readonly ActionOnQueue<On, QueueAction>[] };
  readonly serviceActions?: readonly Service[];
};

/** What a command asks of AWS, in the words of IAM; the roles of operators follow from it. */
export type Requirements = RequirementsOf<
  ReadAction | WriteAction | RestoreAction,
  ReadQueueAction | QueueWriteAction,
  Exclude<ServiceAction, typeof pseudonymAction>
>;

/** The same of the command that erases owners. */
export type ErasureRequirements = RequirementsOf<
  ReadAction | WriteAction | RestoreAction,
  ReadQueueAction | QueueWriteAction,
  ServiceAction,
  'UpdateItem'
>;

/** The same of a command that changes nothing. */
export type ReadRequirements = RequirementsOf<ReadAction, ReadQueueAction, ReadServiceAction>;

/** The requirements of a command that works without AWS. */
export const nothing = { tableActions: {} } as const satisfies ReadRequirements;

/** What every command needs that asks AWS for anything: to find the stage. */
const connecting = {
  tableActions: {},
  serviceActions: ['cloudformation:ListStackResources'],
} as const satisfies ReadRequirements;

/** Whether an action writes rows of the stage: each stands in a transaction, with the audit row of the change. */
export const isWrite = (action: string, target: string): boolean =>
  target !== restoredTables && (writeActions as readonly string[]).includes(action);

const changes: readonly string[] = [...writeActions, ...restoreActions, ...queueWriteActions, ...serviceWriteActions];

/** Whether an action belongs to a change, of the stage's tables, of restored ones, of queues or of the bus. */
const isChange = (action: string): boolean => changes.includes(action);

const needsAws = ({ tableActions, queueActions = {}, serviceActions = [] }: ErasureRequirements): boolean =>
  Object.keys(tableActions).length + Object.keys(queueActions).length + serviceActions.length > 0;
