import { compilePolicies, type Decision } from 'serve-stack/services';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { boundaryStatements, policyDocumentOf, type Scope } from '../../../infra/access/boundary.ts';
import { executionPolicies } from '../../../infra/access/rights.ts';
import { consumerNames, jobNames } from '../../../lambdas/api/background-functions.ts';
import { operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import {
  accessTemplateOf,
  fullConfig,
  longestStage,
  theResource as onlyResource,
  resourcesOf,
  stackName,
  type Template,
  templateOf,
} from '../synthesized.ts';
import { type DeployedResource, deployedResourcesOf, requestsFor } from './deployment-requests.ts';

/** IAM's size limit of a managed policy, without white space. */
const largestManagedPolicy = 6144;

const config = loadStageConfig('example');
const { account, region } = config;
const scope: Scope = { partition: 'aws', account, region, stage: 'test' };
const boundaryArn = `arn:aws:iam::${account}:policy/PartnerApiAccess-test-boundary`;

const documents = Object.values(executionPolicies(scope)).map(policyDocumentOf);
const decide = compilePolicies(documents);
const boundary = policyDocumentOf(boundaryStatements(scope));

/** The resources of the stack, with the names that CloudFormation gives them. */
let deployed: DeployedResource[];
let template: Template;
beforeAll(async () => {
  template = await templateOf(fullConfig);
  deployed = deployedResourcesOf(template, { account, region });
});

describe('the rights of CloudFormation', () => {
  test('are sufficient to create and change every resource of the stack', () => {
    const refused = deployed.flatMap((resource) =>
      requestsFor({ account, region }, resource)
        .filter((request) => decide(request) !== 'allow')
        .map((request) => `${resource.logicalId}: ${request.action} on ${request.resource}`),
    );
    expect(refused).toEqual([]);
  });

  test('are limited to the stage, except for actions that name no resource', () => {
    const forAll = documents
      .flatMap(({ Statement }) => Statement)
      .filter(({ Effect, Resource }) => Effect === 'Allow' && Resource.includes('*'))
      .flatMap(({ Action }) => Action);
    expect(forAll.toSorted()).toEqual([
      'application-autoscaling:DescribeScalableTargets',
      'application-autoscaling:DescribeScalingPolicies',
      'cloudwatch:DescribeAlarms',
      'cloudwatch:DescribeInsightRules',
      'cloudwatch:PutCompositeAlarm',
      'codedeploy:StopDeployment',
      'events:PutPermission',
      'events:RemovePermission',
      'kms:CreateKey',
      'lambda:CreateEventSourceMapping',
      'logs:DeleteQueryDefinition',
      'logs:DescribeIndexPolicies',
      'logs:DescribeLogGroups',
      'logs:DescribeQueryDefinitions',
      'logs:DescribeResourcePolicies',
      'logs:PutQueryDefinition',
    ]);
  });

  test('allow all actions of a service only on resources that are named after the stage', () => {
    const whole = documents
      .flatMap(({ Statement }) => Statement)
      .filter(({ Effect, Action }) => Effect === 'Allow' && Action.some((action) => action.includes('*')))
      .flatMap(({ Action, Resource }) => Resource.map((resource) => `${Action.join()} on ${resource}`));
    expect(whole.filter((each) => !each.includes('PartnerApi-test-'))).toEqual([
      ...['Notices', 'Integrations'].map((part) => `events:* on arn:aws:events:${region}:${account}:archive/${part}*`),
      ...['/restapis', '/restapis/*', '/account', '/domainnames', '/domainnames/*', '/tags/*'].map(
        (path) => `apigateway:* on arn:aws:apigateway:${region}::${path}`,
      ),
    ]);
  });

  test.each(['Create', 'Get', 'Update', 'Delete'].map((verb) => `lambda:${verb}EventSourceMapping`))(
    'allow %s only for functions of the stage',
    (action) => {
      const decisionFor = (functionName: string | undefined) =>
        decide({
          action,
          resource: action.includes('Create') ? '*' : `arn:aws:lambda:${region}:${account}:event-source-mapping:a1b2c3`,
          ...(functionName && {
            iam: { 'lambda:functionarn': `arn:aws:lambda:${region}:${account}:function:${functionName}` },
          }),
        });
      expect(['PartnerApi-test-x', 'PartnerApi-prod-x', undefined].map(decisionFor)).toEqual([
        'allow',
        'implicit deny',
        'implicit deny',
      ]);
    },
  );

  const role = `arn:aws:iam::${account}:role/PartnerApi-test-any`;
  test.each<[string, Parameters<typeof decide>[0], Decision]>([
    ['a stack nested in that of the stage', createStack('PartnerApi-test-MonitoringNestedStack-1A2B'), 'allow'],
    ['a stack of its own', createStack('Another'), 'implicit deny'],
    ['a role with the boundary', createRole(role, boundaryArn), 'allow'],
    ['a role without one', { action: 'iam:CreateRole', resource: role }, 'implicit deny'],
    ['a role with another boundary', createRole(role, `${boundaryArn}-of-mine`), 'implicit deny'],
    ['a role of another stage', createRole(role.replace('test', 'prod'), boundaryArn), 'implicit deny'],
    [
      'a role of the workflow',
      createRole(role.replace('PartnerApi', 'PartnerApiAccess'), boundaryArn),
      'implicit deny',
    ],
    ['a policy of a role without it', { action: 'iam:PutRolePolicy', resource: role }, 'implicit deny'],
    ['the end of a boundary', { action: 'iam:DeleteRolePermissionsBoundary', resource: role }, 'explicit deny'],
    ['another boundary', { action: 'iam:CreatePolicyVersion', resource: boundaryArn }, 'explicit deny'],
    ['a policy of the stage', createPolicy('PartnerApi-test-x'), 'allow'],
    ['a policy of another stage', createPolicy('PartnerApi-prod-x'), 'implicit deny'],
    ['a policy of the rights', createPolicy('PartnerApiAccess-test-x'), 'implicit deny'],
    ['a user', { action: 'iam:CreateUser', resource: `arn:aws:iam::${account}:user/x` }, 'implicit deny'],
    ['the deletion of a key for data', deleteKey('SYMMETRIC_DEFAULT'), 'implicit deny'],
    ['the deletion of a key of webhooks', deleteKey('HMAC_256'), 'allow'],
    [
      'a role for another service',
      { action: 'iam:PassRole', resource: role, iam: { 'iam:passedtoservice': 'ec2.amazonaws.com' } },
      'implicit deny',
    ],
    [
      'a table of another stage',
      { action: 'dynamodb:DeleteTable', resource: `arn:aws:dynamodb:${region}:${account}:table/PartnerApi-prod-x` },
      'implicit deny',
    ],
    ['a row of a table', within('dynamodb:GetItem', 'table/'), 'explicit deny'],
    ['a message of a queue', within('sqs:ReceiveMessage', ''), 'explicit deny'],
    ['a line of a log', within('logs:FilterLogEvents', 'log-group:'), 'explicit deny'],
    ['a call of a function', within('lambda:InvokeFunction', 'function:'), 'explicit deny'],
    [
      'a code by a key',
      { action: 'kms:GenerateMac', resource: `arn:aws:kms:${region}:${account}:key/x` },
      'explicit deny',
    ],
  ])('%s: %o is %s', (_, request, decision) => {
    expect(decide(request)).toBe(decision);
  });
});

function within(action: string, kind: string) {
  const [service] = action.split(':');
  return { action, resource: `arn:aws:${service}:${region}:${account}:${kind}PartnerApi-test-x` };
}

function createStack(name: string) {
  return {
    action: 'cloudformation:CreateStack',
    resource: `arn:aws:cloudformation:${region}:${account}:stack/${name}/*`,
  };
}

function createPolicy(name: string) {
  return { action: 'iam:CreatePolicy', resource: `arn:aws:iam::${account}:policy/${name}` };
}

function deleteKey(keySpec: string) {
  const resource = `arn:aws:kms:${region}:${account}:key/a1b2c3`;
  return { action: 'kms:ScheduleKeyDeletion', resource, iam: { 'kms:keyspec': keySpec } };
}

function createRole(resource: string, permissionsBoundary: string) {
  return { action: 'iam:CreateRole', resource, iam: { 'iam:permissionsboundary': permissionsBoundary } };
}

describe('the boundary', () => {
  const decideWithin = compilePolicies([boundary]);

  test('is on every role of the stack', () => {
    const without = resourcesOf(template, 'AWS::IAM::Role').filter(
      ([, { Properties }]) => Properties.PermissionsBoundary !== boundaryArn,
    );
    expect(without.map(([logicalId]) => logicalId)).toEqual([]);
  });

  test('removes no permission that the roles of the stack grant', () => {
    const taken = deployed
      .filter(({ type }) => ['AWS::IAM::ManagedPolicy', 'AWS::IAM::Role'].includes(type))
      .flatMap(({ logicalId, properties }) => statementsOf(properties).map((each) => ({ logicalId, ...each })))
      .filter(({ Effect }) => Effect === 'Allow')
      .flatMap(({ logicalId, Action, Resource }) =>
        [Action].flat().flatMap((action) =>
          [Resource]
            .flat()
            .filter((resource) => decideWithin({ action, resource: asArn(action, resource) }) !== 'allow')
            .map((resource) => `${logicalId}: ${action} on ${resource}`),
        ),
      );
    expect(taken).toEqual([]);
  });

  test('allows a role to use the stage’s queues, but not to change permissions on them', () => {
    const queue = `arn:aws:sqs:${region}:${account}:PartnerApi-test-x`;
    const decisionOf = (name: string) => decideWithin({ action: `sqs:${name}`, resource: queue });
    expect(['SendMessage', 'SetQueueAttributes', 'PurgeQueue', 'DeleteQueue'].map(decisionOf)).toEqual([
      'allow',
      ...Array(3).fill('implicit deny'),
    ]);
  });

  test.each(['iam:CreateRole', 'iam:PutRolePolicy', 'sts:AssumeRole', 'iam:PassRole', 's3:GetObject', 'dynamodb:Scan'])(
    'denies %s outside the stage, whatever the policy of a role says',
    (action) => {
      expect(decideWithin({ action, resource: `arn:aws:dynamodb:${region}:${account}:table/other` })).toBe(
        'implicit deny',
      );
    },
  );
});

type RoleStatement = { Effect: string; Action: string | string[]; Resource: string | string[] };

type Policy = { readonly PolicyDocument?: { readonly Statement: RoleStatement[] } };

/** Returns the statements of a role or of a managed policy. */
const statementsOf = ({ Policies = [], PolicyDocument }: Policy & { readonly Policies?: Policy[] }) =>
  [...Policies, { PolicyDocument }].flatMap((policy) => policy.PolicyDocument?.Statement ?? []);

/**
 * Returns the complete ARN of a resource: the account of the tests omits the kind of the resource, and names a stream by its
 * table.
 */
const asArn = (action: string, resource: string): string => {
  const [service = ''] = action.split(':');
  const name = resource
    .split(':')
    .slice(resource.startsWith('arn:') ? 5 : 0)
    .join(':');
  if (!name.startsWith(`${stackName}-`)) return resource;
  const kinds: Readonly<Record<string, string>> = {
    dynamodb: 'table/',
    events: 'event-bus/',
    kms: 'key/',
    lambda: 'function:',
    logs: 'log-group:',
    sqs: '',
    wafv2: 'regional/ipset/',
  };
  return `arn:aws:${service}:${region}:${account}:${kinds[service]}${name}`;
};

describe('the access stack', () => {
  const fullWorkflow = config.workflow as NonNullable<typeof config.workflow>;
  const synthesizeAccess = (workflow = config.workflow): Template => {
    const { workflow: _, ...others } = config;
    return accessTemplateOf({ ...others, ...(workflow && { workflow }) });
  };

  let usual: Template;
  beforeAll(() => {
    usual = synthesizeAccess();
  });

  test('has policies within IAM’s size limit', () => {
    const policies = resourcesOf(usual, 'AWS::IAM::ManagedPolicy');
    expect(policies).toHaveLength(4);
    for (const [, { Properties }] of policies)
      expect(JSON.stringify(Properties.PolicyDocument).length).toBeLessThanOrEqual(largestManagedPolicy);
  });

  test('has policies within IAM’s size limit, even for long names of stage and region', () => {
    const long: Scope = { ...scope, region: 'ap-southeast-1', stage: longestStage };
    const statements = [...Object.values(executionPolicies(long)), boundaryStatements(long)];
    for (const each of statements)
      expect(JSON.stringify(policyDocumentOf(each)).length).toBeLessThanOrEqual(largestManagedPolicy);
  });

  test('lets the workflow that deploys run the jobs that a deployment runs, and no other function', () => {
    const [, role] = resourcesOf(usual, 'AWS::IAM::Role').find(([id]) => id === 'Workflowdeploy') ?? [];
    const decide = compilePolicies(
      role?.Properties.Policies.map(({ PolicyDocument }: { PolicyDocument: object }) => PolicyDocument),
    );
    const mayInvoke = (name: string) =>
      decide({
        action: 'lambda:InvokeFunction',
        resource: `arn:aws:lambda:${region}:${account}:function:${stackName}-${name}`,
      }) === 'allow';
    const names = [...jobNames, ...consumerNames, ...operationIds];
    expect(names.filter(mayInvoke).toSorted()).toEqual(['recordUsage', 'sweepWebhookMessages', 'watchMacKeys']);
  });

  test('needs no bootstrap: it has no assets and no parameter', () => {
    expect(usual).not.toHaveProperty('Parameters');
  });

  test('creates no second identity provider in an account that has one', () => {
    expect(onlyResource(usual, 'AWS::IAM::OIDCProvider')).toBeDefined();
    const reused = synthesizeAccess({ ...fullWorkflow, reuseIdentityProvider: true });
    expect(resourcesOf(reused, 'AWS::IAM::OIDCProvider')).toEqual([]);
  });
});
