import { compilePolicies, type Decision, type PolicyDocument, type PolicyRequest } from './iam-policy.ts';
import { accountOf, principalsFor } from './policy-principals.ts';
import type { Principal } from './principal.ts';
import { type PolicyKind, refusalMessage } from './refusal.ts';

/** Decides by the policy of a resource alone. */
export type ResourcePolicy = (request: PolicyRequest) => Decision;

export const compileResourcePolicy = (documents: readonly PolicyDocument[], accountId: string): ResourcePolicy =>
  compilePolicies(documents, principalsFor(accountId));

/**
 * Decides as IAM does where a resource has a policy of its own, and gives a refusal in AWS's words: within the account that
 * policy or one of the caller's role is enough, and a deny of either wins. Callers of other accounts need the resource's; what
 * their own policies say is not known here, and taken to be enough.
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
