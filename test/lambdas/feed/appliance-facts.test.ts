import { describe, expect, test } from 'vitest';
import { dhwCircuitBody, heatingCircuitBody, timeProgramBody } from '../../../lambdas/answers/circuit.ts';
import { gatewayBody } from '../../../lambdas/answers/gateway.ts';
import {
  circuitItemKey,
  gatewayItemKey,
  timeProgramItemKey,
  toCircuit,
  toGateway,
  toTimeProgram,
} from '../../../lambdas/data/appliances/appliances.ts';
import { applianceFacts } from '../../../lambdas/feed/appliance-facts.ts';
import { reportedCircuits, reportedProgram } from '../../support/appliance.ts';

type Item = Readonly<Record<string, unknown>>;

const atMs = 9000;
const factsOf = (keys: Item, before: Item | undefined, after: Item | undefined) =>
  applianceFacts({
    recordId: 'r',
    atMs,
    keys,
    before: before && { ...keys, ...before },
    after: after && { ...keys, ...after },
  });

const circuits = {
  heating: { key: circuitItemKey('gw-1', 'heating', 'hc1'), path: '/hvacs/gw-1/heatingCircuits/hc1' },
  dhw: { key: circuitItemKey('gw-1', 'dhw', 'hc1'), path: '/hvacs/gw-1/dhwCircuits/hc1' },
} as const;

describe.each(['heating', 'dhw'] as const)('a circuit of %s', (family) => {
  const { key, path } = circuits[family];
  const reported = reportedCircuits[family];
  const setpoint = family === 'heating' ? 'roomSetpointCelsius' : 'waterSetpointCelsius';
  const measured = family === 'heating' ? 'supplyTemperatureCelsius' : 'waterTemperatureCelsius';
  const circuit = { gatewayId: 'gw-1', circuitId: 'hc1', reported, reportedAtMs: 1000, version: 3 };
  const requested = {
    ...circuit,
    version: 4,
    desired: { [setpoint]: 50 },
    desiredBy: { companyId: 'acme', requestId: 'r', atMs: 2000 },
  };
  const refused = { ...requested, lastRefusal: { version: 4, reason: 'limit', detail: 'Too hot.', atMs: 2500 } };
  const fulfilled = { ...circuit, version: 4, reported: { ...reported, [setpoint]: 50 }, reportedAtMs: 3000 };

  test.each<[string, Item | undefined, Item, number]>([
    ['is reported for the first time', undefined, circuit, 1000],
    ['is requested to change', circuit, requested, 2000],
    ['is requested to change as it already is', circuit, { ...circuit, version: 4, reportedAtMs: 1000 }, atMs],
    ['has refused a change', requested, refused, 2500],
    ['has fulfilled a change', requested, fulfilled, 3000],
    [
      'has another setting, by hand',
      circuit,
      { ...circuit, reported: { ...reported, operationMode: 'off' }, reportedAtMs: 1500 },
      1500,
    ],
    ['is confirmed by a report that came late', { ...fulfilled, desired: { [setpoint]: 50 } }, fulfilled, atMs],
  ])('that %s has changed, at that time, and the event holds what GET answers', (_, before, after, factAtMs) => {
    const item = { ...key, ...after };
    const data =
      family === 'heating' ? heatingCircuitBody(toCircuit<'heating'>(item)) : dhwCircuitBody(toCircuit<'dhw'>(item));
    expect(factsOf(key, before, after)).toEqual([
      { type: 'circuit.changed', atMs: factAtMs, gatewayId: 'gw-1', resource: path, data },
    ]);
  });

  test('that is gone has changed to nothing', () => {
    expect(factsOf(key, circuit, undefined)).toEqual([
      { type: 'circuit.changed', atMs, gatewayId: 'gw-1', resource: path, data: {} },
    ]);
  });

  test('of which only measurements are new has not changed', () => {
    const measuredAnew = { ...circuit, reported: { ...reported, [measured]: 41.5 }, reportedAtMs: 1500 };
    expect(factsOf(key, circuit, measuredAnew)).toEqual([]);
    expect(factsOf(key, circuit, { ...circuit, reportedAtMs: 1500 })).toEqual([]);
  });
});

test.each([
  ['heating', '/hvacs/gw-1/heatingCircuits/hc1/timePrograms/2'],
  ['dhw', '/hvacs/gw-1/dhwCircuits/hc1/timePrograms/2'],
] as const)(
  'a time program of %s has changed if its content has, and not if it was only reported again',
  (family, resource) => {
    const key = timeProgramItemKey('gw-1', family, 'hc1', '2');
    const program = { timeProgramId: '2', reported: reportedProgram, reportedAtMs: 1000, version: 1 };
    const renamed = { ...program, reported: { ...reportedProgram, name: 'Holidays' }, reportedAtMs: 1500 };
    expect(factsOf(key, program, { ...program, reportedAtMs: 1500 })).toEqual([]);
    expect(factsOf(key, program, renamed)).toEqual([
      {
        ...{ type: 'time_program.changed', atMs: 1500, gatewayId: 'gw-1', resource },
        data: timeProgramBody(toTimeProgram({ ...key, ...renamed })),
      },
    ]);
  },
);

describe('a gateway', () => {
  const key = gatewayItemKey('gw-1');
  const gateway = {
    ...{ name: 'Home', type: 'heat-pump', components: [], limits: {}, describedAtMs: 500, lastSeenAtMs: 1000 },
    ...{ connectivity: 'online', connectivityAtMs: 1000, blocks: {} },
  };
  const blocked = (block: object) => ({ ...gateway, blocks: { dhwCircuits: block } });
  const block = { sinceMs: 2000, untilMs: null, changedAtMs: 2100 };

  test.each<[string, Item | undefined, Item, [string, number][]]>([
    ['is described', undefined, { ...gateway, connectivity: 'offline', connectivityAtMs: 0 }, []],
    ['was only seen', gateway, { ...gateway, connectivityAtMs: 1500, lastSeenAtMs: 1500 }, []],
    ['has another name', gateway, { ...gateway, name: 'Cellar' }, []],
    [
      'goes offline',
      gateway,
      { ...gateway, connectivity: 'offline', connectivityAtMs: 1500 },
      [['gateway.connectivity_changed', 1500]],
    ],
    ['blocks a function', gateway, blocked(block), [['function.blocked', 2100]]],
    [
      'blocks it longer',
      blocked(block),
      blocked({ ...block, untilMs: 9000, changedAtMs: 2200 }),
      [['function.blocked', 2200]],
    ],
    ['tells of the block again', blocked(block), blocked({ ...block, changedAtMs: 2200 }), []],
    ['blocks it no longer', blocked(block), blocked({ changedAtMs: 2300 }), [['function.unblocked', 2300]]],
    ['blocks it no longer, as it was', gateway, blocked({ changedAtMs: 2300 }), []],
  ])('that %s', (_, before, after, expected) => {
    const facts = factsOf(key, before, after);
    expect(facts.map(({ type, atMs: factAtMs }) => [type, factAtMs])).toEqual(expected);
    for (const { gatewayId, resource, data } of facts)
      expect([gatewayId, resource, data]).toEqual([
        ...['gw-1', '/hvacs/gw-1'],
        gatewayBody(toGateway({ ...key, ...after }), atMs),
      ]);
  });

  test('that tells several things at once has an event for each, which one can tell apart', () => {
    const both = { heatingCircuits: block, dhwCircuits: block };
    const facts = factsOf(key, gateway, { ...gateway, connectivity: 'offline', connectivityAtMs: 1500, blocks: both });
    expect(new Set(facts.map(({ type, part }) => `${type} ${part}`)).size).toBe(3);
  });

  test('and other rows of its partition tell nothing to partners', () => {
    expect(factsOf(key, gateway, undefined)).toEqual([]);
    for (const sk of ['INVENTORY', 'COMPANY#acme'])
      expect(factsOf({ gatewayId: 'gw-1', sk }, undefined, { grantedAtMs: 1 })).toEqual([]);
  });
});
