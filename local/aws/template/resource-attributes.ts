import { tableArn } from '../dynamodb/required-access.ts';
import { physicalTableName } from '../dynamodb/tables.ts';
import { arnOf, roleArn } from './account.ts';
import type { Attributes, AttributesOf } from './intrinsics.ts';
import type { NamedResource, Stack } from './template.ts';

export const apiId = 'local';
export const rootResourceId = 'root';

/** What the resources of a stack answer to `Ref` (under the empty name) and `Fn::GetAtt` on this machine. */
export const createAttributesOf = ({ name: stackName }: Stack, tablePrefix: string): AttributesOf => {
  const nameOf = ({ logicalId, Properties }: NamedResource, nameProperty: string) =>
    String(Properties?.[nameProperty] ?? `${stackName}-${logicalId}`);

  const named = (name: string, arn: string): Attributes => ({ '': name, Arn: arn });

  const table = (resource: NamedResource) => {
    const name = physicalTableName(resource, tablePrefix);
    // The stream's own name is the time of its creation; a table here has but one.
    return { ...named(name, tableArn(name)), StreamArn: `${tableArn(name)}/stream/local` };
  };

  const alarm = (resource: NamedResource) => {
    const name = nameOf(resource, 'AlarmName');
    return named(name, arnOf('cloudwatch', `alarm:${name}`));
  };

  const byType: Readonly<Record<string, (resource: NamedResource) => Attributes>> = {
    'AWS::ApiGateway::Deployment': () => ({ '': 'local' }),
    'AWS::ApiGateway::Resource': ({ logicalId }) => ({ '': logicalId }),
    'AWS::ApiGateway::RestApi': () => ({ '': apiId, RootResourceId: rootResourceId }),
    'AWS::ApiGateway::Stage': ({ Properties }) => ({ '': String(Properties?.StageName) }),
    'AWS::CloudWatch::Alarm': alarm,
    'AWS::CloudWatch::CompositeAlarm': alarm,
    'AWS::CloudWatch::Dashboard': (resource) => ({ '': nameOf(resource, 'DashboardName') }),
    'AWS::CloudWatch::InsightRule': (resource) => {
      const name = nameOf(resource, 'RuleName');
      return { '': name, RuleName: name, Arn: arnOf('cloudwatch', `insight-rule/${name}`) };
    },
    'AWS::DynamoDB::GlobalTable': table,
    'AWS::DynamoDB::Table': table,
    'AWS::Events::EventBus': (resource) => {
      const name = nameOf(resource, 'Name');
      return named(name, arnOf('events', `event-bus/${name}`));
    },
    'AWS::Events::Rule': (resource) => {
      const name = nameOf(resource, 'Name');
      return named(name, arnOf('events', `rule/${name}`));
    },
    'AWS::IAM::Role': (resource) => {
      const name = nameOf(resource, 'RoleName');
      return named(name, roleArn(name));
    },
    'AWS::Lambda::Function': (resource) => {
      const name = nameOf(resource, 'FunctionName');
      return named(name, arnOf('lambda', `function:${name}`));
    },
    'AWS::Logs::LogGroup': (resource) => {
      const name = nameOf(resource, 'LogGroupName');
      return named(name, arnOf('logs', `log-group:${name}:*`));
    },
    'AWS::Logs::QueryDefinition': ({ logicalId }) => ({ '': logicalId, QueryDefinitionId: logicalId }),
    'AWS::SNS::Topic': (resource) => {
      const name = nameOf(resource, 'TopicName');
      return { '': arnOf('sns', name), TopicArn: arnOf('sns', name), TopicName: name };
    },
  };
  return (logicalId, resource) => byType[resource.Type]?.({ logicalId, ...resource });
};
