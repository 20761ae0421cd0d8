import assert from 'node:assert/strict';
import { applyGrant, grantGateway } from '../../../../lambdas/data/contracts/grants.ts';
import { appendEvents } from '../../../../lambdas/data/feed/append.ts';
import type { Segment } from '../../../../lambdas/data/feed/feed-items.ts';
import { findGone, removeGone } from '../../../../lambdas/data/feed/purge.ts';
import { duePurges, endPurge, notePurge } from '../../../../lambdas/data/feed/purge-notes.ts';
import { readFeed } from '../../../../lambdas/data/feed/read.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { isPastForGood, isWhole, type StoredEvent } from '../../../../lambdas/domain/feed-event.ts';
import { companyEvent } from '../../../support/feed.ts';
import { onboard, partiesOf, startMs } from '../../../support/world.ts';
import type { Ending, Scenario } from '../scenario.ts';
import type { Tables } from '../store/tables.ts';
import { rowsWith, told } from './rows.ts';

const eventsIn = (tables: Tables): StoredEvent[] =>
  (rowsWith(tables, 'Events', 'EVENT#') as unknown as Segment[])
    .toSorted((one, other) => one.firstSeq - other.firstSeq)
    .flatMap(({ firstSeq, events }, index, all) => {
      const before = all.slice(0, index).reduce((sum, segment) => sum + segment.events.length, 0);
      assert.equal(firstSeq, before + 1, 'a number is lacking, or was given twice');
      return events;
    });

/** Every event keeps its number, is there once, and is not whole again once it was removed. */
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

/** Goes through a feed for its notes, as the job does. */
const purge = async (store: Store): Promise<void> => {
  for await (const notes of duePurges(store, startMs + 3_600_000))
    for (const note of notes) {
      const owners = { companyId: note.companyId, userIds: new Set([note.userId]) };
      for await (const { gone } of findGone(store, owners, isPastForGood))
        for (const each of gone) await removeGone(store, note.companyId, each);
      await endPurge(store, note);
    }
};

/** A company whose owner has revoked the first of two gateways, of each of which its feed tells in one segment; it is noted. */
const arrangeRevoked = async (store: Store) => {
  const { companyId } = await onboard(store);
  const { userId } = partiesOf(companyId);
  for (const gatewayId of ['gw-1', 'gw-2']) await grantGateway(store, { companyId, userId }, gatewayId, startMs);
  const [gone, kept] = [ofGateway('gone', 'gw-1', userId, 1), ofGateway('kept', 'gw-2', userId, 1)];
  await appendEvents(store, companyId, [gone, kept], startMs);
  await applyGrant(store, told(companyId, 2), { gatewayId: 'gw-1', isGranted: false, userId });
  await notePurge(store, { companyId, userId }, startMs);
  return { companyId, userId, gone, kept };
};

const wholeAtEnd = ({ tables }: Ending): string[] =>
  eventsIn(tables)
    .filter(isWhole)
    .map(({ id }) => id);

export const feedPurgeScenarios: readonly Scenario[] = [
  {
    name: 'two purges of a feed, beside an appender and a reader',
    guarantee:
      'no event is lost, none is there twice, no number is lacking, and what was removed is readable in no row',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      const { companyId, gone, kept } = await arrangeRevoked(store);
      const appended = companyEvent('appended');
      return {
        operations: {
          'purge 1': purge,
          'purge 2': purge,
          appender: (own) => appendEvents(own, companyId, [appended], startMs),
          reader: async (own) => {
            const page = await readFeed(own, companyId, 'oldest', 100, startMs);
            assert(page.outcome === 'page');
            const ids = page.events.map(({ id }) => id);
            assert.deepEqual(ids, [gone.id, kept.id, appended.id].slice(0, ids.length), 'the reader saw a hole');
          },
        },
        afterEach: numbersStay,
        atEnd: (ending) => {
          if (ending.isUndisturbed) assert.deepEqual(wholeAtEnd(ending), [kept.id, appended.id]);
        },
      };
    },
  },
  {
    name: 'a purge of a feed, beside an owner who grants the gateway anew and an event of it',
    guarantee: 'what happened before the revocation goes, and what happened under the new grant stays',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      const { companyId, userId, gone, kept } = await arrangeRevoked(store);
      const anew = ofGateway('anew', 'gw-1', userId, 4);
      return {
        operations: {
          purge,
          owner: async (own) => {
            await applyGrant(own, told(companyId, 3), { gatewayId: 'gw-1', isGranted: true, userId });
            await appendEvents(own, companyId, [anew], startMs);
          },
        },
        afterEach: numbersStay,
        atEnd: (ending) => {
          const whole = wholeAtEnd(ending);
          assert(whole.includes(kept.id), 'an event of another gateway is gone');
          const isAppended = eventsIn(ending.tables).some(({ id }) => id === anew.id);
          assert(!isAppended || whole.includes(anew.id), 'what happened under the new grant is gone');
          if (ending.isUndisturbed) assert(!whole.includes(gone.id), 'what happened before the revocation is there');
        },
      };
    },
  },
];
