import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import type { PolicyRequest } from 'serve-stack/services';
import { stackName, type Template } from '../synthesized.ts';

/** The account and region of the tests' environment. */
type Place = { readonly account: string; readonly region: string };

/**
 * Returns the requests that CloudFormation sends when it creates or changes a resource, as IAM sees them: to the resource's
 * service, one action for each ARN that is checked, and the actions that name no resource; and all requests to other services.
 */
export const requestsFor = (place: Place, resource: DeployedResource): PolicyRequest[] => [
  ...ofService(place, resource),
  ...ofRole(place, resource),
];

const ofService = ({ account, region }: Place, resource: DeployedResource): PolicyRequest[] => {
  const { type, logicalId, physicalId, properties } = resource;
  const [, service = '', kind = ''] = type.split('::');
  const of = service.toLowerCase();
  const arn = (rest: string) => `arn:aws:${of}:${region}:${account}:${rest}`;
  const gateway = (path: string) => `arn:aws:apigateway:${region}::${path}`;
  const ask = (action: string, on: unknown, iam?: Readonly<Record<string, string>>): PolicyRequest[] =>
    [on].flat().map((each) => ({ action, resource: String(each), ...(iam && { iam }) }));
  const last = (value: unknown) => String(value).split(/[:/]/).at(-1) ?? '';
  switch (service) {
    case 'ApiGateway':
      return ask('apigateway:PATCH', gateway(gatewayPaths[kind] ?? '/restapis/a1b2c3/any'));
    case 'CloudWatch':
      if (kind === 'Dashboard')
        return ask('cloudwatch:PutDashboard', `arn:aws:cloudwatch::${account}:dashboard/${physicalId}`);
      if (kind === 'CompositeAlarm') return ask('cloudwatch:PutCompositeAlarm', '*');
      return [
        ...ask('cloudwatch:TagResource', arn(`${kind === 'Alarm' ? 'alarm:' : 'insight-rule/'}${physicalId}`)),
        ...ask(`cloudwatch:Describe${kind}s`, '*'),
      ];
    case 'CodeDeploy': {
      // The name of an application also begins with the stack's name.
      const application = physicalId.replace(/-Deployments.*/, '-Deployments');
      if (kind === 'Application') return ask('codedeploy:CreateApplication', arn(`application:${application}`));
      return ask('codedeploy:CreateDeployment', arn(`deploymentgroup:${application}/${physicalId}`));
    }
    case 'DynamoDB':
      return [
        ...ask('dynamodb:UpdateTable', arn(`table/${physicalId}`)),
        ...['ScalableTargets', 'ScalingPolicies'].flatMap((what) =>
          ask(`application-autoscaling:Describe${what}`, '*'),
        ),
      ];
    case 'Events':
      if (kind === 'EventBusPolicy') return ask('events:PutPermission', '*');
      return ask(`events:Put${kind}`, arn(`${eventKinds[kind]}/${physicalId}`));
    case 'IAM':
      if (kind === 'ManagedPolicy')
        return ['Create', 'Get', 'Delete'].flatMap((verb) =>
          ask(`iam:${verb}Policy`, `arn:aws:iam::${account}:policy/${physicalId}`),
        );
      return [
        ...ask('iam:CreateRole', roleArn(account, physicalId), boundaryOf(properties)),
        ...ask('iam:PutRolePolicy', roleArn(account, physicalId), boundaryOf(properties)),
        ...ask('iam:AttachRolePolicy', roleArn(account, physicalId), boundaryOf(properties)),
        ...ask('iam:UpdateAssumeRolePolicy', roleArn(account, physicalId)),
      ];
    case 'KMS':
      return ask('kms:CreateKey', '*', { 'kms:keyspec': String(properties.KeySpec) });
    case 'Lambda': {
      const { FunctionName: name = physicalId, Code } = properties;
      const functionArn = arn(`function:${last(name)}`);
      if (kind === 'EventSourceMapping')
        return ask('lambda:CreateEventSourceMapping', '*', { 'lambda:functionarn': functionArn });
      if (kind === 'EventInvokeConfig') return ask('lambda:PutFunctionEventInvokeConfig', functionArn);
      const { S3Bucket, S3Key } = (Code ?? {}) as { S3Bucket?: string; S3Key?: string };
      return [
        ...ask(`lambda:Publish${kind}`, functionArn),
        ...(S3Bucket ? ask('s3:GetObject', `arn:aws:s3:::${S3Bucket}/${S3Key}`) : []),
        ...(kind === 'Alias' ? ask('codedeploy:StopDeployment', '*') : []),
      ];
    }
    case 'Logs':
      if (kind === 'QueryDefinition') return ask('logs:PutQueryDefinition', '*');
      return ask('logs:PutRetentionPolicy', arn(`log-group:${physicalId}`));
    case 'SNS':
      return ask('sns:Subscribe', [properties.Topics ?? properties.TopicArn ?? physicalId].flat().map(last).map(arn));
    case 'SQS':
      return ask('sqs:SetQueueAttributes', [properties.Queues ?? physicalId].flat().map(last).map(arn));
    case 'WAFv2': {
      // A generated name contains the logical id, but not the stack's name.
      const { Name = `${logicalId}-1A2B3C4D5E6F`, WebACLArn } = properties;
      const stage = gateway('/restapis/a1b2c3/stages/v1');
      if (kind === 'IPSet') return ask('wafv2:CreateIPSet', arn(`regional/ipset/${Name}/a1b2c3`));
      if (kind === 'WebACL') return ask('wafv2:CreateWebACL', arn(`regional/webacl/${Name}/a1b2c3`));
      return [
        ...ask('wafv2:AssociateWebACL', [arn(`regional/webacl/${String(WebACLArn).split(':').at(-1)}/a1b2c3`), stage]),
        ...ask('wafv2:GetWebACLForResource', [arn('regional/webacl/*'), stage]),
        ...ask('apigateway:SetWebACL', stage),
      ];
    }
    default:
      return ask(`${of}:nobody knows what ${type} asks for`, physicalId);
  }
};

const roleArn = (account: string, name: string): string => `arn:aws:iam::${account}:role/${name}`;

const boundaryOf = ({ PermissionsBoundary: boundary }: DeployedResource['properties']) =>
  typeof boundary === 'string' ? { 'iam:permissionsboundary': boundary } : undefined;

/** The requests for a role that is passed to a service, and for the service-linked role that the service creates. */
const ofRole = ({ account }: Place, { type, properties }: DeployedResource): PolicyRequest[] => {
  const { Role, CloudWatchRoleArn, ServiceRoleArn } = properties;
  const passed = [Role, CloudWatchRoleArn, ServiceRoleArn].filter((each) => typeof each === 'string');
  const [, service = ''] = type.toLowerCase().split('::');
  const own = servicesWithOwnRole[type];
  return [
    ...passed.map((resource) => ({
      action: 'iam:PassRole',
      resource,
      iam: { 'iam:passedtoservice': `${service}.amazonaws.com` },
    })),
    ...(own === undefined
      ? []
      : [
          {
            action: 'iam:CreateServiceLinkedRole',
            resource: roleArn(account, `aws-service-role/${own}/AWSServiceRole`),
            iam: { 'iam:awsservicename': own },
          },
        ]),
  ];
};

const servicesWithOwnRole: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::DomainName': 'ops.apigateway.amazonaws.com',
  'AWS::ApiGateway::RestApi': 'ops.apigateway.amazonaws.com',
  'AWS::DynamoDB::GlobalTable': 'replication.dynamodb.amazonaws.com',
  'AWS::KMS::Key': 'mrk.kms.amazonaws.com',
};

const gatewayPaths: Readonly<Record<string, string>> = {
  Account: '/account',
  BasePathMapping: '/domainnames/api.example.com/basepathmappings',
  DomainName: '/domainnames/api.example.com',
};

const eventKinds: Readonly<Record<string, string>> = { Archive: 'archive', EventBus: 'event-bus', Rule: 'rule' };

/** A resource of a stack, with the name that CloudFormation gave it. */
export type DeployedResource = {
  readonly logicalId: string;
  readonly type: string;
  readonly physicalId: string;
  readonly properties: Readonly<Record<string, unknown>>;
};

/** Returns the resources of a template as in an account: with names, and with their intrinsic functions resolved. */
export const deployedResourcesOf = (template: Template, place: Place): DeployedResource[] => {
  const entries = Object.entries(template.Resources);
  const named = entries.map(([logicalId, { Type, Properties = {} }]) => {
    const fixed = Properties[namePropertyOf(Type) ?? ''];
    return [logicalId, typeof fixed === 'string' ? fixed : `${stackName}-${logicalId}-1A2B3C4D5E6F`] as const;
  });
  const resolve = resolver(template, new Map(named), place);
  return named.map(([logicalId, physicalId]) => {
    const { Type: type = '', Properties = {} } = template.Resources[logicalId] ?? {};
    return { logicalId, type, physicalId, properties: resolve(Properties) as DeployedResource['properties'] };
  });
};

const database = loadAwsServiceSpecSync();

/** Returns the property with a resource's name, if its type has one. */
const namePropertyOf = (type: string): string | undefined => {
  const known = database.lookup('resource', 'cloudFormationType', 'equals', type)[0];
  const [only = '', ...others] = known?.primaryIdentifier ?? [];
  return others.length === 0 && known?.properties[only]?.causesReplacement === 'yes' ? only : undefined;
};

const resolver = ({ Resources }: Template, physicalIds: ReadonlyMap<string, string>, { account, region }: Place) => {
  const pseudoParameters: Readonly<Record<string, string>> = {
    'AWS::AccountId': account,
    'AWS::Partition': 'aws',
    'AWS::Region': region,
    'AWS::StackName': stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };
  const attribute = ([logicalId = '', name]: readonly string[]): string => {
    const physicalId = physicalIds.get(logicalId) ?? logicalId;
    if (name !== 'Arn') return `${physicalId}.${name}`;
    const { Type = '' } = Resources[logicalId] ?? {};
    if (Type === 'AWS::IAM::Role') return `arn:aws:iam::${account}:role/${physicalId}`;
    return `arn:aws:${Type.split('::')[1]?.toLowerCase()}:${region}:${account}:${physicalId}`;
  };
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const [[name, argument] = ['', undefined], ...others] = Object.entries(value);
    if (others.length === 0) {
      if (name === 'Ref') return pseudoParameters[argument] ?? physicalIds.get(argument) ?? argument;
      if (name === 'Fn::GetAtt') return attribute(argument);
      if (name === 'Fn::Join') return (resolve(argument[1]) as unknown[]).join(argument[0]);
      if (name === 'Fn::Select') return (resolve(argument[1]) as unknown[])[Number(argument[0])];
      if (name === 'Fn::Split') return String(resolve(argument[1])).split(argument[0]);
    }
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolve(each)]));
  };
  return resolve;
};
