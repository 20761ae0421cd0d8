import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { maxGatewayFacts } from '../../../lambdas/api/limits.ts';
import { gatewayItemKey, readGateways } from '../../../lambdas/data/appliances/appliances.ts';
import { describeGateway, removeGateway, reportFacts } from '../../../lambdas/data/appliances/gateways.ts';
import { faultFactName } from '../../../lambdas/domain/fault.ts';
import { clearedFaultFacts, faultFacts } from '../../../lambdas/domain/gateway.ts';
import { factTimesAt, installGateway, readStored } from '../../support/appliance.ts';
import { overtakenBy, setAttributes } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const fault = (code: string, componentId: string | null = null) => ({
  code,
  componentId,
  severity: 'fault',
  text: null,
  sinceMs: null,
});

const openScene = async () => {
  const { gatewayId } = await installGateway(world.store);
  const send = async (facts: ReturnType<typeof faultFacts>, afterMs: number, by = world.store) =>
    (await reportFacts(by, gatewayId, facts, factTimesAt(startMs + afterMs))).outcome;
  return {
    gatewayId,
    reports: (code: string, afterMs: number, by = world.store) => send(faultFacts(fault(code)), afterMs, by),
    clears: (code: string, afterMs: number, by = world.store) => send(clearedFaultFacts(fault(code)), afterMs, by),
    send,
    codes: async () => {
      const [gateway] = await readGateways(world.store, [gatewayId]);
      return gateway?.faults.map(({ code }) => code);
    },
    facts: async () => (await readStored(world.store, gatewayItemKey(gatewayId)))?.facts as object,
  };
};

/** A gateway with the maximum number of facts: faults by their numbers, which are also their times. */
const openFullScene = async () => {
  const scene = await openScene();
  const facts = Array.from({ length: maxGatewayFacts }, (_, index) => {
    const reported = fault(`E-${index + 1}`);
    return [faultFactName(reported), { ...reported, ...factTimesAt(startMs + index + 1) }];
  });
  await setAttributes(world.store, 'Appliances', gatewayItemKey(scene.gatewayId), { facts: Object.fromEntries(facts) });
  return scene;
};

test('a gateway has several faults at once, even of one code; each is cleared separately', async () => {
  const { send, codes } = await openScene();
  await Promise.all([fault('E-1'), fault('E-1', '2'), fault('E-2')].map((each) => send(faultFacts(each), 1)));
  expect(await codes()).toHaveLength(3);
  await send(clearedFaultFacts(fault('E-1', '2')), 2);
  expect(await codes()).toEqual(['E-2', 'E-1'].toSorted());
});

test.each<[string, ['reports' | 'clears', number][], string[]]>([
  ['a report', [['reports', 1]], ['E-1']],
  [
    'a clearance after it',
    [
      ['reports', 1],
      ['clears', 2],
    ],
    [],
  ],
  [
    'a clearance that arrives first',
    [
      ['clears', 2],
      ['reports', 1],
    ],
    [],
  ],
  [
    'a clearance from before it',
    [
      ['reports', 2],
      ['clears', 1],
    ],
    ['E-1'],
  ],
  [
    'a report after the clearance',
    [
      ['reports', 3],
      ['clears', 2],
      ['reports', 1],
    ],
    ['E-1'],
  ],
  [
    'both at the same time: the first one wins',
    [
      ['reports', 1],
      ['clears', 1],
    ],
    ['E-1'],
  ],
])('the times of the reports decide whether a fault is open: %s', async (_, reports, expected) => {
  const scene = await openScene();
  for (const [kind, afterMs] of reports) await scene[kind]('E-1', afterMs);
  expect(await scene.codes()).toEqual(expected);
});

test('after a removal, earlier reports stay stale, and later ones apply to the next gateway', async () => {
  const { gatewayId, reports, codes } = await openScene();
  const described = { gatewayId, name: 'Home', type: 'boiler', components: [], circuits: [] };
  const limits = { maxSwitchPoints: 1, maxSwitchPointsPerDay: 1, switchPointRasterMinutes: 1 };
  await reports('before', 1);
  await removeGateway(world.store, gatewayId, factTimesAt(startMs + 5));
  expect(await reports('late', 4)).toBe('stale');
  expect(await reports('since', 6)).toBe('gateway-not-found');
  await describeGateway(world.store, { ...described, limits }, factTimesAt(startMs + 7));
  expect([await reports('late', 4), await reports('since', 6)]).toEqual(['stale', 'applied']);
  expect(await codes()).toEqual(['since']);
});

test('a gateway with the maximum number of facts drops the fault that was cleared first for a new one', async () => {
  const { reports, clears, codes, facts } = await openFullScene();
  await clears('E-20', 1000);
  await clears('E-10', 1001);
  expect(await reports('new', 1002)).toBe('applied');
  expect(Object.keys(await facts())).toHaveLength(maxGatewayFacts);
  expect(await codes()).toHaveLength(maxGatewayFacts - 1);
  expect(await reports('E-20', 20)).toBe('stale');
  expect(await reports('E-10', 1000)).toBe('stale');
  expect(await codes()).toContain('new');
});

test('if all faults are open, the oldest is dropped; known faults need no room', async () => {
  const { reports, clears, codes } = await openFullScene();
  expect(await reports('new', 1000)).toBe('applied');
  expect(await codes()).toHaveLength(maxGatewayFacts);
  expect(await codes()).not.toContain('E-1');
  expect([await reports('E-1', 1), await clears('unknown', 1001), await reports('new', 1002)]).toEqual([
    ...['stale', 'stale', 'applied'],
  ]);
  expect(await clears('E-2', 1003)).toBe('applied');
  expect(await codes()).toHaveLength(maxGatewayFacts - 1);
});

test('a fault that is reported again while it makes room for another one stays', async () => {
  const { reports, codes } = await openFullScene();
  // The first attempt finds no room; before the second, the oldest fault is reported again.
  const overtaken = overtakenBy(world.store, () => reports('E-1', 999), 2, UpdateCommand);
  expect(await reports('new', 1000, overtaken)).toBe('applied');
  expect(await codes()).toEqual(expect.arrayContaining(['new', 'E-1']));
  expect(await codes()).not.toContain('E-2');
  expect(await codes()).toHaveLength(maxGatewayFacts);
});

test('a fault that a concurrent report has stored does not displace a further one', async () => {
  const { reports, clears, codes } = await openFullScene();
  // The first attempt finds no room; before the second, another report makes room for the same fault.
  const overtaken = overtakenBy(
    world.store,
    async () => {
      await clears('E-2', 1000);
      await reports('new', 1001);
    },
    2,
    UpdateCommand,
  );
  expect(await reports('new', 1002, overtaken)).toBe('applied');
  expect(await codes()).toEqual(expect.arrayContaining(['new', 'E-1']));
  expect(await codes()).toHaveLength(maxGatewayFacts);
});
