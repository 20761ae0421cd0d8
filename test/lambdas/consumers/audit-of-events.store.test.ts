import { beforeAll, expect, test } from 'vitest';
import type { InboundEventType } from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { prepareFor, take } from '../../support/messages.ts';
import { readAudit } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const takenAtMs = startMs + 20 * 86_400_000;

test.each<InboundEventType>(['portal.consent.withdrawn.v1', 'portal.installation.added.v1'])(
  '%s that comes weeks late is on record once: as of when it was taken, with the time of its fact',
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
