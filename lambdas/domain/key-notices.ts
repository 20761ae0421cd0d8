import { keyLifetimeMonths, noticeDays } from '../api/limits.ts';
import type { KeyOptions } from './api-key.ts';
import { isCidrWithin } from './company.ts';
import { addMonths, toMonth } from './time.ts';

export type NoticeDays = (typeof noticeDays)[number];

/** How long after its expiry the watch includes a key, in days. */
const lookBackDays = 30;

const dayMs = 86_400_000;

type Expiring = { readonly expiresAtMs: number };

/** What decides whether a key is its company's last. */
type Renewing = Expiring & Pick<KeyOptions, 'access' | 'allowedCidrs'>;

/** The CIDR blocks that a company has registered. */
type Registered = readonly string[];

/**
 * Returns the notice that is due for a key: that of the shortest notice period which covers the remaining time. Returns
 * undefined if more time remains than the longest period, or if the key has expired. A missed notice is not sent later, because
 * its number of days would be wrong.
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
export const hasNoUsableAddress = (
  { allowedCidrs }: Pick<KeyOptions, 'allowedCidrs'>,
  registered: Registered,
): boolean =>
  allowedCidrs?.every(
    (block) => !isCidrWithin(block, registered) && !registered.some((other) => isCidrWithin(other, [block])),
  ) ?? false;

/** Whether a key can create another. */
export const canRenew = (key: Omit<Renewing, keyof Expiring>, registered: Registered): boolean =>
  key.access === 'full' && !hasNoUsableAddress(key, registered);

/**
 * Whether the company has no other valid key when this one expires, or only keys that cannot create another.
 */
export const isLastKey = (key: Renewing, keys: readonly Renewing[], registered: Registered): boolean =>
  keys.every(
    (other) => other.expiresAtMs <= key.expiresAtMs || (canRenew(key, registered) && !canRenew(other, registered)),
  );

/**
 * Returns the last key that expires first: after that only the operator can issue a key. Returns undefined if there is no key.
 */
export const firstLastKey = <Key extends Renewing>(keys: readonly Key[], registered: Registered): Key | undefined =>
  keys.filter((key) => isLastKey(key, keys, registered)).reduce<Key | undefined>(nearer, undefined);

const nearer = <Key extends Expiring>(one: Key | undefined, other: Key): Key =>
  one && one.expiresAtMs <= other.expiresAtMs ? one : other;

/** Returns the months of expiry (`2036-09`) of all keys that are valid or within the look-back, and of few others. */
export const watchedMonths = (nowMs: number): string[] => {
  const last = toMonth(addMonths(nowMs, keyLifetimeMonths));
  const months = [toMonth(nowMs - lookBackDays * dayMs)];
  while ((months.at(-1) as string) < last) months.push(toMonth(addMonths(Date.parse(`${months.at(-1)}-01`), 1)));
  return months;
};

/** Whether a key is valid, or expired within the look-back. */
export const isWatched = ({ expiresAtMs }: Expiring, nowMs: number): boolean =>
  expiresAtMs > nowMs - lookBackDays * dayMs;

/** Returns when the notices of a key expire, in epoch seconds: they are not read after the look-back. */
export const noticeRemovedAtSeconds = ({ expiresAtMs }: Expiring): number =>
  Math.ceil((expiresAtMs + lookBackDays * dayMs) / 1000);

type CompanyKey = Renewing & { readonly companyId: string };

/** The keys of one company. */
export type CompanyKeys<Key> = { readonly keys: readonly Key[]; readonly registered: Registered };

/** Returns the metrics of the keys of all companies. */
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

/** Returns the remaining days, rounded down to a tenth; 0 if the key has expired. */
const daysLeft = ({ expiresAtMs }: Expiring, nowMs: number): number =>
  Math.floor(Math.max(0, expiresAtMs - nowMs) / (dayMs / 10)) / 10;
