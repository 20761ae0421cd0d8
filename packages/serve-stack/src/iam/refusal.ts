import type { PolicyRequest } from './iam-policy.ts';
import type { Principal } from './principal.ts';

/** Names the kind of policy that a refusal is due to. */
export type PolicyKind = 'identity-based' | 'resource-based';

/** Says in the words of AWS that a principal may not do something, and because of what. */
export const refusalMessage = (
  { arn }: Pick<Principal, 'arn'>,
  { action, resource }: Pick<PolicyRequest, 'action' | 'resource'>,
  { isExplicit, kind }: { readonly isExplicit: boolean; readonly kind: PolicyKind },
): string =>
  `User: ${arn} is not authorized to perform: ${action} on resource: ${resource} ` +
  (isExplicit
    ? `with an explicit deny in ${kind === 'identity-based' ? 'an' : 'a'} ${kind} policy`
    : `because no ${kind} policy allows the ${action} action`);
