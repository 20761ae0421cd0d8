import { createHash } from 'node:crypto';
import { type RequestedChangeEvent, requestedChangeType } from '../api/requested-change.ts';
import { changeItemOf, type StoredShadow } from '../data/appliances/appliances.ts';
import { mayBeNone } from '../domain/appliance.ts';
import { levelsApart, levelsTogether } from '../domain/level-setpoints.ts';
import { newestOf } from '../domain/open-change.ts';
import { toTimestamp } from '../domain/time.ts';
import type { FifoMessage } from '../runtime/senders.ts';

/** What the backend is asked for: the open values of an item, and after a drop the reported values of what was dropped. */
export type ChangeToSend = StoredShadow & { readonly gatewayId: string };

/**
 * Returns the message for the gateway's backend about a change of an item. The event's id is the same for each delivery of the
 * same version of the same item; `delivery` distinguishes deliveries that are repeated on purpose, so that the queue does not
 * drop them as repeats. Each delivery asks for the reported values of what was dropped, because the backend applies only the
 * first one of a version, and a reconnect may deliver the version before the record of the drop does. Throws for a change without
 * a requester.
 */
export const requestedChangeMessage = (change: ChangeToSend, delivery = ''): FifoMessage => {
  const { gatewayId, sk, version, desired, desiredBy, lastDropped } = change;
  // Nobody can be asked for the permission.
  if (desired && !desiredBy) throw new TypeError(`${sk} has a change that nobody requested.`);
  const newest = desiredBy && newestOf(desiredBy);
  const id = digestOf(gatewayId, sk, String(version));
  const ends = Object.entries(desiredBy ?? {}).flatMap(([name, { validUntilMs }]) =>
    validUntilMs === undefined ? [] : [[name, toTimestamp(validUntilMs)]],
  );
  const event = {
    specversion: '1.0',
    id,
    source: 'partner-api',
    type: requestedChangeType,
    subject: gatewayId,
    time: new Date(Math.max(newest?.atMs ?? 0, lastDropped?.atMs ?? 0)).toISOString(),
    data: {
      item: changeItemOf(sk),
      version,
      desired: levelsTogether({ ...reportedOfDropped(change), ...desired }),
      ...(ends.length > 0 && { validUntil: Object.fromEntries(ends) }),
      ...(newest && { companyId: newest.companyId, requestId: newest.requestId }),
    },
  } satisfies RequestedChangeEvent;
  return { body: JSON.stringify(event), groupId: gatewayId, deduplicationId: digestOf(id, delivery) };
};

/**
 * Returns the values of dropped properties that the appliance reported last, so that a backend that has received the dropped
 * values returns to these. A property that was never reported is left out.
 */
const reportedOfDropped = ({ reported, lastDropped }: ChangeToSend): object => {
  const known = levelsApart(reported);
  return Object.fromEntries(
    (lastDropped?.names ?? []).flatMap((name) => {
      const value = known[name] ?? (mayBeNone.has(name) ? null : undefined);
      return value === undefined ? [] : [[name, value]];
    }),
  );
};

const digestOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('|')).digest('base64url');
