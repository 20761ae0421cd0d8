import { AssetStaging, type Duration, FileAssetPackaging, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { newestConsentVersion, type StageConfig } from '../../config/schema.ts';
import type { Requirements } from '../../lambdas/api/endpoints/endpoint.ts';
import {
  type MacKeyName,
  macKeyVariable,
  queueVariable,
  type SettingName,
  settingVariable,
  tableVariable,
} from '../../lambdas/api/environment.ts';
import type { QueueAction, QueueActions, QueueName } from '../../lambdas/api/queues.ts';
import { type Table, type TableAction, type TableName, tables as tableRows } from '../../lambdas/api/tables.ts';
import type { MacKeys, Tables } from '../stateful.ts';
import type { Bundle } from './bundle.ts';

/** The props that functions of one kind share. */
export type SharedProps = {
  readonly logGroup: ILogGroup;
  readonly tables: Tables;
  readonly keys: MacKeys;
  readonly config: StageConfig;
};

export type ServiceFunctionProps = SharedProps & {
  readonly summary: string;
  readonly requirements: Pick<Requirements, 'tableActions' | 'settings'> & Partial<Pick<Requirements, 'macKeys'>>;
  readonly bundle: Bundle;
  readonly timeout: Duration;
  /** Turns off Lambda's recursion check for a function that is invoked again by the messages it sends. */
  readonly callsItself?: true | undefined;
  /** Whether Lambda calls the function again if a call by a schedule fails, twice as it does by default. */
  readonly isRetried?: boolean;
  /** Permissions beyond those on the function's tables, keys and log. */
  readonly statements?: readonly PolicyStatement[];
  /** Variables beyond those of the function's tables, keys and settings. */
  readonly variables?: Readonly<Record<string, string>>;
};

/**
 * A function of the service. It has exactly the permissions and variables that its requirements, `statements` and `variables`
 * list.
 */
export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { requirements, logGroup, tables, keys, config, statements = [], variables = {} } = props;
    const { macKeys = [] } = requirements;
    const stackName = Stack.of(this).stackName;

    this.function = new LambdaFunction(this, 'Function', {
      functionName: `${stackName}-${id}`,
      description: props.summary,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(props.bundle.folder),
      handler: 'index.handler',
      memorySize: 384,
      timeout: props.timeout,
      ...(props.callsItself && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...(props.isRetried === false && { retryAttempts: 0 }),
      role: new Role(this, 'Role', {
        assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
        inlinePolicies: {
          Requirements: policyFor(requirements, tables, logGroup, [...macStatements(keys, macKeys), ...statements]),
        },
      }),
      environment: {
        ...environmentFor(requirements, tables, { config, stackName }),
        ...Object.fromEntries(macKeys.map((name) => [macKeyVariable(name), keys[name].keyArn])),
        ...variables,
      },
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      // Suppresses START, END and REPORT, so that the log has only the function's own line per event.
      systemLogLevelV2: SystemLogLevel.WARN,
    });
    keepSourceMap(this, props.bundle);
  }
}

const policyFor = (
  { tableActions }: ServiceFunctionProps['requirements'],
  tables: Tables,
  logGroup: ILogGroup,
  others: readonly PolicyStatement[],
) =>
  new PolicyDocument({
    statements: [
      ...tableEntries(tableActions).flatMap(([target, actions]) => tableStatements(tables, target, actions)),
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
      ...others,
    ],
  });

/** Allows a function to generate MACs, but neither to verify them nor to change the key. */
const macStatements = (keys: MacKeys, names: readonly MacKeyName[]) =>
  names.map((name) => new PolicyStatement({ actions: ['kms:GenerateMac'], resources: [keys[name].keyArn] }));

const tableStatements = (tables: Tables, [table, ...index]: Target, actions: readonly TableAction[]) => {
  const limits = updateLimits(table);
  const isLimited = (action: TableAction) => limits !== undefined && action === 'UpdateItem';
  const parts = [
    { allowed: actions.filter((action) => !isLimited(action)), conditions: {} },
    { allowed: actions.filter(isLimited), conditions: { ...limits } },
  ];
  return parts
    .filter(({ allowed }) => allowed.length > 0)
    .map(
      ({ allowed, conditions }) =>
        new PolicyStatement({
          actions: allowed.map((action) => `dynamodb:${action}`),
          resources: [[tables[table].tableArn, ...index].join('/')],
          conditions,
        }),
    );
};

/** Limits the attributes that an update may name, to change or to compare them. The key of the item counts as named. */
const updateLimits = (name: TableName) => {
  const { partitionKey, sortKey, updatedAttributes }: Table = tableRows[name];
  if (!updatedAttributes) return undefined;
  const named = [partitionKey, ...(sortKey === undefined ? [] : [sortKey]), ...updatedAttributes];
  return { 'ForAllValues:StringEquals': { 'dynamodb:Attributes': named } };
};

/** The source of settings. */
type Stage = { readonly config: StageConfig; readonly stackName: string };

const environmentFor = (
  { tableActions, settings }: ServiceFunctionProps['requirements'],
  tables: Tables,
  stage: Stage,
) =>
  Object.fromEntries([
    ...tableEntries(tableActions).map(([[table]]) => [tableVariable(table), tables[table].tableName]),
    ...settings.map((setting) => [settingVariable(setting), settingValues[setting](stage)]),
  ]);

const settingValues: Readonly<Record<SettingName, (stage: Stage) => string>> = {
  requiredConsentVersion: ({ config }) => String(config.consent.requiredVersion),
  newestConsentVersion: ({ config }) => String(newestConsentVersion(config)),
  consentPortalUrl: ({ config }) => config.consent.portalUrl,
  // One per stage: stages that share an account would otherwise be counted together.
  metricNamespace: ({ stackName }) => stackName,
  logRetentionDays: ({ config }) => String(config.logRetentionDays),
  canaryCompanyId: ({ config }) => config.monitoring.canaryCompanyId ?? '-',
};

/** A table, followed by the path to its index if the target is an index. */
type Target = readonly [TableName, ...string[]];

const tableEntries = (tableActions: Requirements['tableActions']) =>
  Object.entries(tableActions).map(([target, actions]) => [target.split('/') as unknown as Target, actions] as const);

export type QueueByName = Readonly<Record<QueueName, { readonly queue: Queue }>>;

/** Returns the permissions on queues that a function's row lists, and the variables with the queues' URLs. */
export const queueAccess = (queues: QueueByName, queueActions: QueueActions) => {
  const used = Object.entries(queueActions) as [QueueName, readonly QueueAction[]][];
  return {
    statements: used.map(([name, actions]) => queueStatement(queues[name].queue, actions)),
    variables: Object.fromEntries(used.map(([name]) => [queueVariable(name), queues[name].queue.queueUrl])),
  };
};

/** Returns a statement that allows these actions on the queue. */
export const queueStatement = (queue: Queue, actions: readonly string[]): PolicyStatement =>
  new PolicyStatement({ actions: actions.map((action) => `sqs:${action}`), resources: [queue.queueArn] });

/**
 * Uploads the source map of a bundle with its code: to the account's bucket for assets, as `<bundle id>.map`. A map inside the
 * asset would more than double the asset's size, and an event of at most 1 kB has no room for frames with the names of sources:
 * it contains positions, which `trace resolve` maps to sources. The bundle id in a stack trace thus identifies the map of any
 * code that ever ran.
 */
const keepSourceMap = (scope: Construct, { id, sourceMap }: Bundle): void => {
  const stack = Stack.of(scope);
  const staged = new AssetStaging(scope, 'SourceMap', { sourcePath: sourceMap });
  stack.synthesizer.addFileAsset({
    sourceHash: id,
    fileName: staged.relativeStagedPath(stack),
    packaging: FileAssetPackaging.FILE,
  });
};
