import { BlockList, isIPv6 } from 'node:net';
import type { contractStates } from '../api/schemas/contract.ts';

/** What binds a company: its addresses, its owner's user id, and what that owner has consented to. */
export type Contract = {
  readonly companyId: string;
  readonly name: string;
  readonly state: (typeof contractStates)[number];
  readonly sinceMs: number;
  /** The owner on whose behalf the company acts. */
  readonly userId: string;
  /** IPv4 and IPv6, `address/prefix length`. */
  readonly allowedCidrs: readonly string[];
  /** Pokes may go to these hosts and to those below them. */
  readonly webhookHosts: readonly string[];
  readonly acceptedConsentVersion: number | null;
  /** When that was, which partners see: no later than this service knew of it. */
  readonly acceptedAtMs: number | null;
  /** When this service took that acceptance in, by its own clock. */
  readonly acceptanceReceivedAtMs: number | null;
  /** When this service took in the acceptance since which consent was up to date without a break; null if it is withdrawn. */
  readonly consentedSinceMs: number | null;
  /** From when that acceptance counts, and when it was by the clock of whoever told it: what was withdrawn before is no break. */
  readonly consentBeganAtMs: number | null;
  readonly consentBeganClaimedAtMs: number | null;
  /** From when the owner's last acceptance or withdrawal counts; null if none is known. Anything known of consent is newer. */
  readonly consentChangedAtMs: number | null;
  /** When that was by the clock of whoever told it; null if it is no other time. */
  readonly consentClaimedAtMs: number | null;
};

export const isConsentUpToDate = ({ acceptedConsentVersion }: Contract, requiredVersion: number): boolean =>
  acceptedConsentVersion !== null && acceptedConsentVersion >= requiredVersion;

/**
 * Whether one of the networks (`address/prefix length`) holds the address. Each family is for itself: Node's list would
 * take an IPv4 address for its IPv6-mapped form too.
 */
export const isAddressInCidrs = (address: string, cidrs: readonly string[]): boolean => {
  const family = familyOf(address);
  const networks = new BlockList();
  for (const [network = '', prefixLength] of cidrs.map((cidr) => cidr.split('/')))
    if (familyOf(network) === family) networks.addSubnet(network, Number(prefixLength), family);
  return networks.check(address, family);
};

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
