import type { Contract } from '../../lambdas/domain/contract.ts';

/**
 * The values without those that only keep the order of facts, such as `stateClaimedAt`: nobody decides on them, and they are
 * off by the allowed difference of clocks. All of the values if there are no others.
 */
export const withoutBookkeeping = <Value>(values: readonly Value[], nameOf: (value: Value) => string): Value[] => {
  const shown = values.filter((value) => !bookkeeping.has(nameOf(value)));
  return shown.length > 0 ? shown : [...values];
};

type ContractTime = Extract<keyof Contract, `${string}Ms` | 'removeAt'>;

/** Whether a time of a contract is one that people know of. */
const isKnownToPeople: Readonly<Record<ContractTime, boolean>> = {
  sinceMs: true,
  acceptedAtMs: true,
  erasedAtMs: true,
  stateChangedAtMs: false,
  stateClaimedAtMs: false,
  acceptanceReceivedAtMs: false,
  consentedSinceMs: false,
  consentBeganAtMs: false,
  consentBeganClaimedAtMs: false,
  consentChangedAtMs: false,
  consentClaimedAtMs: false,
  removeAt: false,
};

/** As they are shown: a time loses the `Ms` of its name. */
const bookkeeping: ReadonlySet<string> = new Set(
  Object.entries(isKnownToPeople).flatMap(([name, isKnown]) => (isKnown ? [] : [name.replace(/Ms$/, '')])),
);
