import { keyLifetimeMonths, noticeDays } from '../api/limits.ts';
import type { KeyOptions } from './api-key.ts';
import { isCidrWithin } from './company.ts';
import { addMonths, toMonth } from './time.ts';

export type NoticeDays = (typeof noticeDays)[number];

/** How long the watch looks back at a key that has run out, in days. */
const lookBackDays = 30;

const dayMs = 86_400_000;

type Expiring = { readonly expiresAtMs: number };

/** A key as the company's last keys are looked for. */
type Renewing = Expiring & Pick<KeyOptions, 'access' | 'allowedCidrs'>;

/** The CIDR blocks that a company has registered. */
type Registered = readonly string[];

/**
 * The notice that is due for a key: the nearest one that its days left have reached; none while more are left than the
 * longest, and none once it has run out. One that was missed is not made up for: it would say what is no longer true.
 */
export const dueNotice = ({ expiresAtMs }: Expiring, nowMs: number): NoticeDays | undefined => {
  const leftMs = expiresAtMs - nowMs;
  return leftMs > 0 ? noticeDays.findLast((days) => leftMs <= days * dayMs) : undefined;
};

/** `14` → `P14D` (ISO 8601). */
export const toDuration = (days: NoticeDays): string => `P${days}D`;

/**
 * Whether a key works from no registered address of its company, because the blocks that it is limited to are no longer
 * registered. Two CIDR blocks overlap only if one contains the other.
 */
export const isStranded = ({ allowedCidrs }: Pick<KeyOptions, 'allowedCidrs'>, registered: Registered): boolean =>
  allowedCidrs?.every(
    (block) => !isCidrWithin(block, registered) && !registered.some((other) => isCidrWithin(other, [block])),
  ) ?? false;

/** Whether a key can create another. */
export const canRenew = (key: Omit<Renewing, keyof Expiring>, registered: Registered): boolean =>
  key.access === 'full' && !isStranded(key, registered);

/**
 * Whether the company has no other valid key when this one expires, or only keys that cannot create another.
 */
export const isLastKey = (key: Renewing, keys: readonly Renewing[], registered: Registered): boolean =>
  keys.every(
    (other) => other.expiresAtMs <= key.expiresAtMs || (canRenew(key, registered) && !canRenew(other, registered)),
  );

/** The last key that runs out first: from then on only the operator can issue a key. Undefined if there is no key. */
export const firstLastKey = <Key extends Renewing>(keys: readonly Key[], registered: Registered): Key | undefined =>
  keys.filter((key) => isLastKey(key, keys, registered)).reduce<Key | undefined>(nearer, undefined);

const nearer = <Key extends Expiring>(one: Key | undefined, other: Key): Key =>
  one && one.expiresAtMs <= other.expiresAtMs ? one : other;

/** The months of expiry, `2036-09`, of all keys that are valid or have run out within the look-back, and of few others. */
export const watchedMonths = (nowMs: number): string[] => {
  const last = toMonth(addMonths(nowMs, keyLifetimeMonths));
  const months = [toMonth(nowMs - lookBackDays * dayMs)];
  while ((months.at(-1) as string) < last) months.push(toMonth(addMonths(Date.parse(`${months.at(-1)}-01`), 1)));
  return months;
};

/** Whether a key is valid or has run out within the look-back. */
export const isWatched = ({ expiresAtMs }: Expiring, nowMs: number): boolean =>
  expiresAtMs > nowMs - lookBackDays * dayMs;

/** Until when the notices of a key are kept: nobody asks for them once the watch has forgotten the key. Epoch seconds. */
export const noticeRemovedAtSeconds = ({ expiresAtMs }: Expiring): number =>
  Math.ceil((expiresAtMs + lookBackDays * dayMs) / 1000);

type CompanyKey = Renewing & { readonly companyId: string };

/** The keys of one company. */
export type CompanyKeys<Key> = { readonly keys: readonly Key[]; readonly registered: Registered };

/** The metrics of the keys of all companies. */
export const expirySummary = (companies: readonly CompanyKeys<CompanyKey>[], nowMs: number) => {
  const nearest = companies
    .flatMap(({ keys, registered }) => firstLastKey(keys, registered) ?? [])
    .reduce<CompanyKey | undefined>(nearer, undefined);
  return {
    KeysExpiring: companies.flatMap(({ keys }) => keys).filter((key) => dueNotice(key, nowMs) !== undefined).length,
    // Absent if there is no company: a metric's value has to be a number.
    DaysToLastKeyExpiry: nearest && daysLeft(nearest, nowMs),
    nearestCompanyId: nearest?.companyId,
  };
};

/** To a tenth, rounded down; 0 if it has run out. */
const daysLeft = ({ expiresAtMs }: Expiring, nowMs: number): number =>
  Math.floor(Math.max(0, expiresAtMs - nowMs) / (dayMs / 10)) / 10;
