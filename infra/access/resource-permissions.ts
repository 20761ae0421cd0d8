import { stackNameOf } from '../../config/stack-name.ts';
import { ofRoles, passRole, serviceLinkedRole } from './role-permissions.ts';
import { arnOf, type Scope } from './scope.ts';
import type { Statement } from './statement.ts';

/**
 * What CloudFormation does for each type of resource of the stack: creates, reads, changes and deletes it. A test compares
 * the types with the template, and the actions with those that the published schema of the type names.
 */
export const resourcePermissions = (scope: Scope): Readonly<Record<string, readonly Statement[]>> => {
  const stack = stackNameOf(scope.stage);
  const named = (service: string, ...kinds: readonly string[]) =>
    kinds.map((kind) => arnOf(scope, service, `${kind}${stack}-*`));
  const statement = (service: string, actions: readonly string[], resources: readonly string[]): Statement => ({
    actions: actions.map((action) => `${service}:${action}`),
    resources,
  });
  const gateway = (...paths: readonly string[]) =>
    paths.map((path) => `arn:${scope.partition}:apigateway:${scope.region}::${path}`);

  // API Gateway gives an API an id of its own making, so that no policy can name it before it is there.
  const apis = gateway('/restapis', '/restapis/*');
  const ofApis = statement('apigateway', ['DELETE', 'GET', 'PATCH', 'POST', 'PUT', 'UpdateRestApiPolicy'], apis);
  const ofGatewayTags = statement('apigateway', ['DELETE', 'GET', 'PUT'], gateway('/tags/*'));
  const domains = gateway('/domainnames', '/domainnames/*');
  const ofDomains = statement(
    'apigateway',
    ['DELETE', 'GET', 'PATCH', 'POST', 'PUT', 'AddCertificateToDomain'],
    domains,
  );
  const gatewayRole = serviceLinkedRole(scope, 'ops.apigateway.amazonaws.com');

  const alarms = named('cloudwatch', 'alarm:');
  const ofTags = ['ListTagsForResource', 'TagResource', 'UntagResource'];
  const ofAlarms = [
    statement('cloudwatch', ['DeleteAlarms', 'PutMetricAlarm', ...ofTags], alarms),
    // CloudWatch asks for these on all alarms, as soon as a composite alarm is among them.
    statement('cloudwatch', ['DescribeAlarms', 'PutCompositeAlarm'], ['*']),
  ];
  const acls = named('wafv2', 'regional/webacl/');
  const topics = named('sns', '');
  const functions = named('lambda', 'function:');
  const mappings = [arnOf(scope, 'lambda', 'event-source-mapping:*')];
  const ofMappings = (actions: readonly string[], resources: readonly string[]): Statement => ({
    ...statement('lambda', actions, resources),
    conditions: { ArnLike: { 'lambda:FunctionArn': functions } },
  });

  const keys = [arnOf(scope, 'kms', 'key/*')];
  const ofMacKeys = (actions: readonly string[], resources: readonly string[]): Statement => ({
    ...statement('kms', actions, resources),
    conditions: { StringEquals: { 'kms:KeySpec': 'HMAC_256' } },
  });

  return {
    'AWS::ApiGateway::Account': [
      statement('apigateway', ['GET', 'PATCH'], gateway('/account')),
      passRole(scope, 'apigateway.amazonaws.com'),
    ],
    'AWS::ApiGateway::BasePathMapping': [ofDomains],
    'AWS::ApiGateway::Deployment': [ofApis],
    'AWS::ApiGateway::DomainName': [ofDomains, ofGatewayTags, gatewayRole],
    'AWS::ApiGateway::GatewayResponse': [ofApis],
    'AWS::ApiGateway::Method': [ofApis],
    'AWS::ApiGateway::Resource': [ofApis],
    'AWS::ApiGateway::RestApi': [ofApis, ofGatewayTags, gatewayRole],
    'AWS::ApiGateway::Stage': [ofApis, ofGatewayTags],
    'AWS::CloudWatch::Alarm': ofAlarms,
    'AWS::CloudWatch::CompositeAlarm': ofAlarms,
    'AWS::CloudWatch::Dashboard': [
      // Dashboards are of all regions.
      statement(
        'cloudwatch',
        ['DeleteDashboards', 'GetDashboard', 'PutDashboard', ...ofTags],
        [`arn:${scope.partition}:cloudwatch::${scope.account}:dashboard/${stack}-*`],
      ),
    ],
    'AWS::CloudWatch::InsightRule': [
      statement(
        'cloudwatch',
        ['DeleteInsightRules', 'PutInsightRule', ...ofTags],
        named('cloudwatch', 'insight-rule/'),
      ),
      // It lists; there is no resource to name.
      statement('cloudwatch', ['DescribeInsightRules'], ['*']),
    ],
    'AWS::CodeDeploy::Application': [
      statement(
        'codedeploy',
        ['CreateApplication', 'DeleteApplication', 'GetApplication', 'UpdateApplication', ...ofTags],
        named('codedeploy', 'application:'),
      ),
    ],
    'AWS::CodeDeploy::DeploymentGroup': [
      statement(
        'codedeploy',
        ['CreateDeploymentGroup', 'DeleteDeploymentGroup', 'GetDeploymentGroup', 'UpdateDeploymentGroup', ...ofTags],
        named('codedeploy', 'deploymentgroup:'),
      ),
      passRole(scope, 'codedeploy.amazonaws.com'),
    ],
    'AWS::DynamoDB::GlobalTable': [
      statement(
        'dynamodb',
        [
          ...['CreateTable', 'CreateTableReplica', 'DeleteTable', 'DeleteTableReplica', 'Describe*', 'UpdateTable'],
          ...['UpdateContinuousBackups', 'UpdateContributorInsights', 'UpdateTableReplicaAutoScaling'],
          ...['UpdateTimeToLive', 'DeleteResourcePolicy', 'GetResourcePolicy', 'PutResourcePolicy'],
          ...['ListTagsOfResource', 'TagResource', 'UntagResource'],
        ],
        named('dynamodb', 'table/'),
      ),
      serviceLinkedRole(scope, 'replication.dynamodb.amazonaws.com'),
    ],
    'AWS::Events::Archive': [
      statement(
        'events',
        ['CreateArchive', 'DeleteArchive', 'DescribeArchive', 'UpdateArchive'],
        [
          ...named('events', 'archive/', 'event-bus/'),
          ...['Notices*', 'Seams*'].map((logicalId) => arnOf(scope, 'events', `archive/${logicalId}`)),
        ],
      ),
    ],
    'AWS::Events::EventBus': [
      statement(
        'events',
        ['CreateEventBus', 'DeleteEventBus', 'DescribeEventBus', 'UpdateEventBus', ...ofTags],
        named('events', 'event-bus/'),
      ),
    ],
    'AWS::Events::EventBusPolicy': [
      statement('events', ['DescribeEventBus'], named('events', 'event-bus/')),
      // IAM documents no bus to name.
      statement('events', ['PutPermission', 'RemovePermission'], ['*']),
    ],
    'AWS::Events::Rule': [
      statement(
        'events',
        [...['DeleteRule', 'DescribeRule', 'ListTargetsByRule', 'PutRule', 'PutTargets', 'RemoveTargets'], ...ofTags],
        named('events', 'rule/'),
      ),
    ],
    'AWS::IAM::Role': ofRoles(scope),
    'AWS::KMS::Key': [
      // KMS gives a key an id of its own making; only keys of this kind, which hold no data back, are the deployment's.
      ofMacKeys(['CreateKey'], ['*']),
      ofMacKeys(
        [
          ...['CancelKeyDeletion', 'DescribeKey', 'DisableKey', 'DisableKeyRotation', 'EnableKey', 'EnableKeyRotation'],
          ...['GetKeyPolicy', 'GetKeyRotationStatus', 'ListResourceTags', 'PutKeyPolicy', 'ScheduleKeyDeletion'],
          ...['UntagResource', 'UpdateKeyDescription'],
        ],
        keys,
      ),
      // Asked for while the key is made, when KMS may not know its kind yet.
      statement('kms', ['TagResource'], keys),
      // Keeps a key in step with its replicas; made with the first key of an account that can have some.
      serviceLinkedRole(scope, 'mrk.kms.amazonaws.com'),
    ],
    'AWS::Lambda::Alias': [
      statement(
        'lambda',
        ['CreateAlias', 'DeleteAlias', 'GetAlias', 'GetProvisionedConcurrencyConfig', 'UpdateAlias'],
        functions,
      ),
      // CloudFormation lets CodeDeploy move an alias, and waits for it.
      statement(
        'codedeploy',
        ['CreateDeployment', 'GetDeployment', 'GetDeploymentGroup', 'ListDeployments'],
        named('codedeploy', 'deploymentgroup:'),
      ),
      // It stops one by its id; there is no group to name.
      statement('codedeploy', ['StopDeployment'], ['*']),
      statement(
        'codedeploy',
        ['GetApplicationRevision', 'RegisterApplicationRevision'],
        named('codedeploy', 'application:'),
      ),
      statement(
        'codedeploy',
        ['GetDeploymentConfig'],
        [arnOf(scope, 'codedeploy', 'deploymentconfig:CodeDeployDefault.*')],
      ),
    ],
    'AWS::Lambda::EventSourceMapping': [
      // Lambda gives a mapping an id of its own making, and tells IAM whose function it calls.
      ofMappings(['CreateEventSourceMapping'], ['*']),
      ofMappings(['DeleteEventSourceMapping', 'GetEventSourceMapping', 'UpdateEventSourceMapping'], mappings),
      statement('lambda', ['ListTags', 'TagResource', 'UntagResource'], mappings),
    ],
    'AWS::Lambda::Function': [
      statement(
        'lambda',
        [
          ...['CreateFunction', 'DeleteFunction', 'GetFunction', 'GetFunctionConfiguration', 'UpdateFunctionCode'],
          ...['UpdateFunctionConfiguration', 'GetFunctionCodeSigningConfig', 'GetFunctionRecursionConfig'],
          ...['PutFunctionRecursionConfig', 'GetFunctionScalingConfig', 'GetRuntimeManagementConfig'],
          ...['PutRuntimeManagementConfig', 'DeleteFunctionConcurrency', 'PutFunctionConcurrency'],
          ...['ListTags', 'TagResource', 'UntagResource'],
        ],
        functions,
      ),
      passRole(scope, 'lambda.amazonaws.com'),
      {
        actions: ['s3:GetObject', 's3:GetObjectVersion'],
        resources: [`arn:${scope.partition}:s3:::cdk-*-assets-${scope.account}-${scope.region}/*`],
      },
    ],
    'AWS::Lambda::Permission': [statement('lambda', ['AddPermission', 'GetPolicy', 'RemovePermission'], functions)],
    'AWS::Lambda::Version': [
      statement('lambda', ['ListVersionsByFunction', 'PublishVersion'], functions),
      statement('lambda', ['DeleteFunction', 'GetFunctionConfiguration', 'GetProvisionedConcurrencyConfig'], functions),
    ],
    'AWS::Logs::LogGroup': [
      statement(
        'logs',
        [
          ...['CreateLogGroup', 'DeleteLogGroup', 'DeleteRetentionPolicy', 'PutRetentionPolicy'],
          ...['GetDataProtectionPolicy', 'PutLogGroupDeletionProtection', 'PutBearerTokenAuthentication'],
          ...ofTags,
        ],
        named('logs', 'log-group:'),
      ),
      // They list; there is no resource to name.
      statement('logs', ['DescribeIndexPolicies', 'DescribeLogGroups', 'DescribeResourcePolicies'], ['*']),
    ],
    // A saved query has no ARN.
    'AWS::Logs::QueryDefinition': [
      statement('logs', ['DeleteQueryDefinition', 'DescribeQueryDefinitions', 'PutQueryDefinition'], ['*']),
    ],
    'AWS::SNS::Subscription': [
      statement('sns', ['GetSubscriptionAttributes', 'SetSubscriptionAttributes', 'Subscribe', 'Unsubscribe'], topics),
    ],
    'AWS::SNS::Topic': [
      statement(
        'sns',
        [
          ...['CreateTopic', 'DeleteTopic', 'GetTopicAttributes', 'SetTopicAttributes', 'GetDataProtectionPolicy'],
          ...['ListSubscriptionsByTopic', 'Subscribe', 'Unsubscribe', ...ofTags],
        ],
        topics,
      ),
    ],
    'AWS::SNS::TopicPolicy': [statement('sns', ['SetTopicAttributes'], topics)],
    'AWS::SQS::Queue': [
      statement(
        'sqs',
        [
          ...['CreateQueue', 'DeleteQueue', 'GetQueueAttributes', 'GetQueueUrl', 'SetQueueAttributes'],
          ...['ListQueueTags', 'TagQueue', 'UntagQueue'],
        ],
        named('sqs', ''),
      ),
    ],
    'AWS::SQS::QueuePolicy': [statement('sqs', ['SetQueueAttributes'], named('sqs', ''))],
    'AWS::WAFv2::WebACL': [
      statement('wafv2', ['CreateWebACL', 'DeleteWebACL', 'GetWebACL', 'UpdateWebACL', ...ofTags], acls),
    ],
    'AWS::WAFv2::WebACLAssociation': [
      statement('wafv2', ['AssociateWebACL', 'DisassociateWebACL', 'GetWebACL'], [...acls, ...apis]),
      // Which web ACL protects a stage is asked of all, since the request does not name one.
      statement('wafv2', ['GetWebACLForResource'], [arnOf(scope, 'wafv2', 'regional/webacl/*'), ...apis]),
      statement('apigateway', ['SetWebACL'], apis),
    ],
  };
};
