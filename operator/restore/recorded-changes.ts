import { differenceOf } from '../../config/cidr.ts';
import type { CompanyChange } from '../../lambdas/data/contracts/companies.ts';
import type { ContractChange } from '../../lambdas/data/contracts/contracts.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import { type Consent, noConsent } from '../../lambdas/domain/consent.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { isSame } from '../cli/change.ts';

/** Returns what the audit log revoked from a company and it still has. Grants are left to a person (`missingGrantsOfCompany`). */
export const revocationsOfCompany = (company: Company, recorded: Partial<Company>): CompanyChange => ({
  ...(recorded.state === 'suspended' && company.state !== 'suspended' && { state: recorded.state }),
  ...(isNarrower(recorded.allowedCidrs, company.allowedCidrs) && { allowedCidrs: recorded.allowedCidrs }),
  ...(isFewer(recorded.webhookHosts, company.webhookHosts) && { webhookHosts: recorded.webhookHosts }),
});

type Recorded = Partial<Contract>;

/** Returns what the audit log revoked from a contract and it still has. */
export const revocationsOfContract = (contract: Contract, recorded: Recorded): ContractChange => ({
  ...endedState(contract, recorded),
  ...withdrawnConsent(contract, recorded),
});

/** Returns no consent with the latest known times of changes, so that an older acceptance that arrives late does not apply. */
const withdrawn = (contract: Contract, recorded: Recorded): Consent => {
  const { consentChangedAtMs = contract.consentChangedAtMs, consentClaimedAtMs = contract.consentClaimedAtMs } =
    recorded;
  return { ...noConsent, consentChangedAtMs, consentClaimedAtMs };
};

const endedState = (contract: Contract, recorded: Recorded): ContractChange => {
  const { state, sinceMs = contract.sinceMs } = recorded;
  const { stateChangedAtMs = contract.stateChangedAtMs, stateClaimedAtMs = contract.stateClaimedAtMs } = recorded;
  return state === 'ended' && contract.state !== 'ended' ? { state, sinceMs, stateChangedAtMs, stateClaimedAtMs } : {};
};

const withdrawnConsent = (contract: Contract, recorded: Recorded): ContractChange => {
  if (recorded.acceptedConsentVersion !== null) return {};
  const consent = withdrawn(contract, recorded);
  const isWithdrawn =
    contract.acceptedConsentVersion === null &&
    contract.consentChangedAtMs === consent.consentChangedAtMs &&
    contract.consentClaimedAtMs === consent.consentClaimedAtMs;
  return isWithdrawn ? {} : consent;
};

const isNarrower = (recorded: readonly string[] | undefined, cidrs: readonly string[]): recorded is readonly string[] =>
  recorded !== undefined && differenceOf(recorded, cidrs).length === 0 && differenceOf(cidrs, recorded).length > 0;

const isFewer = (recorded: readonly string[] | undefined, hosts: readonly string[]): recorded is readonly string[] =>
  recorded !== undefined && recorded.length < hosts.length && recorded.every((host) => hosts.includes(host));

/** Returns the restored values that differ from the current ones although the audit log has no change of them. */
export const changedWithoutAudit = <Item extends object>(own: Item, restored: Item, recorded: object): Partial<Item> =>
  Object.fromEntries(
    Object.entries(restored).filter(([name, value]) => !(name in recorded) && !isSame(value, own[name as keyof Item])),
  ) as Partial<Item>;

/** A grant in the audit log, and the command that grants it again. */
export type MissingGrant = { readonly what: string; readonly command: string };

/** Returns what the audit log granted to a company and it lacks. Addresses and hosts are in the store or the configuration. */
export const missingGrantsOfCompany = (
  company: Company,
  recorded: Partial<Company>,
  isRegisteredInStore: boolean,
): MissingGrant[] => {
  const id = company.companyId;
  const { state, allowedCidrs = [], webhookHosts = [], name } = recorded;
  const blocks = differenceOf(allowedCidrs, company.allowedCidrs);
  const hosts = webhookHosts.filter((host) => !company.webhookHosts.includes(host));
  const grantingCommand = (option: string, values: readonly string[]) =>
    isRegisteredInStore ? `company set ${id} ${option} ${values.join(',')}` : `company sync ${id}`;
  return [
    ...(state === 'active' && company.state === 'suspended'
      ? [{ what: 'resumed', command: `company resume ${id}` }]
      : []),
    ...(blocks.length > 0
      ? [{ what: `addresses ${allowedCidrs.join(', ')}`, command: grantingCommand('--add-addresses', blocks) }]
      : []),
    ...(hosts.length > 0
      ? [{ what: `webhook hosts ${webhookHosts.join(', ')}`, command: grantingCommand('--add-webhook-hosts', hosts) }]
      : []),
    ...(name !== undefined && name !== company.name
      ? [{ what: `name ${name}`, command: `company set ${id} --name '${name}'` }]
      : []),
  ];
};

/** Returns what the audit log granted to a contract and it lacks. */
export const missingGrantsOfContract = (contract: Contract, recorded: Recorded): MissingGrant[] => {
  const id = contract.companyId;
  const { state, acceptedConsentVersion: accepted } = recorded;
  return [
    ...(state === 'active' && contract.state === 'ended'
      ? [{ what: 'reinstated', command: `contract open ${id} --user ${contract.userId}` }]
      : []),
    ...(accepted && accepted > (contract.acceptedConsentVersion ?? 0)
      ? [{ what: `consent to version ${accepted}`, command: `consent accept ${id} --user ${contract.userId}` }]
      : []),
  ];
};
