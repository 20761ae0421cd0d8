import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import type { Template } from '../template/stack.ts';
import {
  accountOf,
  compilePolicies,
  type Decision,
  type PolicyDocument,
  type PolicyRequest,
  principalsFor,
  wildcardPattern,
} from './policies.ts';
import type { Principal } from './principals.ts';

/** Decides by only the policy of a resource. */
export type ResourcePolicy = (request: PolicyRequest) => Decision;

export const compileResourcePolicy = (documents: readonly PolicyDocument[], accountId: string): ResourcePolicy =>
  compilePolicies(documents, principalsFor(accountId));

/**
 * Decides as IAM does for a resource that has a policy, and returns the refusal in AWS's words, or `undefined` if access is
 * allowed. Within the account, that policy or one of the caller's role is enough, and a deny of either takes precedence.
 * Callers of other accounts need the resource's policy; their own policies are unknown here and assumed to allow the request.
 */
export const refusalOfAccess = (
  principal: Principal,
  request: PolicyRequest,
  { policy, accountId }: { readonly policy: ResourcePolicy; readonly accountId: string },
): string | undefined => {
  const byIdentity = principal.decide(request);
  const byResource = policy({ ...request, caller: { arn: principal.arn } });
  const isOfAccount = accountOf(principal.arn) === accountId;
  const denied = (kind: PolicyKind) => refusalMessage(principal, request, { kind, isExplicit: true });
  if (byIdentity === 'explicit deny') return denied('identity-based');
  if (byResource === 'explicit deny') return denied('resource-based');
  if (byResource === 'allow' || (isOfAccount && byIdentity === 'allow')) return undefined;
  const kind = isOfAccount ? 'identity-based' : 'resource-based';
  return refusalMessage(principal, request, { kind, isExplicit: false });
};

/** The kind of policy that causes a refusal. */
type PolicyKind = 'identity-based' | 'resource-based';

/** Returns AWS's message that a principal may not do something, and why. */
export const refusalMessage = (
  { arn }: Pick<Principal, 'arn'>,
  { action, resource }: Pick<PolicyRequest, 'action' | 'resource'>,
  { isExplicit, kind }: { readonly isExplicit: boolean; readonly kind: PolicyKind },
): string =>
  `User: ${arn} is not authorized to perform: ${action} on resource: ${resource} ` +
  (isExplicit
    ? `with an explicit deny in ${kind === 'identity-based' ? 'an' : 'a'} ${kind} policy`
    : `because no ${kind} policy allows the ${action} action`);

type PermissionProperties = {
  readonly Action: string;
  readonly FunctionName: string;
  readonly Principal: string;
  readonly SourceArn?: string;
};

const knownProperties = ['Action', 'FunctionName', 'Principal', 'SourceArn'];

/**
 * Returns whether a function permits a service, such as `events.amazonaws.com`, to invoke it for one of the service's
 * resources.
 */
export type IsInvocationPermitted = (service: string, functionArn: string, sourceArn: string) => boolean;

/** Compiles the invocation permissions of the template's functions. */
export const readFunctionPermissions = (template: Template, resolve: Resolve): IsInvocationPermitted => {
  const permissions = readResources<PermissionProperties>(
    template,
    resolve,
    'AWS::Lambda::Permission',
    knownProperties,
  );
  return (service, functionArn, sourceArn) =>
    permissions.some(
      ({ Action, Principal, FunctionName, SourceArn = '*' }) =>
        Action === 'lambda:InvokeFunction' &&
        Principal === service &&
        (FunctionName === functionArn || functionArn.endsWith(`:function:${FunctionName}`)) &&
        wildcardPattern(SourceArn).test(sourceArn),
    );
};
