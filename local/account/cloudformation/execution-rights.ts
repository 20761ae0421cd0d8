import { compilePolicies, type PolicyDocument, type PolicyRequest } from '../../aws/iam/iam-policy.ts';
import { type Environment, roleArn } from '../../aws/template/environment.ts';
import type { DeployedResource, StackRecord } from './stack-record.ts';

/** What CloudFormation asks other services for, on behalf of a change of a resource. */
export type RequestsOf = (resource: DeployedResource, verb: 'create' | 'update') => readonly PolicyRequest[];

type Deployed = { readonly environment: Environment; readonly stacks: ReadonlyMap<string, StackRecord> };

/** The first request that the role of CloudFormation does not have the right to, as its service refuses it. */
export const refusalByRole = (
  { environment, stacks }: Deployed,
  roleArnOfStack: string,
  requests: readonly PolicyRequest[],
): string | undefined => {
  const resources = [...stacks.values()].flatMap((stack) => [...stack.resources.values()]);
  const role = resources.find(
    ({ type, physicalId }) => type === 'AWS::IAM::Role' && roleArn(environment, physicalId) === roleArnOfStack,
  );
  if (!role) return `Role ${roleArnOfStack} is invalid or cannot be assumed`;
  const decide = compilePolicies(policiesOf(role, resources));
  const denied = requests.find((request) => decide(request) !== 'allow');
  if (!denied) return undefined;
  return `User: ${roleArnOfStack}/AWSCloudFormation is not authorized to perform: ${denied.action} on resource: ${denied.resource}`;
};

/** A policy that a stack of the account has made, by its ARN. */
export const managedPolicyIn = (resources: readonly DeployedResource[], arn: string): DeployedResource | undefined =>
  resources.find(
    ({ type, properties }) =>
      type === 'AWS::IAM::ManagedPolicy' && arn.endsWith(`:policy/${properties.ManagedPolicyName}`),
  );

const policiesOf = (role: DeployedResource, resources: readonly DeployedResource[]): PolicyDocument[] => {
  // The value of a parameter that is a list is text with commas here.
  const arns = [role.properties.ManagedPolicyArns ?? []].flat().flatMap((each) => String(each).split(','));
  return arns.flatMap((arn) => {
    if (arn.endsWith(':aws:policy/AdministratorAccess')) return [everything];
    const policy = managedPolicyIn(resources, arn);
    return policy ? [policy.properties.PolicyDocument as PolicyDocument] : [];
  });
};

const everything: PolicyDocument = { Statement: { Effect: 'Allow', Action: '*', Resource: '*' } };
