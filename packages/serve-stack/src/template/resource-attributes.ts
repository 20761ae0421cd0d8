import { constructNamesOf } from './construct-names.ts';
import { arnOf, type Environment, roleArn } from './environment.ts';
import { tableArn, tablesIn } from './table-names.ts';
import type { NamedResource, Stack } from './template.ts';

/** Holds what `Ref` and `Fn::GetAtt` say of a resource: its `Ref` under the empty name. */
export type Attributes = Readonly<Record<string, string>>;

/** Knows the attributes of resources on this machine; `undefined` for a type that the local run does not know. */
export type AttributesOf = (resource: NamedResource) => Attributes | undefined;

export const apiId = 'local';
export const rootResourceId = 'root';

/** The version that a function gets where its template publishes one: the first, as in an account that knew it not. */
export const onlyVersion = '1';

/** Holds what a run gives to names: of tables, and of the place where queues are found. */
export type Place = {
  /** Stands before the names of tables; without it, a table that names itself keeps its name, and others have the stack's. */
  readonly tablePrefix?: string | undefined;
  /** The address in the URLs of queues; without it, that of AWS. */
  readonly queueEndpoint?: string | undefined;
};

/** Knows the resources of a stack; `resolve` resolves the intrinsics in their names. */
export const createAttributesOf = (
  { name: stackName, environment, template }: Stack,
  { tablePrefix, queueEndpoint = `https://sqs.${environment.region}.amazonaws.com` }: Place,
  resolve: (value: unknown) => unknown,
): AttributesOf => {
  const constructNames = constructNamesOf(tablesIn(template));

  const nameOf = ({ logicalId, Properties }: NamedResource, nameProperty: string) =>
    String(resolve(Properties?.[nameProperty] ?? `${stackName}-${logicalId}`));

  const named = (name: string, arn: string): Attributes => ({ '': name, Arn: arn });

  const table = ({ logicalId, Properties }: NamedResource) => {
    const name = Properties?.TableName
      ? `${tablePrefix ?? ''}${resolve(Properties.TableName)}`
      : `${tablePrefix ?? `${stackName}-`}${constructNames.get(logicalId)}`;
    const arn = tableArn(environment, name);
    // The stream's own name is the time of its creation; a table here has but one.
    return { ...named(name, arn), StreamArn: `${arn}/stream/local` };
  };

  const alarm = (resource: NamedResource) => {
    const name = nameOf(resource, 'AlarmName');
    return named(name, arnOf(environment, 'cloudwatch', `alarm:${name}`));
  };

  const byType: Readonly<Record<string, (resource: NamedResource) => Attributes>> = {
    'AWS::ApiGateway::Deployment': () => ({ '': 'local' }),
    'AWS::ApiGateway::Resource': ({ logicalId }) => ({ '': logicalId }),
    'AWS::ApiGateway::RestApi': () => ({ '': apiId, RootResourceId: rootResourceId }),
    'AWS::ApiGateway::Stage': ({ Properties }) => ({ '': String(resolve(Properties?.StageName)) }),
    'AWS::CloudWatch::Alarm': alarm,
    'AWS::CloudWatch::CompositeAlarm': alarm,
    'AWS::CloudWatch::Dashboard': (resource) => ({ '': nameOf(resource, 'DashboardName') }),
    'AWS::CloudWatch::InsightRule': (resource) => {
      const name = nameOf(resource, 'RuleName');
      return { '': name, RuleName: name, Arn: arnOf(environment, 'cloudwatch', `insight-rule/${name}`) };
    },
    'AWS::DynamoDB::GlobalTable': table,
    'AWS::DynamoDB::Table': table,
    'AWS::Events::EventBus': (resource) => {
      const name = nameOf(resource, 'Name');
      return named(name, arnOf(environment, 'events', `event-bus/${name}`));
    },
    'AWS::Events::EventBusPolicy': ({ logicalId }) => ({ '': logicalId }),
    'AWS::Events::Rule': (resource) => {
      const name = nameOf(resource, 'Name');
      return named(name, arnOf(environment, 'events', `rule/${name}`));
    },
    'AWS::IAM::Role': (resource) => {
      const name = nameOf(resource, 'RoleName');
      return named(name, roleArn(environment, name));
    },
    'AWS::KMS::Key': ({ logicalId }) => ({
      '': logicalId,
      KeyId: logicalId,
      Arn: arnOf(environment, 'kms', `key/${logicalId}`),
    }),
    'AWS::Lambda::Alias': ({ Properties }) => {
      const arn = `${functionArnOf(environment, resolve(Properties?.FunctionName))}:${resolve(Properties?.Name)}`;
      return { '': arn, AliasArn: arn };
    },
    'AWS::Lambda::EventSourceMapping': ({ logicalId }) => ({
      '': logicalId,
      Arn: arnOf(environment, 'lambda', `event-source-mapping:${logicalId}`),
    }),
    'AWS::Lambda::Function': (resource) => {
      const name = nameOf(resource, 'FunctionName');
      return named(name, functionArnOf(environment, name));
    },
    'AWS::Lambda::Version': ({ Properties }) => {
      const arn = `${functionArnOf(environment, resolve(Properties?.FunctionName))}:${onlyVersion}`;
      return { '': arn, FunctionArn: arn, Version: onlyVersion };
    },
    'AWS::Logs::LogGroup': (resource) => {
      const name = nameOf(resource, 'LogGroupName');
      return named(name, arnOf(environment, 'logs', `log-group:${name}:*`));
    },
    'AWS::Logs::QueryDefinition': ({ logicalId }) => ({ '': logicalId, QueryDefinitionId: logicalId }),
    'AWS::SQS::Queue': (resource) => {
      const suffix = resource.Properties?.FifoQueue && !resource.Properties.QueueName ? '.fifo' : '';
      const QueueName = `${nameOf(resource, 'QueueName')}${suffix}`;
      const url = `${queueEndpoint}/${environment.accountId}/${QueueName}`;
      return { '': url, QueueUrl: url, QueueName, Arn: arnOf(environment, 'sqs', QueueName) };
    },
    'AWS::SNS::Topic': (resource) => {
      const name = nameOf(resource, 'TopicName');
      const arn = arnOf(environment, 'sns', name);
      return { '': arn, TopicArn: arn, TopicName: name };
    },
  };
  return (resource) => byType[resource.Type]?.(resource);
};

/** A function goes by its name or by its ARN. */
const functionArnOf = (environment: Environment, nameOrArn: unknown): string =>
  String(nameOrArn).startsWith('arn:') ? String(nameOrArn) : arnOf(environment, 'lambda', `function:${nameOrArn}`);
