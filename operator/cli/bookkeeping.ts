import type { Contract } from '../../lambdas/domain/contract.ts';

/**
 * Omits the values that only order facts, such as `stateClaimedAt`: people need not know them, and they deviate by the allowed
 * clock difference. Returns all values if there are no others.
 */
export const withoutBookkeeping = <Value>(values: readonly Value[], nameOf: (value: Value) => string): Value[] => {
  const shown = values.filter((value) => !bookkeeping.has(nameOf(value)));
  return shown.length > 0 ? shown : [...values];
};

type ContractTime = Extract<keyof Contract, `${string}Ms` | 'removeAt'>;

/** Whether a time of a contract is shown to people. */
const isKnownToPeople: Readonly<Record<ContractTime, boolean>> = {
  sinceMs: true,
  acceptedAtMs: true,
  erasedAtMs: true,
  stateChangedAtMs: false,
  stateClaimedAtMs: false,
  acceptanceReceivedAtMs: false,
  consentedSinceMs: false,
  consentGivenSinceMs: false,
  consentBeganAtMs: false,
  consentBeganClaimedAtMs: false,
  consentChangedAtMs: false,
  consentClaimedAtMs: false,
  removeAt: false,
};

/** The names of the hidden times as the output shows them, without `Ms`. */
const bookkeeping: ReadonlySet<string> = new Set(
  Object.entries(isKnownToPeople).flatMap(([name, isKnown]) => (isKnown ? [] : [name.replace(/Ms$/, '')])),
);
