import assert from 'node:assert/strict';
import { applyGrant, grantGateway } from '../../../../lambdas/data/contracts/grants.ts';
import { appendEvents } from '../../../../lambdas/data/feed/append.ts';
import type { Segment } from '../../../../lambdas/data/feed/feed-items.ts';
import { findGone, removeGone } from '../../../../lambdas/data/feed/purge.ts';
import { notePurge } from '../../../../lambdas/data/feed/purge-notes.ts';
import { readFeed } from '../../../../lambdas/data/feed/read.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import type { Parties } from '../../../../lambdas/domain/contract.ts';
import { isPastForGood, isWhole, type StoredEvent } from '../../../../lambdas/domain/feed-event.ts';
import { handler } from '../../../../lambdas/jobs/purgeFeeds.ts';
import type { FunctionEnvironment } from '../../../../lambdas/runtime/function-environment.ts';
import { companyEvent } from '../../../../test/support/feed.ts';
import type { Tables } from '../../../../test/support/memory-store/tables.ts';
import { eventContext, rowsWith } from '../../../../test/support/stage/rows.ts';
import { onboard, partiesOf, startMs } from '../../../../test/support/world.ts';
import type { Scenario } from '../scenario.ts';

const eventsIn = (tables: Tables): StoredEvent[] =>
  (rowsWith(tables, 'Events', 'EVENT#') as unknown as Segment[])
    .toSorted((one, other) => one.firstSeq - other.firstSeq)
    .flatMap(({ firstSeq, events }, index, all) => {
      const before = all.slice(0, index).reduce((sum, segment) => sum + segment.events.length, 0);
      assert.equal(firstSeq, before + 1, 'a number is lacking, or was given twice');
      return events;
    });

/** Every event keeps its number, exists once, and keeps its content removed once it was removed. */
const numbersStay = (before: Tables, after: Tables): void => {
  const [old, young] = [eventsIn(before), eventsIn(after)];
  assert.equal(new Set(young.map(({ id }) => id)).size, young.length, 'an event is there twice');
  for (const [index, event] of old.entries()) {
    assert.equal(young[index]?.id, event.id, 'an event has another number');
    assert(isWhole(event) || !isWhole(young[index] as StoredEvent), 'a removed event is there again');
  }
};

const ofGateway = (note: string, gatewayId: string, userId: string, afterMs: number) =>
  companyEvent(note, { type: 'circuit.changed', gatewayId, userId, receivedAtMs: startMs + afterMs });

/** A run of the job. */
const runJob = async (store: Store): Promise<void> => {
  const environment = {
    store,
    processTimeMs: () => startMs + 3_600_000,
    log: () => undefined,
    setting: () => 'a-stage',
  };
  await handler.withEnvironment(environment as object as FunctionEnvironment)(undefined, undefined);
};

/** Purges the first page of a feed, which here is the whole feed. */
const purge =
  ({ companyId, userId }: Parties) =>
  async (store: Store): Promise<void> => {
    for await (const { gone } of findGone(store, { companyId, userIds: new Set([userId]) }, isPastForGood)) {
      for (const each of gone) await removeGone(store, companyId, each);
      return;
    }
  };

/** A company whose owner revoked the first of two gateways; one segment of its feed has an event of each gateway. */
const arrangeRevoked = async (store: Store) => {
  const { companyId } = await onboard(store);
  const parties = partiesOf(companyId);
  const { userId } = parties;
  for (const gatewayId of ['gw-1', 'gw-2']) await grantGateway(store, parties, gatewayId, startMs);
  const [gone, kept] = [ofGateway('gone', 'gw-1', userId, 1), ofGateway('kept', 'gw-2', userId, 1)];
  await appendEvents(store, companyId, [gone, kept], startMs);
  await applyGrant(store, eventContext(companyId, 2), { gatewayId: 'gw-1', isGranted: false, userId });
  const revokeOther = (own: Store) =>
    applyGrant(own, eventContext(companyId, 3), { gatewayId: 'gw-2', isGranted: false, userId });
  return { companyId, userId, parties, gone, kept, revokeOther };
};

const wholeIn = (tables: Tables): string[] =>
  eventsIn(tables)
    .filter(isWhole)
    .map(({ id }) => id);

export const feedPurgeScenarios: readonly Scenario[] = [
  {
    name: 'a run of the feed purge while an owner revokes more',
    guarantee: 'revoked data is removed from the rows, or noted for the next run',
    maxDisturbances: { prove: 0, full: 2 },
    arrange: async (store) => {
      const { parties, gone, kept, revokeOther } = await arrangeRevoked(store);
      await notePurge(store, parties, startMs);
      return {
        operations: {
          run: runJob,
          owner: async (own) => {
            await revokeOther(own);
            await notePurge(own, parties, startMs + 1);
          },
        },
        afterEach: numbersStay,
        atEnd: ({ tables, outcomes }) => {
          if (rowsWith(tables, 'Events', 'NOTE#').length > 0) return;
          const takenBack = outcomes.owner?.kind === 'ended' ? [gone.id, kept.id] : [gone.id];
          assert.deepEqual(
            wholeIn(tables).filter((id) => takenBack.includes(id)),
            [],
            'what was taken back is there, and no run will go for it',
          );
        },
      };
    },
  },
  {
    name: 'a purge of a feed while an owner revokes more and that is purged',
    guarantee: 'neither purge restores what the other removed',
    maxDisturbances: { prove: 0, full: 2 },
    arrange: async (store) => {
      const { parties, revokeOther } = await arrangeRevoked(store);
      return {
        operations: {
          purge: purge(parties),
          'owner and purge': async (own) => {
            await revokeOther(own);
            await purge(parties)(own);
          },
        },
        afterEach: numbersStay,
        atEnd: ({ tables, isUndisturbed }) => {
          if (isUndisturbed) assert.deepEqual(wholeIn(tables), []);
        },
      };
    },
  },
  {
    name: 'a purge of a feed, an appender and a reader',
    guarantee: 'no event is lost or duplicated, no number is missing, and the reader sees no gap',
    maxDisturbances: { prove: 0, full: 2 },
    arrange: async (store) => {
      const { companyId, parties, gone, kept } = await arrangeRevoked(store);
      const appended = companyEvent('appended');
      return {
        operations: {
          purge: purge(parties),
          appender: (own) => appendEvents(own, companyId, [appended], startMs),
          reader: async (own) => {
            const page = await readFeed(own, companyId, { start: 'oldest', limit: 100 }, startMs);
            assert(page.outcome === 'page');
            const ids = page.events.map(({ id }) => id);
            assert.deepEqual(ids, [gone.id, kept.id, appended.id].slice(0, ids.length), 'the reader saw a hole');
          },
        },
        afterEach: numbersStay,
        atEnd: ({ tables, isUndisturbed }) => {
          if (isUndisturbed) assert.deepEqual(wholeIn(tables), [kept.id, appended.id]);
        },
      };
    },
  },
  {
    name: 'a purge of a feed, a new grant of the gateway, and an event of the gateway',
    guarantee: 'events from before the revocation are removed, and events under the new grant stay',
    maxDisturbances: { prove: 0, full: 2 },
    arrange: async (store) => {
      const { companyId, userId, parties, gone, kept } = await arrangeRevoked(store);
      const anew = ofGateway('anew', 'gw-1', userId, 4);
      return {
        operations: {
          purge: purge(parties),
          owner: async (own) => {
            await applyGrant(own, eventContext(companyId, 3), { gatewayId: 'gw-1', isGranted: true, userId });
            await appendEvents(own, companyId, [anew], startMs);
          },
        },
        afterEach: numbersStay,
        atEnd: ({ tables, isUndisturbed }) => {
          const whole = wholeIn(tables);
          assert(whole.includes(kept.id), 'an event of another gateway is gone');
          const isAppended = eventsIn(tables).some(({ id }) => id === anew.id);
          assert(!isAppended || whole.includes(anew.id), 'what happened under the new grant is gone');
          if (isUndisturbed) assert(!whole.includes(gone.id), 'what happened before the revocation is there');
        },
      };
    },
  },
];
