import { stackNameOf } from '../../config/schema.ts';
import type { QueueName } from '../../lambdas/api/queues.ts';
import type { TableIndex, TableName } from '../../lambdas/api/tables.ts';
import type { DeadLetterQueue, StageQueue } from '../integrations/integrations.ts';

/**
 * The roles of operators: `reader` can run all commands that change nothing, `operator` all commands except the erasure of
 * owners, and `privacy` only that one.
 */
export const roles = ['reader', 'operator', 'privacy'] as const;

export type Role = (typeof roles)[number];

/** The properties of a command that determine its role. */
type Command = {
  readonly changes: boolean;
  readonly requirements: ErasureRequirements;
  /** The required role, if it is neither `reader` nor `operator`. */
  readonly role?: 'privacy';
};

/** Returns the name of a role, to which a profile of the AWS configuration files refers. */
export const roleNameOf = (stage: string, role: Role): string => `${stackNameOf(stage)}-${role}`;

/** Returns the role that a command needs unless it is a dry run; undefined if it works without AWS. */
export const roleOf = ({ changes, requirements, role }: Command): Role | undefined => {
  if (!needsAws(requirements)) return undefined;
  return role ?? (changes ? 'operator' : 'reader');
};

/** The actions of a role by table or index, by queue, and of other services. Each action is listed once. */
export type Permissions = {
  readonly tableActions: ActionsByTarget;
  readonly queueActions: ActionsByTarget;
  readonly serviceActions: readonly ServiceAction[];
};

type ActionsByTarget = Readonly<Record<string, readonly string[]>>;

/** Returns all permissions that one command needs. */
export const permissionsOf = ({ requirements }: Command): Permissions =>
  needsAws(requirements)
    ? union([
        baseRequirements,
        requirements,
        ...(requirements.tableActions.AuditLog?.includes('PutItem') ? [timeReads] : []),
      ])
    : union([]);

/** Returns the permissions that the commands of a role need. A reader gets those of changes, but no writes, for dry runs. */
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

/** Returns the permissions of `all` that `others` does not contain. */
export const permissionsBeyond = (all: Permissions, others: Permissions): Permissions => ({
  tableActions: beyond(all.tableActions, others.tableActions),
  queueActions: beyond(all.queueActions, others.queueActions),
  serviceActions: all.serviceActions.filter((action) => !others.serviceActions.includes(action)),
});

const beyond = (all: ActionsByTarget, others: ActionsByTarget): ActionsByTarget =>
  actionsWhere(all, (action, target) => !others[target]?.includes(action));

/** Returns the actions that pass the check, without targets that have no action left. */
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

/** Sorts alphabetically, so that the order of the commands does not change the template. */
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

/** The tables that a restore creates, `<stack>-restored-…`. No function uses them. */
export const restoredTables = 'RestoredTables';

type Target = TableName | TableIndex | typeof restoredTables;

/** An IAM action on a queue, without its `sqs:` prefix. Listing dead letters receives them and makes them visible again. */
type ReadQueueAction = 'ChangeMessageVisibility' | 'GetQueueAttributes' | 'ListMessageMoveTasks' | 'ReceiveMessage';
const queueWriteActions = ['CancelMessageMoveTask', 'DeleteMessage', 'SendMessage', 'StartMessageMoveTask'] as const;
type QueueWriteAction = (typeof queueWriteActions)[number];

/** An IAM action of another service. `sts:GetCallerIdentity` needs no permission. */
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
/** Computes pseudonyms. A caller with this permission can re-identify erased owners. */
const pseudonymAction = 'kms:GenerateMac';
export type ServiceAction = ReadServiceAction | ServiceWriteAction | typeof pseudonymAction;

/** The attributes of an audit row that may mention an owner. Only an erasure changes them. */
export const erasedAuditAttributes = ['userId', 'before', 'after', 'reason'] as const;

/**
 * No action deletes rows of the audit log, only an erasure changes them, and only a restore writes outside of transactions, to
 * its own tables.
 */
type ActionOn<On, Action, OnRecord> = On extends typeof restoredTables
  ? Action
  : On extends 'AuditLog'
    ? Exclude<Action, 'BatchWriteItem' | 'DeleteItem' | 'UpdateItem'> | OnRecord
    : On extends TableIndex
      ? Action & 'Query'
      : Exclude<Action, 'BatchWriteItem'>;

/** The queue of controls, which only the stack of a sandbox has. */
export type SandboxQueue = 'sandboxControls';

/** Only consumers receive from the queues. An operator sends messages, and receives or deletes dead letters only. */
type ActionOnQueue<On, Action> = On extends DeadLetterQueue
  ? Exclude<Action, 'SendMessage'>
  : On extends QueueName | SandboxQueue
    ? Action & ('GetQueueAttributes' | 'SendMessage')
    : never;

type RequirementsOf<Action, QueueAction, Service, OnRecord = never> = {
  readonly tableActions: { readonly [On in Target]?: readonly ActionOn<On, Action, OnRecord>[] };
  readonly queueActions?: { readonly [On in StageQueue | SandboxQueue]?: readonly ActionOnQueue<On, QueueAction>[] };
  readonly serviceActions?: readonly Service[];
};

/** The IAM actions that a command needs. The roles of operators are derived from them. */
export type Requirements = RequirementsOf<
  ReadAction | WriteAction | RestoreAction,
  ReadQueueAction | QueueWriteAction,
  Exclude<ServiceAction, typeof pseudonymAction>
>;

/** The IAM actions of the command that erases owners. */
export type ErasureRequirements = RequirementsOf<
  ReadAction | WriteAction | RestoreAction,
  ReadQueueAction | QueueWriteAction,
  ServiceAction,
  'UpdateItem'
>;

/** The IAM actions of a command that changes nothing. */
export type ReadRequirements = RequirementsOf<ReadAction, ReadQueueAction, ReadServiceAction>;

/** The requirements of a command that works without AWS. */
export const noRequirements = { tableActions: {} } as const satisfies ReadRequirements;

/** The permissions to find the stage, which all commands that use AWS need. */
const baseRequirements = {
  tableActions: {},
  serviceActions: ['cloudformation:ListStackResources'],
} as const satisfies ReadRequirements;

/** The permission to read the service's time, which each command with audit rows needs: `readStoreTimeMs` reads a contract. */
const timeReads = { tableActions: { Contracts: ['GetItem'] } } as const satisfies ReadRequirements;

/** Whether an action writes rows of the stage. All such writes are in a transaction with the audit row of the change. */
export const isWrite = (action: string, target: string): boolean =>
  target !== restoredTables && (writeActions as readonly string[]).includes(action);

const changes: readonly string[] = [...writeActions, ...restoreActions, ...queueWriteActions, ...serviceWriteActions];

/** Whether an action changes the stage's tables, restored tables, queues, the bus or the IP sets. */
const isChange = (action: string): boolean => changes.includes(action);

const needsAws = ({ tableActions, queueActions = {}, serviceActions = [] }: ErasureRequirements): boolean =>
  Object.keys(tableActions).length + Object.keys(queueActions).length + serviceActions.length > 0;
