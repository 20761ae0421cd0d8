import { randomUUID } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ApplianceItemKey, circuitItemKey, gatewayItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { reportFacts } from '../../../lambdas/data/appliances/gateways.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import {
  type ChangeOutcome,
  type RequestedChange,
  requestChange,
} from '../../../lambdas/data/appliances/requested-changes.ts';
import { timeProgramItemKey } from '../../../lambdas/data/appliances/time-programs.ts';
import { isStoreUnavailable } from '../../../lambdas/data/store/attempts.ts';
import { entityTagOf, type Gateway, type Shadow } from '../../../lambdas/domain/appliance.ts';
import { blockFacts } from '../../../lambdas/domain/gateway.ts';
import { factTimesAt, installGateway, readStored } from '../../support/appliance.ts';
import { campaign, playRounds, size } from '../../support/campaign.ts';
import type { Fault } from '../../support/fault-proxy.ts';
import { below, randomNumbers } from '../../support/random.ts';
import { operatorActOn, readAudit } from '../../support/store.ts';
import { injectFault, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** The number of changes that all succeed: each makes ten attempts, and fails only in conflict with another one of them. */
const manyChanges = size({ test: 5, prove: 10 });

const crowd = size({ test: 12, prove: 40 });
const sceneCount = size({ test: 12, prove: 40 });

describe('concurrent changes with one If-Match', () => {
  test.for([
    [2, { test: 1, seconds: 4, full: 30 }],
    [size({ test: 6, prove: 20 }), { test: 1, seconds: 5, full: 10 }],
  ] as const)(
    'of %i, one is stored, and the others fail the precondition',
    campaign,
    async ([count, extent], context) => {
      await playRounds(context, extent, async () => {
        const scene = await openScene();
        const ifMatch = [entityTagOf(1)];
        const outcomes = await Promise.all(range(count).map((index) => scene.change({ ifMatch, values: { index } })));
        const [winner, ...others] = outcomes.filter(isRequested);
        expect(others).toEqual([]);
        expect(outcomes.filter(({ outcome }) => outcome === 'precondition-failed').length).toBe(count - 1);
        expect(await scene.stored()).toMatchObject({ version: 2, desired: winner?.item.desired });
        expect(await scene.auditCount()).toBe(1);
      });
    },
  );
});

describe('concurrent changes without If-Match', () => {
  test(`all of ${manyChanges} are stored, none is lost, and the version counts them`, campaign, (context) =>
    playRounds(context, { test: 1, seconds: 5, full: 10 }, async () => {
      const scene = await openScene();
      const changes = range(manyChanges).map((index) => ({ [`property${index}`]: index }));
      const outcomes = await Promise.all(changes.map((values) => scene.change({ values })));
      const versions = outcomes.filter(isRequested).map(({ item }) => item.version);
      expect(versions.toSorted((a, b) => a - b)).toEqual(range(manyChanges).map((index) => index + 2));
      expect(await scene.stored()).toMatchObject({
        version: 1 + manyChanges,
        desired: Object.assign({}, ...changes),
      });
      expect(await scene.auditCount()).toBe(manyChanges);
    }),
  );

  test(`of ${crowd}, some may have to be retried, and exactly those are not stored`, campaign, async () => {
    const scene = await openScene();
    const changes = range(crowd).map((index) => ({ [`property${index}`]: index }));
    const outcomes = await Promise.all(changes.map((values) => orUnavailable(scene.change({ values }))));
    const accepted = changes.filter((_, index) => outcomes[index]?.outcome === 'requested');
    expect(accepted.length).toBeGreaterThanOrEqual(manyChanges);
    expect(await scene.stored()).toMatchObject({ version: 1 + accepted.length });
    expect((await scene.stored())?.desired).toEqual(Object.assign({}, ...accepted));
    expect(await scene.auditCount()).toBe(accepted.length);
  });
});

test('the audit row has the values that a change replaced, not those at the start of its request', async () => {
  const scene = await openScene();
  await scene.change({ values: { operationMode: 'off' } });
  await scene.change({ values: { operationMode: 'manual' } }, startMs + 1);
  expect((await scene.audit()).map(({ before, after }) => [before, after])).toEqual([
    [{ operationMode: 'auto' }, { operationMode: 'off' }],
    [{ operationMode: 'off' }, { operationMode: 'manual' }],
  ]);
});

test('a change that was confirmed meanwhile does not come back with the next one', async () => {
  const scene = await openScene();
  const first = await scene.change({ values: { operationMode: 'off' } });
  if (!isRequested(first)) throw new Error('The first change was not stored.');
  const reported = { operationMode: 'off' };
  const { version } = first.item;
  await report(world.store, scene.key, { reported, fulfilsVersion: version }, factTimesAt(startMs));
  // Like a request that read the circuit before the confirmation.
  await scene.change({ item: first.item, values: { roomSetpointCelsius: 19 } });
  expect(await scene.stored()).toMatchObject({ version: 3, reported });
  expect((await scene.stored())?.desired).toEqual({ roomSetpointCelsius: 19 });
  expect(await scene.auditCount()).toBe(2);
});

describe('a function that the appliance blocks', () => {
  const block = { sinceMs: startMs, untilMs: startMs + 60_000 };

  test('rule 23: is not changed by a request that read the gateway before a block without an end', async () => {
    const scene = await openScene();
    const endless = { ...block, untilMs: null };
    await reportFacts(
      world.store,
      scene.gateway.gatewayId,
      blockFacts('heatingCircuits', endless),
      factTimesAt(startMs),
    );
    expect(await scene.change()).toEqual({ outcome: 'appliance-function-blocked', block: endless });
    await scene.expectUnchanged();
  });

  test('costs no store call if the gateway was read as blocked', async () => {
    const scene = await openScene({ blocks: { heatingCircuits: block } });
    world.proxy.begin();
    expect(await scene.change()).toEqual({ outcome: 'appliance-function-blocked', block });
    expect(world.proxy.exchanges).toEqual([]);
  });

  test('rule 23: is free again exactly at the end of the block, and not a millisecond before', async () => {
    const scene = await openScene();
    await reportFacts(world.store, scene.gateway.gatewayId, blockFacts('heatingCircuits', block), factTimesAt(startMs));
    expect(await scene.change({}, block.untilMs - 1)).toEqual({ outcome: 'appliance-function-blocked', block });
    expect(await scene.change({}, block.untilMs)).toMatchObject({ outcome: 'requested' });
  });

  test('leaves the other functions free', async () => {
    const scene = await openScene();
    await reportFacts(world.store, scene.gateway.gatewayId, blockFacts('dhwCircuits', block), factTimesAt(startMs));
    expect(await scene.change()).toMatchObject({ outcome: 'requested' });
  });

  test('is never changed after a block that arrives during a stream of changes', campaign, (context) =>
    playRounds(context, { test: 2, seconds: 6, full: 100 }, async (seed) => {
      const random = randomNumbers(seed);
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
      // Each stream changes its own program, again and again, and always with the first read of the gateway.
      const streams = scenes.map(async ({ change }) => {
        for (;;) {
          // On a busy machine a change may be in conflict at each attempt; nothing is written then.
          const outcome = await change().catch((error) => {
            if (!isStoreUnavailable(error)) throw error;
          });
          if (!outcome) continue;
          if (!isRequested(outcome)) return outcome;
          if (++accepted === blockAfter) underWay.resolve();
        }
      });
      await underWay.promise;
      await reportFacts(world.store, gateway.gatewayId, blockFacts('heatingTimePrograms', block), factTimesAt(startMs));
      const versionsAtBlock = await versions();

      const refusals = await Promise.all(streams);
      expect(refusals).toEqual(streams.map(() => ({ outcome: 'appliance-function-blocked', block })));
      expect(await versions()).toEqual(versionsAtBlock);
      expect(versionsAtBlock.reduce((sum: number, version) => sum + Number(version) - 1, 0)).toBe(accepted);
    }),
  );
});

describe('a change', () => {
  test('that refers to a missing item changes nothing', async () => {
    const scene = await openScene();
    const refersTo = timeProgramItemKey(scene.gateway.gatewayId, 'heating', 'c1', 'unknown');
    expect(await scene.change({ refersTo })).toEqual({ outcome: 'reference-not-found' });
    expect(await readStored(world.store, refersTo)).toBeUndefined();
    await scene.expectUnchanged();
  });

  test('of an item that is deleted meanwhile fails, and does not recreate the item', async () => {
    const scene = await openScene();
    await remove(scene.key);
    expect(await scene.change()).toEqual({ outcome: 'gone' });
    expect(await scene.stored()).toBeUndefined();
    expect(await scene.auditCount()).toBe(0);
  });

  test('of a gateway that is deleted meanwhile fails as removed, and changes nothing', async () => {
    const scene = await openScene();
    await remove(gatewayItemKey(scene.gateway.gatewayId));
    expect(await scene.change()).toEqual({ outcome: 'gateway-removed' });
    await scene.expectUnchanged();
  });
});

describe('a change and its audit row are one transaction', () => {
  test.each<[string, Fault, number]>([
    ['meets conflicts', 'conflict', 3],
    ['loses its answer', 'lose-answer', 1],
  ])('that applies once even if it %s', async (_, fault, times) => {
    const scene = await openScene();
    injectFault(world, ({ action }, ordinal) =>
      action === 'TransactWriteItems' && ordinal < times ? fault : undefined,
    );
    expect(await scene.change()).toMatchObject({ outcome: 'requested', item: { version: 2 } });
    const tokens = world.proxy.exchanges.map(({ input }) => input.ClientRequestToken);
    expect(tokens).toEqual(Array(times + 1).fill(tokens[0]));
    expect(tokens[0]).toEqual(expect.any(String));
    expect(await scene.stored()).toMatchObject({ version: 2 });
    expect(await scene.auditCount()).toBe(1);
  });

  test('that writes nothing if conflicts do not end', async () => {
    const scene = await openScene();
    injectFault(world, ({ action }) => (action === 'TransactWriteItems' ? 'conflict' : undefined));
    expect(await orUnavailable(scene.change())).toEqual({ outcome: 'unavailable' });
    await scene.expectUnchanged();
  });

  test(
    `whatever happens to requests: never one without the other, never twice (${sceneCount} scenes)`,
    campaign,
    async () => {
      const random = randomNumbers();
      // Two in six pass.
      const faults: Fault[] = ['conflict', 'throttle', 'lose-answer', 'lose-answer'];
      const scenes = await Promise.all(range(sceneCount).map(() => openScene()));
      injectFault(world, ({ action }) =>
        action === 'TransactWriteItems' ? faults[below(random, faults.length + 2)] : undefined,
      );
      const outcomes = await Promise.all(
        scenes.map((scene) =>
          Promise.all(
            range(3).map((index) => orUnavailable(scene.change({ values: { [`property${index}`]: index } }))),
          ),
        ),
      );
      for (const [index, scene] of scenes.entries()) {
        const confirmed = outcomes[index]?.filter(({ outcome }) => outcome === 'requested').length ?? 0;
        const stored = await scene.stored();
        const changes = Number(stored?.version) - 1;
        expect(await scene.auditCount()).toBe(changes);
        expect(Object.keys(stored?.desired ?? {}).length).toBe(changes);
        // A change may be stored without our knowledge if all of its responses were lost.
        expect(changes).toBeGreaterThanOrEqual(confirmed);
      }
      const all = new Set<string>(outcomes.flat().map(({ outcome }) => outcome));
      expect(all).toContain('requested');
      // In few scenes, chance may let every change pass.
      if (sceneCount >= 40) expect(all).toEqual(new Set(['requested', 'unavailable']));
    },
  );
});

/** A gateway with a circuit, a change of the circuit as it was first read, and audit rows of a company of its own. */
const openScene = async (overrides: Partial<Gateway> = {}) => {
  const gateway = await installGateway(world.store, overrides);
  return sceneOf(gateway, circuitItemKey(gateway.gatewayId, 'heating', 'c1'), 'heatingCircuits');
};

const sceneOf = (gateway: Gateway, key: ApplianceItemKey, uses: RequestedChange<Shadow>['uses']) => {
  const companyId = `c${randomUUID()}`;
  const reported = { operationMode: 'auto' };
  const item: Shadow = { reported, reportedAtMs: startMs, receivedAtMs: startMs, version: 1 };
  const values = { operationMode: 'off' };
  const base = { gateway, uses, key, item, values, ifMatch: [], permittedSinceMs: 0, target: { circuitId: key.sk } };
  const stored = () => readStored(world.store, key);
  const audit = () => readAudit(world.store, companyId);
  return {
    gateway,
    key,
    stored,
    audit,
    change: (change: Partial<RequestedChange<Shadow>> = {}, nowMs = startMs) =>
      requestChange(world.store, operatorActOn(companyId, nowMs), { ...base, ...change }),
    auditCount: async () => (await audit()).length,
    expectUnchanged: async () => {
      const { version, desired } = (await stored()) ?? {};
      expect([version, desired, await audit()]).toEqual([1, undefined, []]);
    },
  };
};

const isRequested = (outcome: ChangeOutcome<Shadow>) => outcome.outcome === 'requested';

const orUnavailable = (change: Promise<ChangeOutcome<Shadow>>) =>
  change.catch((error: unknown) => {
    if (!isStoreUnavailable(error)) throw error;
    return { outcome: 'unavailable' } as const;
  });

const remove = (key: ApplianceItemKey) =>
  world.store.send(new DeleteCommand({ TableName: world.store.tableName('Appliances'), Key: key }));

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
