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

/** What functions of one kind share. */
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
  /** Lambda lets it be called again and again by what it sends. */
  readonly callsItself?: true | undefined;
  /** What it may do beyond its tables and its log. */
  readonly statements?: readonly PolicyStatement[];
  /** What it is told beyond its tables and settings. */
  readonly variables?: Readonly<Record<string, string>>;
};

/** A function of the service. It may do, and is told, exactly what is required of it. */
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
      // Silences START, END and REPORT: one line per event is the function's own.
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

/** Lets a function have codes computed, and neither have them verified nor touch the key. */
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

/** Lets an update name no other attributes, be it to change or to compare them; the key of the item counts among them. */
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
  // One per stage: several may share an account, and would else be counted together.
  metricNamespace: ({ stackName }) => stackName,
  takeovers: ({ config }) => String(config.takeovers ?? 0),
  logRetentionDays: ({ config }) => String(config.logRetentionDays),
  canaryCompanyId: ({ config }) => config.monitoring.canaryCompanyId ?? '-',
};

/** A table, and what leads from there to its index if it is about one. */
type Target = readonly [TableName, ...string[]];

const tableEntries = (tableActions: Requirements['tableActions']) =>
  Object.entries(tableActions).map(([target, actions]) => [target.split('/') as unknown as Target, actions] as const);

export type QueueByName = Readonly<Record<QueueName, { readonly queue: Queue }>>;

/** What a function may do to queues by its row, and the variables by which it finds them. */
export const queueAccess = (queues: QueueByName, queueActions: QueueActions) => {
  const used = Object.entries(queueActions) as [QueueName, readonly QueueAction[]][];
  return {
    statements: used.map(([name, actions]) => using(queues[name].queue, actions)),
    variables: Object.fromEntries(used.map(([name]) => [queueVariable(name), queues[name].queue.queueUrl])),
  };
};

/** Lets whoever has it do these to the queue. */
export const using = (queue: Queue, actions: readonly string[]): PolicyStatement =>
  new PolicyStatement({ actions: actions.map((action) => `sqs:${action}`), resources: [queue.queueArn] });

/**
 * Lets a deployment leave the source map of a bundle where it leaves the code: in the account's bucket for assets, as
 * `<bundle id>.map`. A map inside the asset would more than double it, and an event of at most 1 kB has no place for frames with
 * the names of sources: it holds positions, and `trace resolve` turns them into places. So the map of whatever once ran is found by the id that stands in its stacks.
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
