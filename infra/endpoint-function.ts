import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/schema.ts';
import { requirementsOf } from '../lambdas/api/chain.ts';
import type { Endpoint, Requirements } from '../lambdas/api/endpoint.ts';
import { type Setting, settingVariable, tableVariable } from '../lambdas/api/environment-variables.ts';
import type { TableAction, TableName } from '../lambdas/api/tables.ts';
import type { Tables } from './tables.ts';

export type EndpointFunctionProps = {
  readonly endpoint: Endpoint;
  readonly handlerFolder: string;
  readonly tables: Tables;
  readonly config: StageConfig;
};

/** The function behind one endpoint. It may do, and is told, exactly what its row and its chain require. */
export class EndpointFunction extends Construct {
  readonly function: LambdaFunction;

  /** @param operationId also the construct id */
  constructor(
    scope: Construct,
    operationId: string,
    { endpoint, handlerFolder, tables, config }: EndpointFunctionProps,
  ) {
    super(scope, operationId);
    const requirements = requirementsOf(endpoint);
    const logGroup = new LogGroup(this, 'LogGroup', { retention: config.logRetentionDays });

    this.function = new LambdaFunction(this, 'Function', {
      functionName: `${Stack.of(this).stackName}-${operationId}`,
      description: endpoint.summary,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(handlerFolder),
      handler: 'index.handler',
      memorySize: 512,
      timeout: Duration.seconds(5),
      role: new Role(this, 'Role', {
        assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
        inlinePolicies: { Requirements: policyFor(requirements, tables, logGroup) },
      }),
      environment: environmentFor(requirements, tables, config),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      // Silences START, END and REPORT: one line per request is the function's own.
      systemLogLevelV2: SystemLogLevel.WARN,
    });
  }
}

const policyFor = ({ tableActions }: Requirements, tables: Tables, logGroup: ILogGroup) =>
  new PolicyDocument({
    statements: [
      ...tableEntries(tableActions).map(
        ([table, actions]) =>
          new PolicyStatement({
            actions: actions.map((action) => `dynamodb:${action}`),
            resources: [tables[table].tableArn],
          }),
      ),
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    ],
  });

const environmentFor = ({ tableActions, settings }: Requirements, tables: Tables, config: StageConfig) =>
  Object.fromEntries([
    ...tableEntries(tableActions).map(([table]) => [tableVariable(table), tables[table].tableName]),
    ...settings.map((setting) => [settingVariable(setting), settingValues[setting](config)]),
  ]);

const settingValues: Readonly<Record<Setting, (config: StageConfig) => string>> = {
  requiredConsentVersion: ({ consent }) => String(consent.requiredVersion),
  consentPortalUrl: ({ consent }) => consent.portalUrl,
};

const tableEntries = (tableActions: Requirements['tableActions']) =>
  Object.entries(tableActions) as [TableName, readonly TableAction[]][];
