import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  circuitItemKey,
  holidayItemKey,
  listCircuits,
  readShadow,
} from '../../../lambdas/data/appliances/appliances.ts';
import { removeGateway } from '../../../lambdas/data/appliances/gateways.ts';
import { listOpenChanges } from '../../../lambdas/data/appliances/open-since-index.ts';
import { refuseChange, report } from '../../../lambdas/data/appliances/reports.ts';
import { listTimePrograms } from '../../../lambdas/data/appliances/time-programs.ts';
import { isStoreUnavailable } from '../../../lambdas/data/store/attempts.ts';
import { factTimesAt, openCircuitScene, readStored } from '../../support/appliance.ts';
import { consistencyOf, overtakenBy } from '../../support/store.ts';
import { injectFault, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const openScene = () => openCircuitScene(world.store);
const off = { operationMode: 'off' } as const;
const manual = { operationMode: 'manual' } as const;

describe('a report', () => {
  test('is stored if it is newer than the stored one; an older report or one of the same time is stale', async () => {
    const { report: send, stored } = await openScene();
    expect(await send({ at: 2 }, 2)).toBe('applied');
    for (const afterMs of [1, 2]) expect(await send({ at: 'stale' }, afterMs)).toBe('stale');
    expect(await stored()).toMatchObject({ reported: { at: 2 }, reportedAtMs: startMs + 2, version: 1 });
    expect(await send({ at: 3 }, 3)).toBe('applied');
    expect(await stored()).toMatchObject({ reported: { at: 3 }, reportedAtMs: startMs + 3 });
  });

  test('keeps a change that it does not show, with its version and its requester', async () => {
    const { report: send, change, stored } = await openScene();
    const { desired, desiredBy, version } = await change(off);
    expect(await send(manual, 1)).toBe('applied');
    expect(await stored()).toMatchObject({ reported: manual, desired, desiredBy, version });
  });

  test('keeps the last values of properties that it leaves out', async () => {
    const { report: send, stored } = await openScene();
    const before = (await stored())?.reported as object;
    expect(await send({ roomSetpointCelsius: 3 }, 1)).toBe('applied');
    expect(await stored()).toMatchObject({ reported: { ...before, roomSetpointCelsius: 3 } });
    expect(await send({}, 2)).toBe('applied');
    expect(await stored()).toMatchObject({
      reported: { ...before, roomSetpointCelsius: 3 },
      reportedAtMs: startMs + 2,
    });
  });

  test('costs one write', async () => {
    const { report: send } = await openScene();
    world.proxy.begin();
    await send({}, 1);
    expect(world.proxy.exchanges.map(({ action }) => action)).toEqual(['UpdateItem']);
  });
});

describe('a confirmation', () => {
  test('removes the change of its version with all of its attributes, and stores the reported values', async () => {
    const { key, report: send, change, stored } = await openScene();
    const { version } = await change(off);
    await refuseChange(world.store, key, { version, reason: 'busy', detail: 'Later.' }, factTimesAt(startMs + 1));
    expect(await send(off, 2, version)).toBe('applied');
    expect(await stored()).toEqual({
      ...key,
      circuitId: 'c1',
      reported: expect.objectContaining(off),
      reportedAtMs: startMs + 2,
      receivedAtMs: startMs + 2,
      version,
      answersWithVersions: true,
      sk: undefined,
    });
  });

  test('of an older change only stores its values: the newer change stays', async () => {
    const { report: send, change, stored } = await openScene();
    const { version } = await change(off);
    const newer = await change(manual);
    expect(await send(off, 1, version)).toBe('applied');
    expect(await stored()).toMatchObject({
      ...newer,
      reported: off,
      reportedAtMs: startMs + 1,
      receivedAtMs: startMs + 1,
    });
    expect(await send(off, 0, version)).toBe('stale');
  });

  test.each([0, 1])(
    'is not lost if a report that is %i ms newer was faster, whose values stay; a repeat is stale',
    async (newerMs) => {
      const { report: send, change, stored } = await openScene();
      const { version } = await change(off);
      await send(manual, 5 + newerMs);
      expect(await send(off, 5, version)).toBe('applied');
      expect(await stored()).toMatchObject({ reported: manual, reportedAtMs: startMs + 5 + newerMs, version });
      expect(await stored()).not.toHaveProperty('desired');
      expect(await send(off, 5, version)).toBe('stale');
    },
  );

  test('from more than a minute before the request confirms nothing', async () => {
    const { report: send, change, stored } = await openScene();
    const { version } = await change(off, startMs + 60_005);
    expect(await send(off, 4, version)).toBe('applied');
    expect(await stored()).toMatchObject({ reportedAtMs: startMs + 4, desired: off });
    expect(await send(off, 5, version)).toBe('applied');
    expect(await stored()).toMatchObject({ reportedAtMs: startMs + 5 });
    expect(await stored()).not.toHaveProperty('desired');
  });

  test('costs one write, also when the appliance keeps sending the version that it fulfilled', async () => {
    const { report: send, change } = await openScene();
    const { version } = await change(off);
    world.proxy.begin();
    for (const afterMs of [1, 2]) expect(await send(off, afterMs, version)).toBe('applied');
    expect(world.proxy.exchanges.map(({ action }) => action)).toEqual(['UpdateItem', 'UpdateItem']);
  });

  test('that a newer report and then a newer change overtake removes nothing', async () => {
    const { report: send, change, stored } = await openScene();
    const { version } = await change(off);
    await send(manual, 9);
    // Between the attempt to store the report and the one to fulfil the change alone.
    const overtaken = overtakenBy(world.store, () => change(manual), 2, UpdateCommand);
    expect(await send(off, 5, version, overtaken)).toBe('stale');
    expect(await stored()).toMatchObject({ desired: manual, version: version + 1, reportedAtMs: startMs + 9 });
  });
});

describe('a report without a version', () => {
  test('fulfils the change if it shows everything that is desired, whatever else it shows', async () => {
    const { key, report: send, change, stored } = await openScene();
    const { version } = await change({ ...off, roomSetpointCelsius: 19 });
    await refuseChange(world.store, key, { version, reason: 'busy', detail: '' }, factTimesAt(startMs));
    expect(await send({ ...off, roomSetpointCelsius: 20 }, 1)).toBe('applied');
    expect(await stored()).toHaveProperty('desired');
    expect(await send({ ...off, roomSetpointCelsius: 19, roomTemperatureCelsius: 21 }, 2)).toBe('applied');
    expect(await stored()).toMatchObject({ reportedAtMs: startMs + 2, version: 2 });
    for (const name of ['desired', 'desiredBy', 'lastRefusal']) expect(await stored()).not.toHaveProperty(name);
  });

  test('compares whole values, in whatever order their properties are', async () => {
    const { report: send, change, stored } = await openScene();
    await change({ switchPoints: [{ dayOfWeek: 'monday', time: '06:00' }] } as never);
    await send({ switchPoints: [{ time: '06:00', dayOfWeek: 'tuesday' }] }, 1);
    expect(await stored()).toHaveProperty('desired');
    await send({ switchPoints: [{ time: '06:00', dayOfWeek: 'monday' }] }, 2);
    expect(await stored()).not.toHaveProperty('desired');
  });

  test('confirms nothing if a newer report was faster, or one of the same time', async () => {
    const { report: send, change, stored } = await openScene();
    await change(off);
    await send(manual, 9);
    for (const afterMs of [8, 9]) expect(await send(off, afterMs)).toBe('stale');
    expect(await stored()).toMatchObject({ reported: manual, reportedAtMs: startMs + 9, desired: off });
    expect(await send(off, 10)).toBe('applied');
    expect(await stored()).not.toHaveProperty('desired');
  });

  test('stores its values and fulfils the change in one write: after a failure, its next delivery does both', async () => {
    const { report: send, change, stored } = await openScene();
    // By the clock of the service the change was requested after the report.
    await change(off, startMs + 60_000);
    const before = await stored();
    injectFault(world, ({ action }, ordinal) => (action === 'UpdateItem' && ordinal > 0 ? 'throttle' : undefined));
    await expect(send(off, 1)).rejects.toSatisfy(isStoreUnavailable);
    world.proxy.begin();
    expect(await stored()).toEqual(before);
    expect(await send(off, 1)).toBe('applied');
    expect(await stored()).toMatchObject({ reported: off, reportedAtMs: startMs + 1 });
    expect(await stored()).not.toHaveProperty('desired');
  });

  test('from more than a minute before the request confirms nothing, even if it is the newest', async () => {
    const { report: send, change, stored } = await openScene();
    await change(off, startMs + 60_005);
    expect(await send(off, 4)).toBe('applied');
    expect(await stored()).toMatchObject({ reported: off, desired: off });
  });

  test('confirms values that the appliance returns in another order, rounding and spelling', async () => {
    const { report: send, change, stored } = await openScene();
    const [early, late, end] = [
      { dayOfWeek: 'monday', time: '05:00', setpoint: 'eco' },
      { dayOfWeek: 'monday', time: '06:30', setpoint: 'comfort' },
      { dayOfWeek: 'friday', time: '22:00', setpoint: 'eco' },
    ] as const;
    const wanted: object = {
      roomSetpointCelsius: 21.500000000000004,
      name: 'Ku\u0308che',
      switchPoints: [end, late, early],
    };
    await change(wanted);
    const normal = { roomSetpointCelsius: 21.5, name: 'K\u00fcche', switchPoints: [early, late, end] };
    expect(await stored()).toMatchObject({ desired: normal });
    expect(
      await send({ ...normal, switchPoints: [late, end, early], roomSetpointCelsius: 21.499999999999996 }, 1),
    ).toBe('applied');
    expect(await stored()).not.toHaveProperty('desired');
  });

  test('keeps a change that was requested while the report was stored', async () => {
    const { report: send, change, stored } = await openScene();
    await change(off);
    const overtaken = overtakenBy(world.store, () => change({ roomSetpointCelsius: 19 }), 2, UpdateCommand);
    expect(await send(off, 1, undefined, overtaken)).toBe('applied');
    expect(await stored()).toMatchObject({ desired: { ...off, roomSetpointCelsius: 19 }, version: 3 });
  });
});

describe('a report without a version, of an item that was changed and changed back', () => {
  const seconds = (count: number) => count * 1000;
  const values = { first: { roomSetpointCelsius: 13 }, second: { roomSetpointCelsius: 21 } };

  /** Requests a change, and lets the gateway answer with its version. */
  const changeAndAnswer = async (scene: Awaited<ReturnType<typeof openScene>>, wanted: object, atSeconds: number) => {
    const { version } = await scene.change(wanted, startMs + seconds(atSeconds));
    await scene.report(wanted, seconds(atSeconds + 1), version);
  };

  test('confirms nothing if it is older than the stored report: the change stays open for a resend', async () => {
    const scene = await openScene();
    const { report: send, change, stored, gatewayId } = scene;
    await changeAndAnswer(scene, values.first, 10);
    await changeAndAnswer(scene, values.second, 20);
    const { version } = await change(values.first, startMs + seconds(30));
    await send(values.second, seconds(31));
    for (const atSeconds of [12, 25, 30.5, 31]) expect(await send(values.first, seconds(atSeconds))).toBe('stale');
    expect(await stored()).toMatchObject({ reported: values.second, desired: values.first, version });
    expect(await listOpenChanges(world.store, gatewayId)).toMatchObject([{ version, desired: values.first }]);
    expect(await send(values.first, seconds(32))).toBe('applied');
    expect(await stored()).not.toHaveProperty('desired');
  });

  test.each([
    ['from before both changes', false, -4],
    ['from between the two changes', false, 8],
    ['from the moment of the second change', true, 10],
  ])('with two open changes, one %s confirms the second: %s', async (_, confirms, atSeconds) => {
    const { report: send, change, stored } = await openScene();
    await send(values.second, seconds(-5));
    await change(values.first);
    await change(values.second, startMs + seconds(10));
    expect(await send(values.second, seconds(atSeconds))).toBe('applied');
    expect((await stored()).desired).toEqual(confirms ? undefined : values.second);
  });

  test('confirms the second of two open changes only a minute later, if the gateway answers with versions', async () => {
    const scene = await openScene();
    const { report: send, change, stored } = scene;
    await changeAndAnswer(scene, values.second, 10);
    const { version } = await change(values.first, startMs + seconds(20));
    const undo = await change(values.second, startMs + seconds(22));
    // The appliance has applied neither yet, then the first, then the second.
    await send(values.second, seconds(23));
    await send(values.first, seconds(24), version);
    expect(await stored()).toMatchObject({ reported: values.first, desired: values.second });
    await send(values.second, seconds(25), undo.version);
    expect(await stored()).not.toHaveProperty('desired');

    await change(values.first, startMs + seconds(30));
    await change(values.second, startMs + seconds(32));
    await send(values.second, seconds(32) + 59_999);
    expect(await stored()).toHaveProperty('desired');
    await send(values.second, seconds(32) + 60_000);
    expect(await stored()).not.toHaveProperty('desired');
  });

  test('confirms nothing that a newer report overtakes between its reading and its writing', async () => {
    const { report: send, change, stored } = await openScene();
    await change(values.first);
    const overtaken = overtakenBy(world.store, () => send(values.second, 2), 2, UpdateCommand);
    expect(await send(values.first, 1, undefined, overtaken)).toBe('stale');
    expect(await stored()).toMatchObject({ reported: values.second, desired: values.first });
  });
});

describe('the first report of an item', () => {
  const first = { reported: off };

  /** A circuit that the gateway’s description does not list; its report is newer than the description. */
  const openNewCircuit = async () => {
    const scene = await openScene();
    const key = circuitItemKey(scene.gatewayId, 'heating', 'new');
    const ids = { circuitId: 'new' };
    return {
      key,
      send: (store = world.store, atMs = startMs) => report(store, key, { ids, ...first }, factTimesAt(atMs)),
    };
  };

  test('creates it in version 1, with its ids', async () => {
    const { key, send } = await openNewCircuit();
    expect(await send()).toEqual({ outcome: 'applied' });
    expect(await readStored(world.store, key)).toEqual({
      ...key,
      circuitId: 'new',
      ...first,
      reportedAtMs: startMs,
      receivedAtMs: startMs,
      version: 1,
    });
  });

  test('of an unknown gateway creates nothing, with or without a version', async () => {
    const key = circuitItemKey('unknown', 'heating', 'c1');
    for (const fulfilsVersion of [undefined, 1, 2])
      expect(await report(world.store, key, { ...first, fulfilsVersion }, factTimesAt(startMs))).toEqual({
        outcome: 'gateway-not-found',
      });
    expect(await readStored(world.store, key)).toBeUndefined();
  });

  test('returns what was expected if it confirms a version that was never requested', async () => {
    const { key } = await openNewCircuit();
    expect(await report(world.store, key, { ...first, fulfilsVersion: 2 }, factTimesAt(startMs))).toEqual({
      outcome: 'applied',
      unused: '/data/fulfilsVersion: Expected a version of a change that was requested, 1 at most.',
    });
    expect(await readStored(world.store, key)).toMatchObject({ version: 1 });
  });

  test('that another report overtakes is stored if it is newer', async () => {
    for (const [mine, others] of [
      [2, 1],
      [1, 2],
    ] as const) {
      const { key, send } = await openNewCircuit();
      const overtaken = overtakenBy(world.store, () => send(world.store, startMs + others));
      expect(await send(overtaken, startMs + mine)).toEqual({ outcome: mine > others ? 'applied' : 'stale' });
      expect(await readStored(world.store, key)).toMatchObject({ reportedAtMs: startMs + 2, version: 1 });
    }
  });
});

describe('refusals', () => {
  const openScene = async () => {
    const scene = await openCircuitScene(world.store);
    return {
      ...scene,
      refuse: async (version: number, afterMs: number, reason = 'busy') =>
        (
          await refuseChange(
            world.store,
            scene.key,
            { version, reason, detail: 'Later.' },
            factTimesAt(startMs + afterMs),
          )
        ).outcome,
    };
  };

  describe('a refusal', () => {
    test('keeps the change pending, with the reason; the newer of two refusals wins', async () => {
      const { change, refuse, stored } = await openScene();
      const pending = await change(off);
      expect(await refuse(2, 2)).toBe('applied');
      for (const afterMs of [1, 2]) expect(await refuse(2, afterMs, 'stale')).toBe('stale');
      const lastRefusal = { version: 2, reason: 'busy', detail: 'Later.', ...factTimesAt(startMs + 2) };
      expect(await stored()).toEqual({ ...pending, lastRefusal });
      expect(await refuse(2, 3, 'broken')).toBe('applied');
      expect(await stored()).toMatchObject({ lastRefusal: { reason: 'broken' } });
    });

    test('is removed when the change is fulfilled, and is stale afterwards', async () => {
      const { change, refuse, report, stored } = await openScene();
      await change(off);
      await refuse(2, 1);
      await report(off, 2, 2);
      expect(await stored()).not.toHaveProperty('lastRefusal');
      expect(await refuse(2, 3)).toBe('stale');
      expect(await stored()).not.toHaveProperty('lastRefusal');
    });

    test('is removed by the next change, also from its result, and is stale afterwards', async () => {
      const { change, refuse, stored } = await openScene();
      await change(off);
      await refuse(2, 1);
      expect(await change(manual)).not.toHaveProperty('lastRefusal');
      expect(await refuse(2, 2)).toBe('stale');
      expect(await stored()).not.toHaveProperty('lastRefusal');
    });

    test('from more than a minute before the request is stale', async () => {
      const { change, refuse, stored } = await openScene();
      await change(off, startMs + 60_005);
      expect(await refuse(2, 4)).toBe('stale');
      expect(await stored()).not.toHaveProperty('lastRefusal');
      expect(await refuse(2, 5)).toBe('applied');
    });

    test('of a missing item is stale if the item was missing at that time, else not found', async () => {
      const { gatewayId } = await openScene();
      const refuse = async (afterMs: number, id = gatewayId) => {
        const key = circuitItemKey(id, 'heating', 'unknown');
        return (
          await refuseChange(world.store, key, { version: 1, reason: '', detail: '' }, factTimesAt(startMs + afterMs))
        ).outcome;
      };
      // The description of the gateway, an hour earlier, does not list the item.
      for (const afterMs of [-3_600_001, -3_600_000]) expect(await refuse(afterMs)).toBe('stale');
      expect(await refuse(-3_599_999)).toBe('version-not-found');
      expect(await refuse(1, 'unknown')).toBe('gateway-not-found');
      await removeGateway(world.store, gatewayId, factTimesAt(startMs));
      expect(await refuse(0)).toBe('stale');
      expect(await refuse(1)).toBe('gateway-not-found');
    });
  });
});

test.each([
  ['an item', () => readShadow(world.store, holidayItemKey('gw-1'))],
  ['circuits', () => listCircuits(world.store, { gatewayId: 'gw-1', family: 'heating' }, 10)],
  ['time programs', () => listTimePrograms(world.store, { gatewayId: 'gw-1', family: 'heating', circuitId: 'c1' }, 10)],
])('%s: a read is strongly consistent, so a change just requested is seen', async (_, list) => {
  expect(await consistencyOf(list)).toEqual([true]);
});
