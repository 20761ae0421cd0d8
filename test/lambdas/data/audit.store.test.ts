import { beforeAll, describe, expect, test } from 'vitest';
import type { InboundEventType } from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { type AuditPosition, type AuditScope, auditPut, readAuditLog } from '../../../lambdas/data/audit.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { prepareFor, take } from '../../support/messages.ts';
import { operatorActOn, readAudit } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

test('a row never replaces another one, and the rest of its transaction is not applied', async () => {
  const auditContext = operatorActOn('c');
  const first = auditPut(world.store, auditContext, { keyId: 'first' });
  const second = auditPut(world.store, auditContext, { keyId: 'second' });
  expect(await transact(world.store, { first })).toBeUndefined();
  const inItsPlace = { Put: { ...second.Put, Item: { ...second.Put?.Item, sk: first.Put?.Item?.sk } } };
  const other = auditPut(world.store, auditContext, { keyId: 'other' });
  const failed = await transact(world.store, { inItsPlace: inItsPlace as typeof second, other });
  expect(failed).toMatchObject({ name: 'inItsPlace' });
  expect(await readAudit(world.store, 'c')).toMatchObject([{ keyId: 'first' }]);
});

describe('recorded changes', () => {
  const newestFirst = (newest: number, oldest: number) =>
    Array.from({ length: newest - oldest + 1 }, (_, index) => toTimestamp(startMs + (newest - index) * 500));

  /**
   * Twelve changes, half a second apart: the first four without an owner, the last four by another company to the same gateway.
   */
  beforeAll(async () => {
    for (let step = 0; step < 12; step++) {
      const act = operatorActOn(step < 8 ? 'acme' : 'globex', startMs + step * 500);
      const audit =
        step < 4
          ? auditPut(world.store, act, { keyId: 'new' })
          : auditPut(world.store, { ...act, userId: 'owner' }, { gatewayId: 'gw-1' });
      await transact(world.store, { audit });
    }
  });

  test.each<[AuditScope, string[]]>([
    [{ by: 'company', id: 'acme' }, newestFirst(7, 0)],
    [{ by: 'user', id: 'owner' }, newestFirst(11, 4)],
    [{ by: 'gateway', id: 'gw-1' }, newestFirst(11, 4)],
    [{ by: 'gateway', id: 'another' }, []],
  ])('of %j are read newest first, in pages that neither miss nor repeat a change', async (scope, expected) => {
    for (const limit of [100, 3]) {
      const times: string[] = [];
      let after: AuditPosition | undefined;
      do {
        const page = await readAuditLog(world.store, scope, limit, after);
        expect(page.rows.length).toBeLessThanOrEqual(limit);
        times.push(...page.rows.map(({ at }) => at));
        after = page.next;
      } while (after);
      expect(times).toEqual(expected);
    }
  });
});

const takenAtMs = startMs + 20 * 86_400_000;

test.each<InboundEventType>(['portal.consent.withdrawn.v1', 'portal.installation.added.v1'])(
  '%s that arrives weeks late is recorded once, at its receipt, with the time of its fact',
  async (type) => {
    const event = await prepareFor(world.store, type);
    const { outcomes } = await take('takePortalEvents', [event, event], { arrivedAtMs: takenAtMs });
    expect(outcomes).toEqual(['applied', 'stale']);
    const rows = await readAudit(world.store, String(event.subject));
    expect(rows.filter(({ operation }) => operation === type)).toEqual([
      expect.objectContaining({
        sk: expect.stringContaining(new Date(takenAtMs).toISOString()),
        at: toTimestamp(takenAtMs),
        factAt: toTimestamp(startMs),
        requestId: event.id,
        actorKeyId: null,
      }),
    ]);
  },
);
