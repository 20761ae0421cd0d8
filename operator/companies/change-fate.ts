import * as z from 'zod';
import { changedItemKey, readShadow } from '../../lambdas/data/appliances/appliances.ts';
import { type AuditRow, readAuditLog } from '../../lambdas/data/audit.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Shadow } from '../../lambdas/domain/appliance.ts';
import { firstExpiryOf, type Requesters } from '../../lambdas/domain/open-change.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';

/** The permissions to find out what became of a requested change. */
export const fateActions = { Appliances: ['GetItem'], 'AuditLog/index/byGateway': ['Query'] } as const;

/** What became of one property that a request has asked for. */
export const fate = z.strictObject({
  /**
   * `open`: the appliance has not reported it yet; `refused`: the appliance has refused it, and it stays open; `replaced`: a
   * later request asked for another value; `dropped`: the service or an operator dropped it before the appliance reported it;
   * `reported`: none of these, so the appliance has reported it; `removed`: the item does not exist any more; `unknown`: there
   * were too many later changes of the gateway to read them all.
   */
  state: z.enum(['open', 'refused', 'replaced', 'dropped', 'reported', 'removed', 'unknown']),
  /** The reason of a refusal or a drop; the request that replaced it. Null for other states, as is `at`. */
  because: z.string().nullable(),
  at: z.iso.datetime().nullable(),
  /** When an open property expires; null if it does not, and for other states. */
  validUntil: z.iso.datetime().nullable(),
});

export type Fate = z.output<typeof fate>;

/** The maximum number of later changes of a gateway that are read. */
const maxLater = 500;

type Values = Readonly<Record<string, unknown>>;

/** Resolves to what became of each property that the audit row of a request names. The row is about a home. */
export const readFates = async (store: Store, row: AuditRow): Promise<Readonly<Record<string, Fate>>> => {
  const gatewayId = String(row.gatewayId);
  const [item, page] = await Promise.all([
    readShadow(store, changedItemKey(gatewayId, itemOf(row))),
    readAuditLog(store, { by: 'gateway', id: gatewayId }, maxLater),
  ]);
  const isWhole = page.next === undefined || page.rows.some(({ at }) => Date.parse(at) < Date.parse(row.at));
  const later = page.rows
    .filter((each) => Date.parse(each.at) >= Date.parse(row.at) && !isOfRequest(each, row))
    .filter((each) => isSameItem(each, row))
    .toReversed();
  return Object.fromEntries(
    Object.keys(row.after ?? {}).map((name) => [name, fateOf(name, row.requestId, { item, later, isWhole })]),
  );
};

type Found = {
  readonly item: Shadow | undefined;
  /** Later changes of the item, the oldest first. */
  readonly later: readonly AuditRow[];
  readonly isWhole: boolean;
};

const fateOf = (name: string, requestId: string, { item, later, isWhole }: Found): Fate => {
  const requester = item?.desiredBy?.[name];
  if (requester?.requestId === requestId) {
    const refusal = item?.lastRefusal;
    const validUntil = validUntilOf({ [name]: requester });
    return refusal && refusal.version >= requester.version
      ? { state: 'refused', because: refusal.reason, at: null, validUntil }
      : { ...closedAs('open'), validUntil };
  }
  if (!isWhole) return closedAs('unknown');
  const next = later.find((each) => name in valuesOf(each));
  if (next === undefined) return closedAs(item === undefined ? 'removed' : 'reported');
  const dropped = next.after?.dropped;
  return dropped === undefined
    ? { ...closedAs('replaced'), because: next.requestId, at: next.at }
    : { ...closedAs('dropped'), because: String(dropped), at: next.at };
};

/** A drop has the dropped values in `before`, since nothing replaced them. */
const valuesOf = ({ before = {}, after = {} }: AuditRow): Values => ('dropped' in after ? before : after);

/** Returns when the first of the desired properties of an item expires; null if none does. */
export const validUntilOf = (requesters: Requesters): string | null => {
  const untilMs = firstExpiryOf(requesters);
  return untilMs === undefined ? null : toTimestamp(untilMs);
};

const closedAs = (state: Fate['state']): Fate => ({ state, because: null, at: null, validUntil: null });

/** A drop because time has passed, or before a sending, has the id of the request whose values it drops. */
const isOfRequest = (each: AuditRow, { requestId }: AuditRow): boolean =>
  each.requestId === requestId && !('dropped' in (each.after ?? {}));

const isSameItem = (one: AuditRow, other: AuditRow): boolean =>
  (['family', 'circuitId', 'timeProgramId'] as const).every((name) => one[name] === other[name]);

/** A change of a home without a circuit is one of its holiday. */
const itemOf = ({ family, circuitId, timeProgramId }: AuditRow): Parameters<typeof changedItemKey>[1] => {
  if (family === undefined || circuitId === undefined) return { kind: 'holiday' };
  const circuit = { family: family as 'heating' | 'dhw', circuitId };
  return timeProgramId === undefined
    ? { kind: 'circuit', ...circuit }
    : { kind: 'time-program', ...circuit, timeProgramId };
};
