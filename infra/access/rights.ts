import { stackNameOf } from '../../config/schema.ts';
import { assetsArnOf, bootstrapParameterArnOf } from './bootstrap.ts';
import { accessStackNameOf, arnOf, boundaryNameOf, iamArnOf, type Scope, type Statement } from './boundary.ts';

/**
 * The rights with which CloudFormation carries out a deployment. Of a service it may do everything, but only with what has
 * the name of the stage; where a service does not know such names, exactly what it asks for. Roles are made within the
 * boundary alone, which nothing here can change or take away, and rows, messages and log lines are out of reach.
 */
export const executionPolicies = (scope: Scope): Readonly<Record<'services' | 'roles', readonly Statement[]>> => ({
  services: [...ofServices(scope), ...ofKeys(scope), ...ofMappings(scope), ...unnamed(scope)],
  roles: [...ofRoles(scope), ...ofRolesOfServices(scope), ...denied(scope)],
});

/** The ARNs of the policies with these rights, which the stack of access makes. */
export const executionPolicyArnsOf = (scope: Scope): string[] =>
  Object.keys(executionPolicies(scope)).map((name) => iamArnOf(scope, `policy/${executionPolicyNameOf(scope, name)}`));

export const executionPolicyNameOf = (scope: Scope, name: string): string =>
  `${accessStackNameOf(scope)}-execution-${name}`;

/** What is named after the stage, by service. */
const ofServices = (scope: Scope): Statement[] => {
  const stack = stackNameOf(scope.stage);
  const all = (service: string, resources: readonly string[]): Statement => ({ actions: [`${service}:*`], resources });
  const named = (service: string, ...kinds: readonly string[]) =>
    kinds.map((kind) => arnOf(scope, service, `${kind}${stack}-*`));
  return [
    all('cloudwatch', [
      ...named('cloudwatch', 'alarm:', 'insight-rule/'),
      // Dashboards are of all regions.
      `arn:${scope.partition}:cloudwatch::${scope.account}:dashboard/${stack}-*`,
    ]),
    // The stacks that it nests.
    all('cloudformation', named('cloudformation', 'stack/')),
    all('codedeploy', named('codedeploy', 'application:', 'deploymentgroup:')),
    // A replica is made, and its settings are set, in its own region.
    all('dynamodb', [
      ...named('dynamodb', 'table/'),
      ...(scope.replicaRegion === undefined
        ? []
        : [arnOf({ ...scope, region: scope.replicaRegion }, 'dynamodb', `table/${stack}-*`)]),
    ]),
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

/** KMS gives a key an id of its own making; only keys of this kind, which hold no data back, are the deployment's. */
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
    // Asked for while the key is made, when KMS may not know its kind yet.
    { actions: ['kms:TagResource'], resources: keys },
  ];
};

/** Lambda gives a mapping an id of its own making, and tells IAM whose function it calls. */
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

/** What no service lets a policy name by the stage. */
const unnamed = (scope: Scope): Statement[] => {
  const gateway = (...paths: readonly string[]) =>
    paths.map((path) => `arn:${scope.partition}:apigateway:${scope.region}::${path}`);
  const apis = gateway('/restapis', '/restapis/*');
  return [
    // API Gateway gives an API an id of its own making.
    {
      actions: ['apigateway:*'],
      resources: [...apis, ...gateway('/account', '/domainnames', '/domainnames/*', '/tags/*')],
    },
    {
      actions: ['wafv2:AssociateWebACL', 'wafv2:DisassociateWebACL', 'wafv2:GetWebACL', 'wafv2:GetWebACLForResource'],
      resources: apis,
    },
    // Which web ACL protects a stage is asked of all, since the request does not name one.
    { actions: ['wafv2:GetWebACLForResource'], resources: [arnOf(scope, 'wafv2', 'regional/webacl/*')] },
    {
      actions: ['codedeploy:GetDeploymentConfig'],
      resources: [arnOf(scope, 'codedeploy', 'deploymentconfig:CodeDeployDefault.*')],
    },
    {
      actions: ['s3:GetObject', 's3:GetObjectVersion'],
      resources: [assetsArnOf(scope)],
    },
    // The template has a parameter that CloudFormation reads there.
    { actions: ['ssm:GetParameters'], resources: [bootstrapParameterArnOf(scope)] },
    {
      actions: [
        // CloudWatch asks for these on all alarms, as soon as a composite alarm is among them.
        ...['cloudwatch:DescribeAlarms', 'cloudwatch:DescribeInsightRules', 'cloudwatch:PutCompositeAlarm'],
        // It stops a deployment by its id.
        'codedeploy:StopDeployment',
        // IAM documents no bus to name.
        ...['events:PutPermission', 'events:RemovePermission'],
        // A saved query has no ARN, and the others list.
        ...['logs:DeleteQueryDefinition', 'logs:DescribeIndexPolicies', 'logs:DescribeLogGroups'],
        ...['logs:DescribeQueryDefinitions', 'logs:DescribeResourcePolicies', 'logs:PutQueryDefinition'],
      ],
      resources: ['*'],
    },
  ];
};

/** A role is made, and given rights, only with the boundary that its rights end at, and only these services may take it. */
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
      // A policy gives nothing until it is attached to a role, which has the boundary.
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

/** Services make a role of their own when an account first uses them; its rights are theirs to choose. */
const ofRolesOfServices = (scope: Scope): Statement[] => {
  const services = [
    'ops.apigateway.amazonaws.com',
    'replication.dynamodb.amazonaws.com',
    // Keeps a key in step with its replicas; made with the first key of an account that can have some.
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
  // What the resources hold is no affair of a deployment.
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
  // Nothing allows these; they are denied for the case that somebody attaches a further policy to CloudFormation's role.
  { effect: 'Deny', actions: ['iam:DeleteRolePermissionsBoundary'], resources: ['*'] },
  {
    effect: 'Deny',
    actions: ['iam:CreatePolicyVersion', 'iam:DeletePolicy', 'iam:DeletePolicyVersion', 'iam:SetDefaultPolicyVersion'],
    resources: [iamArnOf(scope, `policy/${accessStackNameOf(scope)}-*`)],
  },
];
