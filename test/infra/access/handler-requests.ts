import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PolicyRequest } from 'serve-stack/services';
import type { DeployedResource } from './deployed-resources.ts';

export type Verb = 'create' | 'read' | 'update' | 'delete' | 'tag';

/**
 * What the published schemas of the resource types, of August 2026, say that their handlers ask for. The packages that the
 * project has leave that part of the schemas out.
 */
export const handlerPermissions: Readonly<Record<string, Readonly<Partial<Record<Verb, readonly string[]>>>>> =
  JSON.parse(readFileSync(join(import.meta.dirname, 'handler-permissions.json'), 'utf8'));

/** What handlers ask for only for the sake of properties that no resource of the stack has. */
export const notAskedFor: Readonly<Record<string, string>> = {
  'kms:*': 'nothing is encrypted with a key of its own',
  'ec2:*': 'no function is in a network of its own',
  'elasticfilesystem:*': 'no function has a file system',
  's3files:*': 'no function has a file system',
  'application-autoscaling:*': 'tables are paid per request',
  'kinesis:*': 'no table streams to Kinesis',
  'dynamodb:*KinesisStreamingDestination': 'no table streams to Kinesis',
  'dynamodb:*Item': 'no table has replicas to fill',
  'dynamodb:Query': 'no table has replicas to fill',
  'dynamodb:Scan': 'no table has replicas to fill',
  'cloudwatch:PutMetricData': 'no table has replicas to measure',
  'lambda:*CodeSigningConfig': 'code is not signed',
  'lambda:GetLayerVersion': 'functions have no layers',
  'lambda:PassCapacityProvider': 'functions have no capacity provider',
  'lambda:PutFunctionScalingConfig': 'functions have no capacity provider',
  'lambda:*ProvisionedConcurrencyConfig': 'no version has provisioned concurrency',
  'lambda:PutRuntimeManagementConfig': 'runtimes are updated by Lambda',
  'logs:*IndexPolicy': 'log groups have no index policy',
  'logs:*DataProtectionPolicy': 'log groups have no data protection policy',
  'logs:*KmsKey': 'nothing is encrypted with a key of its own',
  'logs:*LogDelivery': 'no service delivers logs by itself',
  'logs:*teResourcePolicy': 'log groups have no resource policy',
  'logs:PutResourcePolicy': 'log groups have no resource policy',
  's3:REST.PUT.OBJECT': 'no service delivers logs by itself',
  'firehose:*': 'no service delivers logs by itself',
  'sns:PutDataProtectionPolicy': 'topics have no data protection policy',
  'iam:DeleteRolePermissionsBoundary': 'every role keeps its boundary',
  'codedeploy:RegisterOnPremisesInstance': 'CodeDeploy moves aliases alone',
  'elasticloadbalancing:*': 'the web ACL is for an API alone',
  'appsync:*': 'the web ACL is for an API alone',
  'cognito-idp:*': 'the web ACL is for an API alone',
  'apprunner:*': 'the web ACL is for an API alone',
  'amplify:*': 'the web ACL is for an API alone',
  'bedrock-agentcore:*': 'the web ACL is for an API alone',
  'wafv2:*PermissionPolicy': 'rule groups alone have such a policy, and the web ACL has none',
};

const isNotAskedFor = (action: string): boolean =>
  Object.keys(notAskedFor).some((pattern) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(action));

/** Where the environment of the tests is. */
export type Place = { readonly account: string; readonly region: string };

/** What CloudFormation asks for when it does something with a resource, as IAM sees it. */
export const requestsIn =
  (place: Place) =>
  (resource: DeployedResource, verb: Verb): readonly PolicyRequest[] => {
    const permissions = handlerPermissions[resource.type]?.[verb] ?? [];
    return permissions
      .filter((action) => !isNotAskedFor(action))
      .flatMap((action) => requestFor(place, resource, action.replace('Describe*', 'DescribeTable')));
  };

const requestFor = (place: Place, resource: DeployedResource, action: string): PolicyRequest[] => {
  const { type, physicalId, properties } = resource;
  if (action === 'iam:PassRole' || action === 'iam:GetRole') {
    const role = type === 'AWS::IAM::Role' ? roleArn(place, physicalId) : passedRole(properties);
    if (role === undefined) return [];
    return [{ action, resource: role, iam: { 'iam:passedtoservice': servicesThatTakeRoles[type] ?? '' } }];
  }
  if (action === 'iam:CreateServiceLinkedRole') {
    const service = servicesWithOwnRole[type];
    if (!service) return [];
    const resourceArn = `arn:aws:iam::${place.account}:role/aws-service-role/${service}/AWSServiceRole`;
    return [{ action, resource: resourceArn, iam: { 'iam:awsservicename': service } }];
  }
  if (action === 's3:GetObject' || action === 's3:GetObjectVersion') {
    const { S3Bucket, S3Key } = (properties.Code ?? {}) as { S3Bucket?: string; S3Key?: string };
    return S3Bucket ? [{ action, resource: `arn:aws:s3:::${S3Bucket}/${S3Key}` }] : [];
  }
  const { PermissionsBoundary: boundary, FunctionName: functionName } = properties;
  return resourcesFor(place, resource, action).map((each) => ({
    action,
    resource: each,
    ...(typeof boundary === 'string' && { iam: { 'iam:permissionsboundary': boundary } }),
    ...(type === 'AWS::Lambda::EventSourceMapping' && {
      iam: { 'lambda:functionarn': `arn:aws:lambda:${place.region}:${place.account}:function:${functionName}` },
    }),
  }));
};

/** Actions that name no resource, or that CloudWatch wants allowed for all. */
const unnamed = [
  ...['cloudwatch:DescribeAlarms', 'cloudwatch:PutCompositeAlarm', 'cloudwatch:DescribeInsightRules'],
  ...['logs:DescribeLogGroups', 'logs:DescribeResourcePolicies'],
  'lambda:CreateEventSourceMapping',
];

const resourcesFor = (place: Place, resource: DeployedResource, action: string): string[] => {
  const { type, physicalId, properties } = resource;
  const [service = ''] = action.split(':');
  const arn = (rest: string, of = service) => `arn:aws:${of}:${place.region}:${place.account}:${rest}`;
  if (unnamed.includes(action) || type === 'AWS::Logs::QueryDefinition') return ['*'];
  const last = (value: unknown) => String(value).split(':').at(-1);
  switch (service) {
    case 'apigateway':
      return [`arn:aws:apigateway:${place.region}::${gatewayPaths[type] ?? '/restapis/a1b2c3/any'}`];
    case 'iam':
      return [roleArn(place, physicalId)];
    case 'dynamodb':
      return [arn(`table/${physicalId}`)];
    case 'sqs':
      return [properties.Queues ?? physicalId].flat().map((queue) => arn(String(queue).split('/').at(-1) ?? ''));
    case 'lambda':
      if (type === 'AWS::Lambda::EventSourceMapping') return [arn('event-source-mapping:a1b2c3')];
      return [arn(`function:${properties.FunctionName === undefined ? physicalId : last(properties.FunctionName)}`)];
    case 'logs':
      return [arn(`log-group:${physicalId}`)];
    case 'sns':
      return [properties.Topics ?? properties.TopicArn ?? physicalId].flat().map((topic) => arn(String(last(topic))));
    case 'cloudwatch':
      if (type === 'AWS::CloudWatch::Dashboard')
        return [`arn:aws:cloudwatch::${place.account}:dashboard/${physicalId}`];
      return [arn(type === 'AWS::CloudWatch::InsightRule' ? `insight-rule/${physicalId}` : `alarm:${physicalId}`)];
    case 'events':
      return [arn(`${eventKinds[type]}/${physicalId}`)];
    case 'codedeploy':
      if (action.endsWith('DeploymentConfig')) return [arn('deploymentconfig:CodeDeployDefault.AllAtOnce')];
      if (/Revision|Application/.test(action) || type.endsWith('Application'))
        return [arn(`application:${stackPart(physicalId)}`)];
      return [arn(`deploymentgroup:${stackPart(physicalId)}/${physicalId}`)];
    case 'wafv2':
      return webAclResources(place, resource, action);
    default:
      return [`nobody knows the resource of ${action}`];
  }
};

/**
 * What WAF checks, by its reference of actions. Where a request names the protected resource alone, it asks for all web
 * ACLs. One without a name gets one of its logical id, in which the stack does not occur.
 */
const webAclResources = (place: Place, { type, logicalId, properties }: DeployedResource, action: string): string[] => {
  const acl = (name: string) => `arn:aws:wafv2:${place.region}:${place.account}:regional/webacl/${name}`;
  const stage = `arn:aws:apigateway:${place.region}::/restapis/a1b2c3/stages/v1`;
  const { Name = `${logicalId}-1A2B3C4D5E6F`, WebACLArn } = properties;
  const own = acl(`${type === 'AWS::WAFv2::WebACL' ? Name : String(WebACLArn).split(':').at(-1)}/a1b2c3`);
  switch (action) {
    case 'wafv2:AssociateWebACL':
      return [own, stage];
    case 'wafv2:DisassociateWebACL':
      return [stage];
    case 'wafv2:GetWebACLForResource':
      return [acl('*'), stage];
    default:
      return [own];
  }
};

/** An application of CodeDeploy has the name of the stack in front, too. */
const stackPart = (physicalId: string): string => physicalId.replace(/-Deployments.*/, '-Deployments');

const roleArn = ({ account }: Place, name: string): string => `arn:aws:iam::${account}:role/${name}`;

const passedRole = ({ RoleArn, Role, CloudWatchRoleArn, ServiceRoleArn }: Readonly<Record<string, unknown>>) =>
  [RoleArn, Role, CloudWatchRoleArn, ServiceRoleArn].find((each) => typeof each === 'string') as string | undefined;

const servicesThatTakeRoles: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::Account': 'apigateway.amazonaws.com',
  'AWS::CodeDeploy::DeploymentGroup': 'codedeploy.amazonaws.com',
  'AWS::Lambda::Function': 'lambda.amazonaws.com',
};

const servicesWithOwnRole: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::DomainName': 'ops.apigateway.amazonaws.com',
  'AWS::ApiGateway::RestApi': 'ops.apigateway.amazonaws.com',
  'AWS::DynamoDB::GlobalTable': 'replication.dynamodb.amazonaws.com',
};

const gatewayPaths: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::Account': '/account',
  'AWS::ApiGateway::BasePathMapping': '/domainnames/api.example.com/basepathmappings',
  'AWS::ApiGateway::DomainName': '/domainnames/api.example.com',
};

const eventKinds: Readonly<Record<string, string>> = {
  'AWS::Events::Archive': 'archive',
  'AWS::Events::EventBus': 'event-bus',
  'AWS::Events::EventBusPolicy': 'event-bus',
  'AWS::Events::Rule': 'rule',
};
