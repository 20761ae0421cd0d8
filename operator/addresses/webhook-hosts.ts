import type { Company } from '../../config/schema.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';

/** Where a contract and the configuration differ in the hosts of webhooks: no deployed policy has a part in it. */
export const webhookHostDrift = ({ companyId, webhookHosts }: Contract, company: Company) => {
  const configured = webhookHostsOf(company);
  const added = configured.filter((host) => !webhookHosts.includes(host));
  const removed = webhookHosts.filter((host) => !configured.includes(host));
  if (added.length + removed.length === 0) return [];
  const what = `its contract ${[
    ...(added.length > 0 ? [`does not have the webhook hosts ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`still has the webhook hosts ${removed.join(', ')}`] : []),
  ].join(' and ')}`;
  return [{ kind: 'webhook-hosts' as const, companyId, what, remedy: `company sync ${companyId}` }];
};

export const webhookHostsOf = ({ webhookHosts = [] }: Company): readonly string[] => webhookHosts;
