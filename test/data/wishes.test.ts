import { randomUUID } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { confirm, reportBlock } from '../../lambdas/data/appliance-reports.ts';
import {
  type ApplianceItemKey,
  circuitItemKey,
  gatewayItemKey,
  timeProgramItemKey,
} from '../../lambdas/data/appliances.ts';
import { tableName } from '../../lambdas/data/environment.ts';
import { isStoreUnavailable } from '../../lambdas/data/store-errors.ts';
import { makeWish, type Wish, type WishOutcome } from '../../lambdas/data/wishes.ts';
import type { Gateway, Wishable } from '../../lambdas/domain/appliance.ts';
import { entityTagOf } from '../../lambdas/domain/entity-tag.ts';
import { installGateway, readStored } from '../support/appliance.ts';
import { readAudit } from '../support/audit.ts';
import { below, randomNumbers } from '../support/seed.ts';
import type { Fault } from '../support/store-proxy.ts';
import { openWorld, spoil, startMs } from '../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** As many as all get through: a wish tries ten times, and each attempt that fails has met one of the others. */
const manyWishes = 10;

describe('wishes that meet, all with one If-Match', () => {
  test.each([
    [2, 15],
    [20, 5],
  ])('of %i at once one is stored, the others are told that it has changed (%i rounds)', async (count, rounds) => {
    for (let round = 0; round < rounds; round++) {
      const scene = await openScene();
      const ifMatch = [entityTagOf(1)];
      const outcomes = await Promise.all(range(count).map((index) => scene.wish({ ifMatch, values: { index } })));
      const [winner, ...others] = outcomes.filter(isWished);
      expect(others).toEqual([]);
      expect(outcomes.filter(({ outcome }) => outcome === 'precondition-failed').length).toBe(count - 1);
      expect(await scene.stored()).toMatchObject({ version: 2, wished: winner?.item.wished });
      expect(await scene.auditCount()).toBe(1);
    }
  });

  test('a tag of a version that has passed changes nothing', async () => {
    const scene = await openScene();
    await scene.wish({ values: { operationMode: 'off' } });
    const late = { ifMatch: [entityTagOf(1)], values: { operationMode: 'manual' } };
    expect(await scene.wish(late)).toEqual({ outcome: 'precondition-failed' });
    expect(await scene.stored()).toMatchObject({ version: 2, wished: { operationMode: 'off' } });
    expect(await scene.auditCount()).toBe(1);
  });
});

describe('wishes that meet, without If-Match', () => {
  test(`all of ${manyWishes} at once are stored, none is lost, the version counts them (5 rounds)`, async () => {
    for (let round = 0; round < 5; round++) {
      const scene = await openScene();
      const wishes = range(manyWishes).map((index) => ({ [`property${index}`]: index }));
      const outcomes = await Promise.all(wishes.map((values) => scene.wish({ values })));
      const versions = outcomes.filter(isWished).map(({ item }) => item.version);
      expect(versions.toSorted((a, b) => a - b)).toEqual(range(manyWishes).map((index) => index + 2));
      expect(await scene.stored()).toMatchObject({ version: 1 + manyWishes, wished: Object.assign({}, ...wishes) });
      expect(await scene.auditCount()).toBe(manyWishes);
    }
  });

  test('of 40 at once some may have to come again, and exactly those are not stored', async () => {
    const scene = await openScene();
    const wishes = range(40).map((index) => ({ [`property${index}`]: index }));
    const outcomes = await Promise.all(wishes.map((values) => orUnavailable(scene.wish({ values }))));
    const accepted = wishes.filter((_, index) => outcomes[index]?.outcome === 'wished');
    expect(accepted.length).toBeGreaterThanOrEqual(manyWishes);
    expect(await scene.stored()).toMatchObject({ version: 1 + accepted.length });
    expect((await scene.stored())?.wished).toEqual(Object.assign({}, ...accepted));
    expect(await scene.auditCount()).toBe(accepted.length);
  });
});

test('a wish that the appliance has confirmed meanwhile does not come back with the next one', async () => {
  const scene = await openScene();
  const first = await scene.wish({ values: { operationMode: 'off' } });
  if (!isWished(first)) throw new Error('The first wish was not stored.');
  const reported = { operationMode: 'off' };
  await confirm(world.store, scene.key, { reported, reportedAtMs: startMs, version: first.item.version });
  // As one wishes who has read the circuit before it was confirmed.
  await scene.wish({ item: first.item, values: { roomSetpointCelsius: 19 } });
  expect(await scene.stored()).toMatchObject({ version: 3, reported });
  expect((await scene.stored())?.wished).toEqual({ roomSetpointCelsius: 19 });
  expect(await scene.auditCount()).toBe(2);
});

describe('a function that the appliance blocks', () => {
  const block = { sinceMs: startMs, untilMs: startMs + 60_000 };

  test.each([
    ['with an end', block],
    ['without an end', { ...block, untilMs: null }],
  ])(
    'is not changed by one who has read the gateway before a block %s; the answer tells the block',
    async (_, each) => {
      const scene = await openScene();
      await reportBlock(world.store, scene.gateway.gatewayId, 'heatingCircuits', each);
      expect(await scene.wish()).toEqual({ outcome: 'appliance-function-blocked', block: each });
      expect(await scene.stored()).toMatchObject({ version: 1 });
      expect(await scene.stored()).not.toHaveProperty('wished');
      expect(await scene.auditCount()).toBe(0);
    },
  );

  test('costs no store call where the gateway was read as blocked', async () => {
    const scene = await openScene({ blocks: { heatingCircuits: block } });
    world.proxy.begin();
    expect(await scene.wish()).toEqual({ outcome: 'appliance-function-blocked', block });
    expect(world.proxy.exchanges).toEqual([]);
  });

  test('is free again exactly at the end of the block, and not a millisecond before', async () => {
    const scene = await openScene();
    await reportBlock(world.store, scene.gateway.gatewayId, 'heatingCircuits', block);
    expect(await scene.wish({}, block.untilMs - 1)).toEqual({ outcome: 'appliance-function-blocked', block });
    expect(await scene.wish({}, block.untilMs)).toMatchObject({ outcome: 'wished' });
  });

  test('leaves the other functions free', async () => {
    const scene = await openScene();
    await reportBlock(world.store, scene.gateway.gatewayId, 'dhwCircuits', block);
    expect(await scene.wish()).toMatchObject({ outcome: 'wished' });
  });

  test('is never changed after a block that arrives amid a stream of wishes (30 rounds)', async () => {
    const random = randomNumbers();
    for (let round = 0; round < 30; round++) {
      const gateway = await installGateway(world.store);
      const programs = ['c1', 'c2'].flatMap((circuitId) =>
        ['1', '2'].map((id) => timeProgramItemKey(gateway.gatewayId, 'heating', circuitId, id)),
      );
      const scenes = programs.map((key) => sceneOf(gateway, key, 'heatingTimePrograms'));
      const versions = async () =>
        (await Promise.all(scenes.map(({ stored }) => stored()))).map((item) => item?.version);

      const blockAfter = 1 + below(random, 12);
      const underWay = Promise.withResolvers<void>();
      let accepted = 0;
      // Each wishes for a program of its own, over and over and always from the first read of the gateway.
      const streams = scenes.map(async ({ wish }) => {
        for (;;) {
          const outcome = await wish();
          if (!isWished(outcome)) return outcome;
          if (++accepted === blockAfter) underWay.resolve();
        }
      });
      await underWay.promise;
      await reportBlock(world.store, gateway.gatewayId, 'heatingTimePrograms', block);
      const versionsAtBlock = await versions();

      const refusals = await Promise.all(streams);
      expect(refusals).toEqual(streams.map(() => ({ outcome: 'appliance-function-blocked', block })));
      expect(await versions()).toEqual(versionsAtBlock);
      expect(versionsAtBlock.reduce((sum: number, version) => sum + Number(version) - 1, 0)).toBe(accepted);
    }
  });
});

describe('what a wish needs', () => {
  test('a reference to what does not exist changes nothing', async () => {
    const scene = await openScene();
    const refersTo = timeProgramItemKey(scene.gateway.gatewayId, 'heating', 'c1', 'unknown');
    expect(await scene.wish({ refersTo })).toEqual({ outcome: 'reference-not-found' });
    expect(await scene.stored()).toMatchObject({ version: 1 });
    expect(await scene.stored()).not.toHaveProperty('wished');
    expect(await readStored(world.store, refersTo)).toBeUndefined();
    expect(await scene.auditCount()).toBe(0);
  });

  test('a reference to what exists is followed and left as it is', async () => {
    const scene = await openScene();
    const refersTo = timeProgramItemKey(scene.gateway.gatewayId, 'heating', 'c1', '2');
    const before = await readStored(world.store, refersTo);
    expect(await scene.wish({ refersTo })).toMatchObject({ outcome: 'wished' });
    expect(await readStored(world.store, refersTo)).toEqual(before);
  });

  test('an item that is deleted meanwhile is gone, and the wish does not bring it back', async () => {
    const scene = await openScene();
    await remove(scene.key);
    expect(await scene.wish()).toEqual({ outcome: 'gone' });
    expect(await scene.stored()).toBeUndefined();
    expect(await scene.auditCount()).toBe(0);
  });

  test('a gateway that is deleted meanwhile is the store’s fault, and nothing is changed', async () => {
    const scene = await openScene();
    await remove(gatewayItemKey(scene.gateway.gatewayId));
    expect(await orUnavailable(scene.wish())).toEqual({ outcome: 'unavailable' });
    expect(await scene.stored()).toMatchObject({ version: 1 });
    expect(await scene.auditCount()).toBe(0);
  });
});

describe('a change and its audit row are one transaction', () => {
  test.each<[string, Fault, number]>([
    ['meets conflicts', 'conflict', 3],
    ['loses its answer', 'lose-answer', 1],
  ])('that applies once where it %s', async (_, fault, times) => {
    const scene = await openScene();
    spoil(world, ({ action }, ordinal) => (action === 'TransactWriteItems' && ordinal < times ? fault : undefined));
    expect(await scene.wish()).toMatchObject({ outcome: 'wished', item: { version: 2 } });
    expect(world.proxy.exchanges.length).toBe(times + 1);
    expect(await scene.stored()).toMatchObject({ version: 2 });
    expect(await scene.auditCount()).toBe(1);
  });

  test('of which nothing is written where conflicts do not end', async () => {
    const scene = await openScene();
    spoil(world, ({ action }) => (action === 'TransactWriteItems' ? 'conflict' : undefined));
    expect(await orUnavailable(scene.wish())).toEqual({ outcome: 'unavailable' });
    expect(await scene.stored()).toMatchObject({ version: 1 });
    expect(await scene.auditCount()).toBe(0);
  });

  test('whatever happens on the wire: never the one without the other, never either twice (40 scenes of 3 wishes)', async () => {
    const random = randomNumbers();
    const faults: (Fault | undefined)[] = [undefined, undefined, 'conflict', 'throttle', 'lose-answer', 'lose-answer'];
    const scenes = await Promise.all(range(40).map(() => openScene()));
    spoil(world, ({ action }) => (action === 'TransactWriteItems' ? faults[below(random, faults.length)] : undefined));
    const outcomes = await Promise.all(
      scenes.map((scene) =>
        Promise.all(range(3).map((index) => orUnavailable(scene.wish({ values: { [`property${index}`]: index } })))),
      ),
    );
    for (const [index, scene] of scenes.entries()) {
      const told = outcomes[index]?.filter(({ outcome }) => outcome === 'wished').length ?? 0;
      const stored = await scene.stored();
      const changes = Number(stored?.version) - 1;
      expect(await scene.auditCount()).toBe(changes);
      expect(Object.keys(stored?.wished ?? {}).length).toBe(changes);
      // A wish whose every answer was lost may be stored without our knowing.
      expect(changes).toBeGreaterThanOrEqual(told);
    }
    const all = outcomes.flat().map(({ outcome }) => outcome);
    expect(new Set(all)).toEqual(new Set(['wished', 'unavailable']));
  });
});

/** A gateway of its own with a circuit to wish for, as one has read it who then wishes, and a record of its own. */
const openScene = async (overrides: Partial<Gateway> = {}) => {
  const gateway = await installGateway(world.store, overrides);
  return sceneOf(gateway, circuitItemKey(gateway.gatewayId, 'heating', 'c1'), 'heatingCircuits');
};

const sceneOf = (gateway: Gateway, key: ApplianceItemKey, uses: Wish<Wishable>['uses']) => {
  const companyId = `c${randomUUID()}`;
  const item: Wishable = { reported: {}, reportedAtMs: startMs, version: 1 };
  const base = { gateway, uses, key, item, values: { operationMode: 'off' }, ifMatch: [], target: { itemKey: key.sk } };
  const act = { companyId, requestId: randomUUID(), operation: 'test', actorKeyId: 'key' };
  return {
    gateway,
    key,
    wish: (wish: Partial<Wish<Wishable>> = {}, nowMs = startMs) =>
      makeWish(world.store, { ...act, nowMs }, { ...base, ...wish }),
    stored: () => readStored(world.store, key),
    auditCount: async () => (await readAudit(world.store, companyId)).length,
  };
};

const isWished = (outcome: WishOutcome<Wishable>) => outcome.outcome === 'wished';

const orUnavailable = (wish: Promise<WishOutcome<Wishable>>) =>
  wish.catch((error: unknown) => {
    if (!isStoreUnavailable(error)) throw error;
    return { outcome: 'unavailable' } as const;
  });

const remove = (key: ApplianceItemKey) =>
  world.store.send(new DeleteCommand({ TableName: tableName('Appliances'), Key: key }));

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
