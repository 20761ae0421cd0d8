import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  confirm,
  putShadow,
  report,
  reportBlock,
  reportConnectivity,
} from '../../../../lambdas/data/appliances/appliance-reports.ts';
import { circuitItemKey, gatewayItemKey, toCircuit } from '../../../../lambdas/data/appliances/appliances.ts';
import { requestChange } from '../../../../lambdas/data/appliances/requested-changes.ts';
import { installGateway, readStored, reportedCircuits } from '../../../support/appliance.ts';
import { campaign, size } from '../../../support/campaign.ts';
import { below, randomNumbers } from '../../../support/seed.ts';
import { openWorld, startMs } from '../../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** Distinct readings, told apart by their temperature; the two newest are of one time. */
const readings = Array.from({ length: 8 }, (_, index) => ({
  reported: { ...reportedCircuits.heating, roomTemperatureCelsius: 15 + index },
  reportedAtMs: startMs + 1000 * Math.min(index, 6),
}));
/** Of everything that is random here. */
const rounds = size({ test: 5, prove: 100 });
const newestMs = Math.max(...readings.map(({ reportedAtMs }) => reportedAtMs));

describe('a report', () => {
  test(
    `is taken over if it is newer than the stored one, else it changes nothing (${rounds} random orders)`,
    campaign,
    async () => {
      const random = randomNumbers();
      for (let round = 0; round < rounds; round++) {
        const { key, stored } = await openScene();
        let expected = await stored();
        for (const reading of shuffled(random, readings)) {
          const isNewer = reading.reportedAtMs > expected.reportedAtMs;
          if (isNewer) expected = { ...expected, ...reading };
          expect(await report(world.store, key, reading)).toBe(isNewer);
          expect(await stored()).toEqual(expected);
        }
      }
    },
  );

  test(
    `is what is stored in the end if it is the newest, also when all arrive at once (${rounds} rounds)`,
    campaign,
    async () => {
      const random = randomNumbers();
      for (let round = 0; round < rounds; round++) {
        const { key, stored } = await openScene();
        const taken = await Promise.all(
          shuffled(random, readings).map(async (reading) => ({
            reading,
            isTaken: await report(world.store, key, reading),
          })),
        );
        const [newest, ...others] = taken.filter(
          ({ reading, isTaken }) => isTaken && reading.reportedAtMs === newestMs,
        );
        expect(others).toEqual([]);
        expect(await stored()).toMatchObject(newest?.reading ?? { reportedAtMs: newestMs });
      }
    },
  );

  test('leaves changes and their version alone', async () => {
    const { key, change, stored } = await openScene();
    const { desired, version } = await change({ operationMode: 'off' });
    await report(world.store, key, { reported: { operationMode: 'manual' }, reportedAtMs: startMs });
    expect(await stored()).toMatchObject({ reported: { operationMode: 'manual' }, desired, version });
  });

  test('of what does not exist creates nothing', async () => {
    const key = circuitItemKey('unknown', 'heating', 'c1');
    expect(await report(world.store, key, { reported: {}, reportedAtMs: startMs })).toBe(false);
    expect(await confirm(world.store, key, { reported: {}, reportedAtMs: startMs, version: 1 })).toBe(false);
    expect(await readStored(world.store, key)).toBeUndefined();
  });
});

describe('a confirmation', () => {
  test('removes the change of its version, and takes over what is reported with it', async () => {
    const { key, change, stored } = await openScene();
    const { desired = {}, version } = await change({ operationMode: 'off' });
    expect(await confirm(world.store, key, { reported: desired, reportedAtMs: startMs, version })).toBe(true);
    expect(await stored()).toMatchObject({ reported: desired, reportedAtMs: startMs, version });
    expect(await stored()).not.toHaveProperty('desired');
  });

  test('of an older change leaves a newer one, and all else', async () => {
    const { key, change, stored } = await openScene();
    const { desired = {}, version } = await change({ operationMode: 'off' });
    await change({ operationMode: 'manual' });
    const before = await stored();
    expect(await confirm(world.store, key, { reported: desired, reportedAtMs: startMs, version })).toBe(false);
    expect(await stored()).toEqual(before);
  });

  test('that is older than the stored report changes nothing', async () => {
    const { key, change, stored } = await openScene();
    const { desired = {}, version } = await change({ operationMode: 'off' });
    await report(world.store, key, { reported: {}, reportedAtMs: startMs });
    const before = await stored();
    for (const reportedAtMs of [startMs - 1, startMs])
      expect(await confirm(world.store, key, { reported: desired, reportedAtMs, version })).toBe(false);
    expect(await stored()).toEqual(before);
  });

  test(`and a change at once: the new change stands, whichever is first (${rounds} rounds)`, campaign, async () => {
    for (let round = 0; round < rounds; round++) {
      const { key, change, stored } = await openScene();
      const { desired = {}, version } = await change({ operationMode: 'off' });
      const [confirmed, newer] = await Promise.all([
        confirm(world.store, key, { reported: desired, reportedAtMs: startMs, version }),
        change({ operationMode: 'manual' }),
      ]);
      expect(newer.version).toBe(version + 1);
      expect(await stored()).toMatchObject({
        desired: { operationMode: 'manual' },
        version: version + 1,
        ...(confirmed && { reported: desired, reportedAtMs: startMs }),
      });
    }
  });
});

describe('the gateway’s own reports', () => {
  test(`of connectivity: the newest stays, in any order and all at once (${rounds} rounds)`, campaign, async () => {
    const random = randomNumbers();
    for (let round = 0; round < rounds; round++) {
      const { gatewayId, blocks, name } = await installGateway(world.store);
      const sightings = ['offline', 'online', 'offline', 'online', 'offline'].map((connectivity, index) => ({
        gatewayId,
        connectivity: connectivity as 'offline' | 'online',
        lastSeenAtMs: startMs + 1 + index,
      }));
      await Promise.all(shuffled(random, sightings).map((sighting) => reportConnectivity(world.store, sighting)));
      const stored = await readStored(world.store, gatewayItemKey(gatewayId));
      expect(stored).toMatchObject({ ...sightings.at(-1), blocks, name });
      expect(await reportConnectivity(world.store, { gatewayId, connectivity: 'online', lastSeenAtMs: startMs })).toBe(
        false,
      );
      expect(await readStored(world.store, gatewayItemKey(gatewayId))).toEqual(stored);
    }
  });

  test('of going offline name the time at which it was last seen, which is not new', async () => {
    const { gatewayId, lastSeenAtMs } = await installGateway(world.store);
    expect(await reportConnectivity(world.store, { gatewayId, connectivity: 'offline', lastSeenAtMs })).toBe(true);
    const stored = await readStored(world.store, gatewayItemKey(gatewayId));
    expect(stored).toMatchObject({ connectivity: 'offline', lastSeenAtMs });
  });

  test('of blocks: each function has its own, and reports at once lose none', async () => {
    const { gatewayId } = await installGateway(world.store);
    const blocks = {
      heatingCircuits: { sinceMs: startMs, untilMs: null },
      heatingTimePrograms: { sinceMs: startMs + 1, untilMs: startMs + 60_000 },
      dhwCircuits: { sinceMs: startMs + 2, untilMs: null },
      dhwTimePrograms: { sinceMs: startMs + 3, untilMs: startMs + 90_000 },
    };
    const names = Object.keys(blocks) as (keyof typeof blocks)[];
    await Promise.all(names.map((name) => reportBlock(world.store, gatewayId, name, blocks[name])));
    expect(await readStored(world.store, gatewayItemKey(gatewayId))).toMatchObject({ blocks });
  });

  test('of blocks: a later one takes the place of the earlier, so that an end can be told afterwards', async () => {
    const { gatewayId } = await installGateway(world.store);
    const [begun, ended] = [
      { sinceMs: startMs, untilMs: null },
      { sinceMs: startMs, untilMs: startMs + 5000 },
    ];
    for (const block of [begun, ended]) await reportBlock(world.store, gatewayId, 'dhwCircuits', block);
    expect((await readStored(world.store, gatewayItemKey(gatewayId)))?.blocks).toEqual({ dhwCircuits: ended });
  });

  test('of a gateway that does not exist create nothing', async () => {
    const gatewayId = 'unknown';
    const block = { sinceMs: startMs, untilMs: null };
    expect(await reportBlock(world.store, gatewayId, 'dhwCircuits', block)).toBe(false);
    const sighting = { gatewayId, connectivity: 'online', lastSeenAtMs: startMs } as const;
    expect(await reportConnectivity(world.store, sighting)).toBe(false);
    expect(await readStored(world.store, gatewayItemKey(gatewayId))).toBeUndefined();
  });

  test('of two blocks of one function the later one stays, whichever is reported first', async () => {
    const earlier = { sinceMs: startMs, untilMs: startMs + 1000 };
    const later = { sinceMs: startMs + 500, untilMs: null };
    for (const order of [
      [earlier, later],
      [later, earlier],
    ]) {
      const { gatewayId } = await installGateway(world.store);
      for (const block of order) await reportBlock(world.store, gatewayId, 'dhwCircuits', block);
      expect((await readStored(world.store, gatewayItemKey(gatewayId)))?.blocks).toEqual({ dhwCircuits: later });
    }
  });
});

test('what is put anew has no changes, whatever was requested before', async () => {
  const { key, change, stored } = await openScene();
  await change({ operationMode: 'off' });
  await putShadow(world.store, key, { circuitId: 'c1' }, { reported: {}, reportedAtMs: startMs, version: 1 });
  expect(await stored()).toEqual({
    gatewayId: key.gatewayId,
    circuitId: 'c1',
    reported: {},
    reportedAtMs: startMs,
    version: 1,
  });
});

/** A circuit that nobody else has, reported an hour ago, and who requested changes for it. */
const openScene = async () => {
  const gateway = await installGateway(world.store);
  const key = circuitItemKey(gateway.gatewayId, 'heating', 'c1');
  const stored = async () => toCircuit<'heating'>((await readStored(world.store, key)) ?? {});
  const change = async (values: Record<string, unknown>) => {
    const auditContext = {
      companyId: 'c',
      nowMs: startMs,
      requestId: randomUUID(),
      operation: 'test',
      actorKey: null,
    };
    const item = await stored();
    const target = { gatewayId: gateway.gatewayId };
    const uses = 'heatingCircuits';
    const outcome = await requestChange(world.store, auditContext, {
      gateway,
      uses,
      key,
      item,
      values,
      ifMatch: [],
      target,
    });
    if (outcome.outcome !== 'requested') throw new Error(`The change was not stored: ${outcome.outcome}`);
    return outcome.item;
  };
  return { key, stored, change };
};

/** Fisher and Yates. */
const shuffled = <T>(random: () => number, values: readonly T[]): T[] => {
  const result = [...values];
  for (let last = result.length - 1; last > 0; last--) {
    const other = below(random, last + 1);
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
};
