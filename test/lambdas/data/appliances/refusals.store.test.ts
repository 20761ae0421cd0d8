import { beforeAll, describe, expect, test } from 'vitest';
import { circuitItemKey } from '../../../../lambdas/data/appliances/appliances.ts';
import { removeGateway } from '../../../../lambdas/data/appliances/gateways.ts';
import { refuseChange } from '../../../../lambdas/data/appliances/reports.ts';
import { openCircuitScene, toldAt } from '../../../support/appliance.ts';
import { openWorld, startMs } from '../../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const off = { operationMode: 'off' } as const;
const manual = { operationMode: 'manual' } as const;

const openScene = async () => {
  const scene = await openCircuitScene(world.store);
  return {
    ...scene,
    refuse: async (version: number, afterMs: number, reason = 'busy') =>
      (await refuseChange(world.store, scene.key, { version, reason, detail: 'Later.' }, toldAt(startMs + afterMs)))
        .outcome,
  };
};

describe('a refusal', () => {
  test('leaves the change pending and tells why; of two the newer stays', async () => {
    const { change, refuse, stored } = await openScene();
    const pending = await change(off);
    expect(await refuse(2, 2)).toBe('applied');
    for (const afterMs of [1, 2]) expect(await refuse(2, afterMs, 'stale')).toBe('stale');
    const lastRefusal = { version: 2, reason: 'busy', detail: 'Later.', ...toldAt(startMs + 2) };
    expect(await stored()).toEqual({ ...pending, lastRefusal });
    expect(await refuse(2, 3, 'broken')).toBe('applied');
    expect(await stored()).toMatchObject({ lastRefusal: { reason: 'broken' } });
  });

  test('goes when the change is fulfilled, and is stale afterwards', async () => {
    const { change, refuse, report, stored } = await openScene();
    await change(off);
    await refuse(2, 1);
    await report(off, 2, 2);
    expect(await stored()).not.toHaveProperty('lastRefusal');
    expect(await refuse(2, 3)).toBe('stale');
    expect(await stored()).not.toHaveProperty('lastRefusal');
  });

  test('goes when the change is shown fulfilled without a version', async () => {
    const { change, refuse, report, stored } = await openScene();
    await change(off);
    await refuse(2, 1);
    await report(off, 2);
    expect(await stored()).not.toHaveProperty('lastRefusal');
  });

  test('goes with the next change, in the answer to it too, and is stale for the one before', async () => {
    const { change, refuse, stored } = await openScene();
    await change(off);
    await refuse(2, 1);
    expect(await change(manual)).not.toHaveProperty('lastRefusal');
    expect(await refuse(2, 2)).toBe('stale');
    expect(await stored()).not.toHaveProperty('lastRefusal');
  });

  test('of a version that nobody has requested is not found', async () => {
    const { change, refuse, stored } = await openScene();
    const before = await change(off);
    expect(await refuse(3, 1)).toBe('version-not-found');
    expect(await stored()).toEqual(before);
  });

  test('of an item that is not there is stale if that was so at its time, else not found', async () => {
    const { gatewayId } = await openScene();
    const refuse = async (afterMs: number, id = gatewayId) => {
      const key = circuitItemKey(id, 'heating', 'unknown');
      return (await refuseChange(world.store, key, { version: 1, reason: '', detail: '' }, toldAt(startMs + afterMs)))
        .outcome;
    };
    // The description of the gateway, an hour earlier, does not list the item.
    for (const afterMs of [-3_600_001, -3_600_000]) expect(await refuse(afterMs)).toBe('stale');
    expect(await refuse(-3_599_999)).toBe('version-not-found');
    expect(await refuse(1, 'unknown')).toBe('gateway-not-found');
    await removeGateway(world.store, gatewayId, toldAt(startMs));
    expect(await refuse(0)).toBe('stale');
    expect(await refuse(1)).toBe('gateway-not-found');
  });
});
