import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { UserFacingError } from '../errors.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResource, readResources } from '../template/known-template.ts';
import { type Environment, resourcesOf, rootArn, type Template } from '../template/stack.ts';
import { compilePolicies, type Decision, type PolicyDocument, type PolicyRequest } from './policies.ts';

/** A caller with an ARN. The policies of its role decide what it may do. */
export type Principal = { readonly arn: string; readonly decide: (request: PolicyRequest) => Decision };

type RoleProperties = {
  readonly ManagedPolicyArns?: readonly string[];
  readonly Policies?: readonly { readonly PolicyDocument: PolicyDocument }[];
};

type PolicyProperties = { readonly PolicyDocument: PolicyDocument; readonly Roles?: readonly string[] };

/** A permissions boundary is a policy of another stack and not evaluated here; only the role's own policies are. */
const knownRoleProperties = [
  ...['AssumeRolePolicyDocument', 'Description', 'ManagedPolicyArns', 'PermissionsBoundary', 'Policies'],
  ...['RoleName', 'Tags'],
];

/** Returns the principal of a function in its role, as IAM sees it. */
export const principalInRole = (
  template: Template,
  resolve: Resolve,
  roleArn: string,
  sessionName: string,
): Principal => {
  const role = resourcesOf(template, 'AWS::IAM::Role').find(
    ({ logicalId }) => resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] }) === roleArn,
  );
  if (!role) throw new UserFacingError(`The template has no role ${roleArn}, which ${sessionName} assumes.`);
  const { Policies = [], ManagedPolicyArns = [] } = readResource<RoleProperties>(role, resolve, knownRoleProperties);
  const attached = readResources<PolicyProperties>(template, resolve, 'AWS::IAM::Policy', [
    ...['PolicyDocument', 'PolicyName', 'Roles'],
  ]).filter(({ Roles = [] }) => Roles.includes(resolve({ Ref: role.logicalId })));
  const ownPolicies = new Map(
    readResources<PolicyProperties>(template, resolve, 'AWS::IAM::ManagedPolicy', [
      ...['Description', 'ManagedPolicyName', 'Path', 'PolicyDocument'],
    ]).map(({ logicalId, PolicyDocument }) => [resolve<string>({ Ref: logicalId }), PolicyDocument]),
  );
  return {
    arn: `${roleArn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/${sessionName}`,
    decide: compilePolicies([
      ...[...Policies, ...attached].map(({ PolicyDocument }) => PolicyDocument),
      ...ManagedPolicyArns.map((arn) => ownPolicies.get(arn) ?? managedPolicy(arn, role.logicalId)),
    ]),
  };
};

const allow = (...actions: readonly string[]): PolicyDocument => ({
  Statement: [{ Effect: 'Allow', Action: actions, Resource: '*' }],
});

/** The AWS managed policies that the CDK attaches automatically. */
const managedPolicies: Readonly<Record<string, PolicyDocument>> = {
  'service-role/AmazonAPIGatewayPushToCloudWatchLogs': allow(
    ...['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:DescribeLogGroups', 'logs:DescribeLogStreams'],
    ...['logs:PutLogEvents', 'logs:GetLogEvents', 'logs:FilterLogEvents'],
  ),
  'service-role/AWSLambdaBasicExecutionRole': allow(
    ...['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
  ),
};

/** Returns the document of a managed policy. Throws an error that names an unknown policy and its role. */
const managedPolicy = (arn: string, role: string): PolicyDocument => {
  const policy = managedPolicies[arn.replace(/^arn:[^:]+:iam::aws:policy\//, '')];
  if (policy) return policy;
  throw new UserFacingError(`The local run does not know the managed policy ${arn} of ${role}.`);
};

/** Identifies the caller of any service by the access key of the call; signatures are not checked. */
export type AccessKeys = {
  /** Returns a new access key id that acts as the principal. */
  readonly issue: (principal: Principal) => string;
  readonly principalOf: (incoming: IncomingMessage) => Principal | undefined;
};

export const createAccessKeys = (): AccessKeys => {
  const principals = new Map<string, Principal>();
  return {
    issue: (principal) => {
      const accessKeyId = `ASIA${randomBytes(8).toString('hex').toUpperCase()}`;
      principals.set(accessKeyId, principal);
      return accessKeyId;
    },
    principalOf: ({ headers }) => {
      const [, accessKeyId = ''] = headers.authorization?.match(/Credential=(\w+)\//) ?? [];
      return principals.get(accessKeyId);
    },
  };
};

/** Credentials with which an SDK client acts as a principal. */
export type Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string };

/**
 * Returns credentials for a principal that is not a function of the stack, by its ARN. The root of the stack's own account may
 * do everything; other principals may do what the policies of queues and buses allow.
 */
export const credentialsOfPrincipals = (environment: Environment, accessKeys: AccessKeys) => {
  const owner = rootArn(environment);
  return (arn: string = owner): Credentials => {
    const principal: Principal = { arn, decide: () => (arn === owner ? 'allow' : 'implicit deny') };
    return { accessKeyId: accessKeys.issue(principal), secretAccessKey: randomBytes(30).toString('base64') };
  };
};

/** Throws for a role that AWS would refuse or that could not work: `The role of the function x does not allow …`. */
export const requireGrants = (role: string, { decide }: Principal, accesses: readonly PolicyRequest[]): void => {
  const refused = accesses.find((access) => decide(access) !== 'allow');
  if (refused) throw new UserFacingError(`${role} does not allow ${refused.action} on ${refused.resource}.`);
};

/** Returns the permissions to read the stream of a table. */
export const streamAccesses = (streamArn: string): PolicyRequest[] => [
  ...['DescribeStream', 'GetRecords', 'GetShardIterator'].map((action) => ({
    action: `dynamodb:${action}`,
    resource: streamArn,
  })),
  { action: 'dynamodb:ListStreams', resource: '*' },
];
