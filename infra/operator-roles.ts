import { Aws, Stack } from 'aws-cdk-lib';
import {
  AccountPrincipal,
  CfnManagedPolicy,
  CompositePrincipal,
  Effect,
  type IManagedPolicy,
  type IPrincipal,
  ManagedPolicy,
  PolicyDocument,
  PolicyStatement,
  PrincipalWithConditions,
  Role,
} from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/schema.ts';
import { type QueueName, type QueueWithDeadLetters, queueNames, queuesWithDeadLetters } from '../lambdas/api/queues.ts';
import { type TableName, tables as tableRows } from '../lambdas/api/tables.ts';
import {
  erasedAuditAttributes,
  isWrite,
  type Permissions,
  permissionsBeyond,
  permissionsOfRole,
  type Role as RoleName,
  restoredTables,
  type ServiceAction,
} from '../operator/cli/roles.ts';
import { commands } from '../operator/commands.ts';
import type { StageQueue } from '../operator/integrations/integrations.ts';
import { queueStatement } from './functions/service-function.ts';
import type { Integrations } from './integrations/integrations.ts';
import type { MacKeys, Tables } from './stateful.ts';

const { AuditLog: auditLog } = tableRows;

type OperatorRolesProps = {
  readonly operators: NonNullable<StageConfig['operators']>;
  readonly tables: Tables;
  readonly integrations: Integrations;
  readonly restApiId: string;
  /** The log groups that operators query. */
  readonly logs: readonly ILogGroup[];
  /** The IP sets of AWS WAF; empty if the resource policy has the allowlist. */
  readonly ipSetArns: readonly string[];
  readonly keys: MacKeys;
  /** The queue of controls of a sandbox. */
  readonly sandboxControls: Queue | undefined;
};

type Resources = Omit<OperatorRolesProps, 'operators'>;

/**
 * The roles of the people who operate the stage. Each has exactly the permissions that the operator's commands need. The
 * reader's permissions are managed policies, which the operator role has too; permissions beyond these are in the role itself.
 */
export class OperatorRoles extends Construct {
  /** The role that erases owners exists only if the configuration names its principals. */
  readonly roles: Readonly<Record<Exclude<RoleName, 'privacy'>, Role>> & { readonly privacy?: Role };

  constructor(scope: Construct, id: string, { operators, ...resources }: OperatorRolesProps) {
    super(scope, id);
    const [reads, all, ofPrivacy] = (['reader', 'operator', 'privacy'] as const).map((role) =>
      permissionsOfRole(role, commands),
    ) as [Permissions, Permissions, Permissions];
    const { tableActions, ...others } = reads;
    // `ManagedPolicy` would add a path and a description, which could never change.
    const createPolicy = (name: string, permissions: Partial<Permissions>) => {
      const statements = statementsFor({ ...noPermissions, ...permissions }, resources);
      const { ref } = new CfnManagedPolicy(this, name, { policyDocument: new PolicyDocument({ statements }) });
      return ManagedPolicy.fromManagedPolicyArn(this, `${name}Attached`, ref);
    };
    const managedPolicies = [createPolicy('ReadTables', { tableActions }), createPolicy('ReadServices', others)];
    const create = (
      name: RoleName,
      principals: readonly string[],
      permissions: Permissions,
      attached: IManagedPolicy[],
    ) =>
      new Role(this, name, {
        // A fixed name: profiles, and the permission to assume the role, refer to it before it exists.
        roleName: `${Stack.of(this).stackName}-${name}`,
        assumedBy: trusted(principals),
        managedPolicies: attached,
        inlinePolicies: {
          Requirements: new PolicyDocument({
            statements: [
              ...statementsFor(permissions, resources),
              recordIsKept(resources.tables, permissions.tableActions.AuditLog),
            ],
          }),
        },
      });
    const { readerPrincipals, operatorPrincipals, privacyPrincipals } = operators;
    this.roles = {
      reader: create('reader', readerPrincipals, noPermissions, managedPolicies),
      operator: create('operator', operatorPrincipals, permissionsBeyond(all, reads), managedPolicies),
      ...(privacyPrincipals && { privacy: create('privacy', privacyPrincipals, ofPrivacy, []) }),
    };
  }
}

const noPermissions: Permissions = { tableActions: {}, queueActions: {}, serviceActions: [] };

/**
 * Trusts an account and limits the principals by a condition, so that a principal that does not exist yet, or no longer, fails
 * no deployment, and the pattern of a permission set can be used.
 */
const trusted = (principals: readonly string[]): IPrincipal => {
  const byKind = Map.groupBy(principals, (arn) => arn.match(/^arn:[^:]+:iam::\d{12}:(user|role)/)?.[0] ?? '');
  return new CompositePrincipal(
    ...[...byKind].map(([kind, arns]) => {
      const [, , , , account = '', type] = kind.split(':');
      return new PrincipalWithConditions(new AccountPrincipal(account), {
        ArnLike: { 'aws:PrincipalArn': arns },
        ...(type === 'user' && conditionsForUsers),
      });
    }),
  );
};

/** For users only: whether the log-in of a role's session asked for a second factor is not visible to IAM. */
const conditionsForUsers = {
  Bool: { 'aws:MultiFactorAuthPresent': 'true' },
  // The audit log identifies the actor by the ARN of the session, so a user may not use another name for it.
  StringEquals: { 'sts:RoleSessionName': `\${aws:username}` },
};

const statementsFor = (
  { tableActions, queueActions, serviceActions }: Permissions,
  { tables, integrations, restApiId, logs, ipSetArns, keys, sandboxControls }: Resources,
): PolicyStatement[] => {
  const queues: Partial<Record<string, Queue>> = { ...queuesIn(integrations), sandboxControls };
  // CloudFormation appends an id to the name.
  const stack = `arn:${Aws.PARTITION}:cloudformation:${Aws.REGION}:${Aws.ACCOUNT_ID}:stack/${Aws.STACK_NAME}/*`;
  const { eventBusArn } = integrations.portalBus.bus;
  const serviceResources: Readonly<Record<ServiceAction, string | readonly string[]>> = {
    'apigateway:GET': `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}::/restapis/${restApiId}`,
    'cloudformation:DescribeStacks': stack,
    'cloudformation:ListStackResources': stack,
    // Metrics are no resource that a policy could name.
    'cloudwatch:GetMetricData': '*',
    'events:DescribeEventBus': eventBusArn,
    'events:PutEvents': eventBusArn,
    'kms:GenerateMac': keys.ownerPseudonyms.keyArn,
    'lambda:GetEventSourceMapping': integrations.consumers.mappings.map(
      ({ eventSourceMappingId }) =>
        `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:event-source-mapping:${eventSourceMappingId}`,
    ),
    // Settings of the account are no resource that a policy could name.
    'lambda:GetAccountSettings': '*',
    // The results of a query are no resource that a policy could name; only the caller that started the query knows its id.
    'logs:GetQueryResults': '*',
    'logs:StartQuery': logs.map(({ logGroupArn }) => logGroupArn),
    'wafv2:GetIPSet': ipSetArns,
    'wafv2:UpdateIPSet': ipSetArns,
  };
  return [
    ...Object.entries(tableActions).flatMap(([target, actions]) => statementsForTable(target, actions, tables)),
    ...Object.entries(queueActions).flatMap(([name, actions]) => {
      // Only a sandbox has the queue of controls.
      const queue = queues[name];
      return queue ? [queueStatement(queue, actions)] : [];
    }),
    ...serviceActions.flatMap((action) => {
      const resources = [serviceResources[action]].flat();
      return resources.length > 0 ? [new PolicyStatement({ actions: [action], resources })] : [];
    }),
  ];
};

/** Denies all changes of audit rows except the allowed ones. */
const recordIsKept = (tables: Tables, allowed: readonly string[] = []) =>
  new PolicyStatement({
    effect: Effect.DENY,
    actions: changesOfRows.filter((action) => !allowed.includes(action)).map((action) => `dynamodb:${action}`),
    resources: [tables.AuditLog.tableArn],
  });

const queuesIn = ({
  sources: { queues, undelivered, relayFailures, feedFailures },
}: Integrations): Readonly<Record<StageQueue, Queue>> => ({
  ...(Object.fromEntries(queueNames.map((name) => [name, queues[name].queue])) as Record<QueueName, Queue>),
  ...(Object.fromEntries(
    queuesWithDeadLetters.map((name) => [`${name}/deadLetters`, queues[name].deadLetters]),
  ) as Record<`${QueueWithDeadLetters}/deadLetters`, Queue>),
  undelivered,
  relayFailures,
  feedFailures,
});

const statementsForTable = (target: string, actions: readonly string[], tables: Tables) => {
  const [table, ...index] = target.split('/') as [TableName, ...string[]];
  const statement = (allowed: readonly string[], conditions?: object) =>
    new PolicyStatement({
      actions: allowed.map((action) => `dynamodb:${action}`),
      resources: [[target === restoredTables ? restoredTablesArn : tables[table].tableArn, ...index].join('/')],
      ...(conditions && { conditions: { ...conditions } }),
    });
  const isOfErasure = (action: string) => target === 'AuditLog' && action === 'UpdateItem';
  const [reads, writes, erasures] = [
    actions.filter((action) => !isWrite(action, target)),
    actions.filter((action) => isWrite(action, target) && !isOfErasure(action)),
    actions.filter(isOfErasure),
  ];
  return [
    ...(reads.length > 0 ? [statement(reads)] : []),
    ...(writes.length > 0 ? [statement(writes, withinTransaction)] : []),
    ...(erasures.length > 0 ? [statement(erasures, { ...withinTransaction, ...ofErasedAttributes })] : []),
  ];
};

/** A restore creates tables outside the stack, with names that begin with the stack's name. */
const restoredTablesArn = `arn:${Aws.PARTITION}:dynamodb:${Aws.REGION}:${Aws.ACCOUNT_ID}:table/${Aws.STACK_NAME}-restored-*`;

/** Allows writes only in transactions: a single write, by whatever program, would leave no audit row. */
const withinTransaction = {
  'ForAnyValue:StringEquals': { 'dynamodb:EnclosingOperation': ['TransactWriteItems'] },
};

/**
 * Limits an update of an audit row to its key and the attributes that may contain an owner, so that it cannot change what was
 * done, by whom and when.
 */
const ofErasedAttributes = {
  'ForAllValues:StringEquals': {
    'dynamodb:Attributes': [auditLog.partitionKey, auditLog.sortKey, ...erasedAuditAttributes],
  },
};

/**
 * No policy here allows these, except the update of an erasure. They are denied in case somebody attaches another policy to a
 * role.
 */
const changesOfRows = [
  ...['BatchWriteItem', 'DeleteItem', 'DeleteTable', 'PartiQLDelete', 'PartiQLInsert', 'PartiQLUpdate'],
  ...['UpdateItem', 'UpdateTimeToLive'],
];
