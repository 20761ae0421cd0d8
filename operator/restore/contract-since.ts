import { differenceOf } from '../../config/cidr.ts';
import type { ContractChange } from '../../lambdas/data/contracts/contracts.ts';
import { type Consent, noConsent } from '../../lambdas/domain/consent.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { isSame } from '../cli/change.ts';

type Recorded = Partial<Contract>;

/** What the record took from a company and the contract still has: that comes first, and whatever it gave waits for a person. */
export const takenAway = (contract: Contract, recorded: Recorded): ContractChange => ({
  ...stateTaken(contract, recorded),
  ...consentTaken(contract, recorded),
  ...(recorded.userId !== undefined &&
    recorded.userId !== contract.userId && { userId: recorded.userId, ...withdrawn(contract, recorded) }),
  ...(isNarrower(recorded.allowedCidrs, contract.allowedCidrs) && { allowedCidrs: recorded.allowedCidrs }),
  ...(isFewer(recorded.webhookHosts, contract.webhookHosts) && { webhookHosts: recorded.webhookHosts }),
});

/** No consent, and the latest times that are known of it, so that an older acceptance that comes late does not count. */
const withdrawn = (contract: Contract, recorded: Recorded): Consent => {
  const { consentChangedAtMs = contract.consentChangedAtMs, consentClaimedAtMs = contract.consentClaimedAtMs } =
    recorded;
  return { ...noConsent, consentChangedAtMs, consentClaimedAtMs };
};

const stateTaken = (contract: Contract, { state, sinceMs = contract.sinceMs }: Recorded): ContractChange =>
  state === undefined || state === 'active' || state === contract.state ? {} : { state, sinceMs };

const consentTaken = (contract: Contract, recorded: Recorded): ContractChange => {
  if (recorded.acceptedConsentVersion !== null) return {};
  const consent = withdrawn(contract, recorded);
  const isTaken =
    contract.acceptedConsentVersion === null &&
    contract.consentChangedAtMs === consent.consentChangedAtMs &&
    contract.consentClaimedAtMs === consent.consentClaimedAtMs;
  return isTaken ? {} : consent;
};

const isNarrower = (recorded: readonly string[] | undefined, cidrs: readonly string[]): recorded is readonly string[] =>
  recorded !== undefined && differenceOf(recorded, cidrs).length === 0 && differenceOf(cidrs, recorded).length > 0;

const isFewer = (recorded: readonly string[] | undefined, hosts: readonly string[]): recorded is readonly string[] =>
  recorded !== undefined && recorded.length < hosts.length && recorded.every((host) => hosts.includes(host));

/** The values that nobody has changed on record, and that are not those of the restored contract. */
export const changedOffRecord = (contract: Contract, restored: Contract, recorded: Recorded): ContractChange =>
  Object.fromEntries(
    Object.entries(restored).filter(
      ([name, value]) => !(name in recorded) && !isSame(value, contract[name as keyof Contract]),
    ),
  );

/** What the record gave to a company and the contract lacks, each with the command that gives it again. */
export const givenSince = (
  contract: Contract,
  recorded: Recorded,
): { readonly what: string; readonly command: string }[] => {
  const id = contract.companyId;
  const { state, acceptedConsentVersion: accepted, allowedCidrs, webhookHosts, name } = recorded;
  return [
    ...(state === 'active' && contract.state === 'suspended'
      ? [{ what: 'resumed', command: `company resume ${id}` }]
      : []),
    ...(state === 'active' && contract.state === 'ended'
      ? [{ what: 'reinstated', command: `contract set ${id} --reinstate` }]
      : []),
    ...(accepted && accepted > (contract.acceptedConsentVersion ?? 0)
      ? [{ what: `consent to version ${accepted}`, command: `consent accept ${id}` }]
      : []),
    ...(allowedCidrs && differenceOf(allowedCidrs, contract.allowedCidrs).length > 0
      ? [{ what: `addresses ${allowedCidrs.join(', ')}`, command: `company sync ${id}` }]
      : []),
    ...(webhookHosts?.some((host) => !contract.webhookHosts.includes(host))
      ? [{ what: `webhook hosts ${webhookHosts.join(', ')}`, command: `company sync ${id}` }]
      : []),
    ...(name !== undefined && name !== contract.name
      ? [{ what: `name ${name}`, command: `contract set ${id} --name '${name}'` }]
      : []),
  ];
};
