import { usageBody } from '../answers/usage.ts';
import { defaultUsageDays, pageSize, usageDays, usageHours } from '../api/limits.ts';
import { invalidRequest, Problem } from '../api/problems.ts';
import { pointerTo } from '../api/schemas/common.ts';
import { serve } from '../chain/serve.ts';
import { listApiKeys } from '../data/api-keys/api-keys.ts';
import { findUsageProgress, readUsage } from '../data/usage.ts';
import { toDate } from '../domain/time.ts';
import { dayOf, hourOf } from '../domain/usage.ts';

/** The first and the last day, or hour. */
type Periods = { readonly from: string; readonly to: string };

type Asked = { readonly [Name in keyof Periods]?: Periods[Name] | undefined } & {
  readonly by?: 'hour' | 'key' | undefined;
};

export const getUsage = /* @__PURE__ */ serve('getUsage', async ({ store, company, query, nowMs }) => {
  const periods = query.by === 'hour' ? lastHours(nowMs) : daysOf(query, nowMs);
  if (periods instanceof Problem) return periods;
  const { companyId } = company;
  const [usages, progress, { keys }] = await Promise.all([
    readUsage(store, companyId, periods),
    findUsageProgress(store),
    listApiKeys(store, companyId, pageSize.max),
  ]);
  const days = { from: dayOf(periods.from), to: dayOf(periods.to) };
  return { body: { ...days, ...usageBody({ by: query.by, usages, progress, keys }) } };
});

const hourMs = 3_600_000;

const lastHours = (nowMs: number): Periods => ({ from: hourOf(nowMs - (usageHours - 1) * hourMs), to: hourOf(nowMs) });

/**
 * Returns the requested days. Refuses days that are no longer kept, since an answer without them would suggest that there
 * were no requests.
 */
const daysOf = (query: Asked, nowMs: number): Periods | ReturnType<typeof invalidRequest> => {
  const oldest = daysBefore(nowMs, usageDays - 1);
  const today = toDate(nowMs);
  const [to = today] = [today, query.to ?? today].toSorted();
  const [usual = oldest] = [oldest, daysBefore(Date.parse(to), defaultUsageDays - 1)].toSorted().slice(-1);
  const { from = usual } = query;
  const refuse = (name: keyof Periods, detail: string) =>
    invalidRequest([{ pointer: pointerTo('query', name), detail }]);
  const tooOld = to < oldest ? 'to' : from < oldest ? 'from' : undefined;
  if (tooOld) return refuse(tooOld, `Days are kept for ${usageDays} days: the first one is ${oldest}.`);
  return from > to ? refuse('from', `Expected no day after ${to}.`) : { from, to };
};

const daysBefore = (atMs: number, days: number): string => toDate(atMs - days * 86_400_000);
