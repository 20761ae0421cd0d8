import { differenceOf } from '../../config/cidr.ts';
import type { CompanyChange } from '../../lambdas/data/contracts/companies.ts';
import type { ContractChange } from '../../lambdas/data/contracts/contracts.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import { type Consent, noConsent } from '../../lambdas/domain/consent.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';

/** Returns what the audit log revoked from a company and it still has. Grants are left to a person (`missingGrantsOfCompany`). */
export const revocationsOfCompany = (company: Company, recorded: Partial<Company>): CompanyChange => ({
  ...(recorded.state === 'suspended' && company.state !== 'suspended' && { state: recorded.state }),
  ...removedAddresses(company, recorded),
  ...removedHosts(company, recorded),
});

/** Addresses that were added in place of removed ones are left to a person. Keeps the recorded blocks if none were added. */
const removedAddresses = (company: Company, { allowedCidrs: recorded }: Partial<Company>): CompanyChange => {
  if (recorded === undefined) return {};
  const removed = differenceOf(company.allowedCidrs, recorded);
  if (removed.length === 0) return {};
  const isNarrower = differenceOf(recorded, company.allowedCidrs).length === 0;
  return { allowedCidrs: isNarrower ? recorded : differenceOf(company.allowedCidrs, removed) };
};

const removedHosts = ({ webhookHosts }: Company, { webhookHosts: recorded }: Partial<Company>): CompanyChange => {
  if (recorded === undefined) return {};
  const kept = webhookHosts.filter((host) => recorded.includes(host));
  return kept.length < webhookHosts.length ? { webhookHosts: kept } : {};
};

type Recorded = Partial<Contract>;

/**
 * Returns what the audit log revoked from a contract and it still has, and later times of what the contract has: with them,
 * events that were stale stay stale.
 */
export const revocationsOfContract = (contract: Contract, recorded: Recorded): ContractChange => ({
  ...revokedState(contract, recorded),
  ...revokedConsent(contract, recorded),
});

const revokedState = (contract: Contract, recorded: Recorded): ContractChange => {
  const { state, sinceMs, stateChangedAtMs, stateClaimedAtMs } = { ...contract, ...recorded };
  const isEnded = state === 'ended' && contract.state !== 'ended';
  const isLater =
    state === contract.state &&
    isAfter([stateClaimedAtMs, stateChangedAtMs], [contract.stateClaimedAtMs, contract.stateChangedAtMs]);
  return isEnded || isLater ? { state, sinceMs, stateChangedAtMs, stateClaimedAtMs } : {};
};

const revokedConsent = (contract: Contract, recorded: Recorded): ContractChange => {
  const known = consentIn(contract);
  const onRecord = { ...known, ...consentIn(recorded) };
  const [before, after] = [known.acceptedConsentVersion, onRecord.acceptedConsentVersion];
  const isLater =
    isAfter(
      [onRecord.consentClaimedAtMs, onRecord.consentChangedAtMs],
      [known.consentClaimedAtMs, known.consentChangedAtMs],
    ) || (onRecord.consentedSinceMs ?? 0) > (known.consentedSinceMs ?? 0);
  // What the audit log gave is left to a person.
  const isGiven = (after ?? 0) > (before ?? 0);
  return !isGiven && (isLater || (after === null && before !== null)) ? onRecord : {};
};

const consentIn = <Source extends Recorded>(source: Source) =>
  Object.fromEntries(Object.entries(source).filter(([name]) => name in noConsent)) as Pick<
    Source,
    keyof Source & keyof Consent
  >;

/** The claimed time of a change, and from when it counts. */
type Times = readonly [claimedAtMs: number | null, countsFromMs: number | null];

const isAfter = ([claimedAtMs, countsFromMs]: Times, [knownClaimedAtMs, knownCountsFromMs]: Times): boolean =>
  claimedAtMs === knownClaimedAtMs
    ? Number(countsFromMs) > Number(knownCountsFromMs)
    : Number(claimedAtMs) > Number(knownClaimedAtMs);

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
    ...(state === 'active' && contract.state !== 'active'
      ? [
          {
            what: contract.state === 'ended' ? 'reinstated' : 'opened',
            command: `contract open ${id} --user ${contract.userId}`,
          },
        ]
      : []),
    ...(accepted && accepted > (contract.acceptedConsentVersion ?? 0)
      ? [{ what: `consent to version ${accepted}`, command: `consent accept ${id} --user ${contract.userId}` }]
      : []),
  ];
};
