import { stackNameOf } from '../../config/schema.ts';
import { assetsArnOf, bootstrapParameterArnOf } from './bootstrap.ts';
import { accessStackNameOf, arnOf, boundaryNameOf, iamArnOf, type Scope, type Statement } from './boundary.ts';

/**
 * Returns the rights of CloudFormation during a deployment. It may take every action of a service, but only on resources that
 * are named after the stage; where a service does not support such names, it may take only the actions that a deployment needs.
 * It can create roles only with the boundary, which no statement here can change or remove, and it cannot access rows, messages
 * or log lines.
 */
export const executionPolicies = (scope: Scope): Readonly<Record<'services' | 'roles', readonly Statement[]>> => ({
  services: [...ofServices(scope), ...ofKeys(scope), ...ofMappings(scope), ...unnamed(scope)],
  roles: [...ofRoles(scope), ...ofRolesOfServices(scope), ...denied(scope)],
});

/** Returns the ARNs of the policies with these rights. The access stack creates the policies. */
export const executionPolicyArnsOf = (scope: Scope): string[] =>
  Object.keys(executionPolicies(scope)).map((name) => iamArnOf(scope, `policy/${executionPolicyNameOf(scope, name)}`));

export const executionPolicyNameOf = (scope: Scope, name: string): string =>
  `${accessStackNameOf(scope)}-execution-${name}`;

/** Rights on the resources that are named after the stage, by service. */
const ofServices = (scope: Scope): Statement[] => {
  const stack = stackNameOf(scope.stage);
  const all = (service: string, resources: readonly string[]): Statement => ({ actions: [`${service}:*`], resources });
  const named = (service: string, ...kinds: readonly string[]) =>
    kinds.map((kind) => arnOf(scope, service, `${kind}${stack}-*`));
  return [
    all('cloudwatch', [
      ...named('cloudwatch', 'alarm:', 'insight-rule/'),
      // Dashboards have no region.
      `arn:${scope.partition}:cloudwatch::${scope.account}:dashboard/${stack}-*`,
    ]),
    // The nested stacks.
    all('cloudformation', named('cloudformation', 'stack/')),
    all('codedeploy', named('codedeploy', 'application:', 'deploymentgroup:')),
    all('dynamodb', named('dynamodb', 'table/')),
    all('events', [
      ...named('events', 'archive/', 'event-bus/', 'rule/'),
      // Some reports say that the names of archives begin with the logical id.
      ...['Notices*', 'Integrations*'].map((logicalId) => arnOf(scope, 'events', `archive/${logicalId}`)),
    ]),
    all('lambda', named('lambda', 'function:')),
    all('logs', named('logs', 'log-group:')),
    all('sns', named('sns', '')),
    all('sqs', named('sqs', '')),
    all('wafv2', named('wafv2', 'regional/ipset/', 'regional/webacl/')),
  ];
};

/** KMS generates the ids of keys, so the rights are limited to a kind of key: HMAC keys, with which no data is encrypted. */
const ofKeys = (scope: Scope): Statement[] => {
  const keys = [arnOf(scope, 'kms', 'key/*')];
  const conditions = { StringEquals: { 'kms:KeySpec': 'HMAC_256' } };
  return [
    { actions: ['kms:CreateKey'], resources: ['*'], conditions },
    {
      actions: [
        ...['kms:CancelKeyDeletion', 'kms:DescribeKey', 'kms:DisableKey', 'kms:DisableKeyRotation', 'kms:EnableKey'],
        ...['kms:EnableKeyRotation', 'kms:GetKeyPolicy', 'kms:GetKeyRotationStatus', 'kms:ListResourceTags'],
        ...['kms:PutKeyPolicy', 'kms:ScheduleKeyDeletion', 'kms:UntagResource', 'kms:UpdateKeyDescription'],
      ],
      resources: keys,
      conditions,
    },
    // Needed while the key is created, when KMS may not know its kind yet.
    { actions: ['kms:TagResource'], resources: keys },
  ];
};

/** Lambda generates the ids of mappings, and passes the target function to IAM as a condition key. */
const ofMappings = (scope: Scope): Statement[] => {
  const mappings = [arnOf(scope, 'lambda', 'event-source-mapping:*')];
  const functions = arnOf(scope, 'lambda', `function:${stackNameOf(scope.stage)}-*`);
  const conditions = { ArnLike: { 'lambda:FunctionArn': [functions] } };
  return [
    { actions: ['lambda:CreateEventSourceMapping'], resources: ['*'], conditions },
    {
      actions: ['Delete', 'Get', 'Update'].map((verb) => `lambda:${verb}EventSourceMapping`),
      resources: mappings,
      conditions,
    },
    { actions: ['lambda:ListTags', 'lambda:TagResource', 'lambda:UntagResource'], resources: mappings },
  ];
};

/** Rights on resources that a policy cannot select by the stage's name. */
const unnamed = (scope: Scope): Statement[] => {
  const gateway = (...paths: readonly string[]) =>
    paths.map((path) => `arn:${scope.partition}:apigateway:${scope.region}::${path}`);
  const apis = gateway('/restapis', '/restapis/*');
  return [
    // API Gateway generates the ids of APIs.
    {
      actions: ['apigateway:*'],
      resources: [...apis, ...gateway('/account', '/domainnames', '/domainnames/*', '/tags/*')],
    },
    {
      actions: ['wafv2:AssociateWebACL', 'wafv2:DisassociateWebACL', 'wafv2:GetWebACL', 'wafv2:GetWebACLForResource'],
      resources: apis,
    },
    // GetWebACLForResource needs all web ACLs, since its request does not name one.
    { actions: ['wafv2:GetWebACLForResource'], resources: [arnOf(scope, 'wafv2', 'regional/webacl/*')] },
    {
      actions: ['codedeploy:GetDeploymentConfig'],
      resources: [arnOf(scope, 'codedeploy', 'deploymentconfig:CodeDeployDefault.*')],
    },
    {
      actions: ['s3:GetObject', 's3:GetObjectVersion'],
      resources: [assetsArnOf(scope)],
    },
    // CloudFormation reads a parameter of the template from there.
    { actions: ['ssm:GetParameters'], resources: [bootstrapParameterArnOf(scope)] },
    {
      actions: [
        // CloudFormation reads these for each table, although the capacity of the tables is on demand.
        ...['application-autoscaling:DescribeScalableTargets', 'application-autoscaling:DescribeScalingPolicies'],
        // CloudWatch requires these on all alarms as soon as one of them is a composite alarm.
        ...['cloudwatch:DescribeAlarms', 'cloudwatch:DescribeInsightRules', 'cloudwatch:PutCompositeAlarm'],
        // CloudFormation stops a deployment by its id.
        'codedeploy:StopDeployment',
        // IAM documents no resource for these.
        ...['events:PutPermission', 'events:RemovePermission'],
        // A saved query has no ARN, and the other actions list.
        ...['logs:DeleteQueryDefinition', 'logs:DescribeIndexPolicies', 'logs:DescribeLogGroups'],
        ...['logs:DescribeQueryDefinitions', 'logs:DescribeResourcePolicies', 'logs:PutQueryDefinition'],
      ],
      resources: ['*'],
    },
  ];
};

/** Roles can be created, and given rights, only with the boundary, and only these services may receive them. */
const ofRoles = (scope: Scope): Statement[] => {
  const roles = [iamArnOf(scope, `role/${stackNameOf(scope.stage)}-*`)];
  const boundary = iamArnOf(scope, `policy/${boundaryNameOf(scope)}`);
  return [
    {
      actions: [
        ...['iam:AttachRolePolicy', 'iam:CreateRole', 'iam:DeleteRolePolicy', 'iam:DetachRolePolicy'],
        ...['iam:PutRolePermissionsBoundary', 'iam:PutRolePolicy'],
      ],
      resources: roles,
      conditions: { StringEquals: { 'iam:PermissionsBoundary': boundary } },
    },
    {
      actions: [
        ...['iam:DeleteRole', 'iam:GetRole', 'iam:GetRolePolicy', 'iam:ListAttachedRolePolicies'],
        ...['iam:ListRolePolicies', 'iam:ListRoleTags', 'iam:TagRole', 'iam:UntagRole'],
        ...['iam:UpdateAssumeRolePolicy', 'iam:UpdateRole', 'iam:UpdateRoleDescription'],
      ],
      resources: roles,
    },
    {
      // A policy grants nothing until it is attached to a role, and every role has the boundary.
      actions: [
        ...['iam:CreatePolicy', 'iam:CreatePolicyVersion', 'iam:DeletePolicy', 'iam:DeletePolicyVersion'],
        ...['iam:GetPolicy', 'iam:GetPolicyVersion', 'iam:ListEntitiesForPolicy', 'iam:ListPolicyVersions'],
      ],
      resources: [iamArnOf(scope, `policy/${stackNameOf(scope.stage)}-*`)],
    },
    {
      actions: ['iam:PassRole'],
      resources: roles,
      conditions: {
        StringEquals: {
          'iam:PassedToService': ['apigateway', 'codedeploy', 'lambda'].map((service) => `${service}.amazonaws.com`),
        },
      },
    },
  ];
};

/** A service creates its service-linked role when an account first uses the service; AWS defines the role's rights. */
const ofRolesOfServices = (scope: Scope): Statement[] => {
  const services = [
    'ops.apigateway.amazonaws.com',
    'replication.dynamodb.amazonaws.com',
    // Synchronizes a key with its replicas. KMS creates the role with the account's first key that can have replicas.
    'mrk.kms.amazonaws.com',
  ];
  return [
    {
      actions: ['iam:CreateServiceLinkedRole'],
      resources: services.map((service) => iamArnOf(scope, `role/aws-service-role/${service}/*`)),
      conditions: { StringEquals: { 'iam:AWSServiceName': services } },
    },
  ];
};

const denied = (scope: Scope): Statement[] => [
  // A deployment needs no access to the content of resources.
  {
    effect: 'Deny',
    actions: [
      ...['dynamodb:*Item', 'dynamodb:ExportTableToPointInTime', 'dynamodb:GetRecords', 'dynamodb:PartiQL*'],
      ...['dynamodb:Query', 'dynamodb:Scan', 'events:PutEvents', 'kms:GenerateMac', 'lambda:Invoke*'],
      ...['logs:FilterLogEvents', 'logs:GetLogEvents', 'logs:StartQuery', 'sns:Publish'],
      ...['sqs:DeleteMessage', 'sqs:PurgeQueue', 'sqs:ReceiveMessage', 'sqs:SendMessage'],
    ],
    resources: ['*'],
  },
  // No policy here allows these. They are denied in case somebody attaches another policy to CloudFormation's role.
  { effect: 'Deny', actions: ['iam:DeleteRolePermissionsBoundary'], resources: ['*'] },
  {
    effect: 'Deny',
    actions: ['iam:CreatePolicyVersion', 'iam:DeletePolicy', 'iam:DeletePolicyVersion', 'iam:SetDefaultPolicyVersion'],
    resources: [iamArnOf(scope, `policy/${accessStackNameOf(scope)}-*`)],
  },
];
