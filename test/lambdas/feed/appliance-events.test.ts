import { describe, expect, test } from 'vitest';
import {
  dhwCircuitBody,
  gatewayBody,
  heatingCircuitBody,
  holidayBody,
  timeProgramBody,
} from '../../../lambdas/answers/appliances.ts';
import {
  circuitItemKey,
  gatewayItemKey,
  holidayItemKey,
  toCircuit,
  toGateway,
  toHoliday,
} from '../../../lambdas/data/appliances/appliances.ts';
import { energyItemKey, energyOfMonth } from '../../../lambdas/data/appliances/energy.ts';
import { hoursItemKey, hoursOfDay } from '../../../lambdas/data/appliances/hourly-energy.ts';
import { timeProgramItemKey, toTimeProgram } from '../../../lambdas/data/appliances/time-programs.ts';
import { faultFactName } from '../../../lambdas/domain/fault.ts';
import { feedEventOf } from '../../../lambdas/domain/feed-event.ts';
import { applianceEvents } from '../../../lambdas/feed/appliance-events.ts';
import { reportedCircuits, reportedProgram } from '../../support/appliance.ts';

type Item = Readonly<Record<string, unknown>>;

/** The time of a change's record. Each fact of the change was received 7 ms after it occurred. */
const atMs = 9000;
const factTimesAt = (atMs: number) => ({ atMs: atMs, receivedAtMs: atMs + 7 });
const eventsOf = (keys: Item, before: Item | undefined, after: Item | undefined) =>
  applianceEvents({
    recordId: 'r',
    atMs,
    keys,
    before: before && { ...keys, ...before },
    after: after && { ...keys, ...after },
  });

const reportedAt = (atMs: number) => ({ reportedAtMs: atMs, receivedAtMs: atMs + 7 });

const circuits = {
  heating: { key: circuitItemKey('gw-1', 'heating', 'hc1'), path: '/hvacs/gw-1/heatingCircuits/hc1' },
  dhw: { key: circuitItemKey('gw-1', 'dhw', 'hc1'), path: '/hvacs/gw-1/dhwCircuits/hc1' },
} as const;

describe.each(['heating', 'dhw'] as const)('a circuit of %s', (family) => {
  const { key, path } = circuits[family];
  const reported = reportedCircuits[family];
  const setpoint = family === 'heating' ? 'roomSetpointCelsius' : 'waterSetpointCelsius';
  const measured = family === 'heating' ? 'supplyTemperatureCelsius' : 'waterTemperatureCelsius';
  const circuit = { gatewayId: 'gw-1', circuitId: 'hc1', reported, ...reportedAt(1000), version: 3 };
  const requested = {
    ...circuit,
    version: 4,
    desired: { [setpoint]: 50 },
    desiredAtMs: 2000,
  };
  const refused = {
    ...requested,
    lastRefusal: { version: 4, reason: 'limit', detail: 'Too hot.', ...factTimesAt(2500) },
  };
  const fulfilled = { ...circuit, version: 4, reported: { ...reported, [setpoint]: 50 }, ...reportedAt(3000) };

  test.each<[string, Item | undefined, Item, number, number]>([
    ['is reported for the first time', undefined, circuit, 1000, 1007],
    ['is requested to change', circuit, requested, 2000, 2000],
    ['is requested to change to its current settings', circuit, { ...circuit, version: 4 }, atMs, atMs],
    ['has refused a change', requested, refused, 2500, 2507],
    ['has fulfilled a change', requested, fulfilled, 3000, 3007],
    [
      'has another setting, changed at the appliance',
      circuit,
      { ...circuit, reported: { ...reported, operationMode: 'off' }, ...reportedAt(1500) },
      1500,
      1507,
    ],
    [
      'is confirmed by a late report',
      { ...fulfilled, desired: { [setpoint]: 50 } },
      { ...fulfilled, receivedAtMs: 3500 },
      atMs,
      3500,
    ],
  ])(
    'that %s has changed at that time, and the event contains the answer of GET',
    (_, before, after, factAtMs, receivedAtMs) => {
      const item = { ...key, ...after };
      const data =
        family === 'heating' ? heatingCircuitBody(toCircuit<'heating'>(item)) : dhwCircuitBody(toCircuit<'dhw'>(item));
      expect(eventsOf(key, before, after)).toEqual([
        { type: 'circuit.changed', atMs: factAtMs, receivedAtMs, gatewayId: 'gw-1', resource: path, data },
      ]);
    },
  );

  test('whose override begins or ends has changed; a report from before overrides existed has no override', () => {
    const override = { until: '2026-11-20T22:00:00Z', since: '2026-11-20T18:00:00Z' };
    const overridden = { ...circuit, reported: { ...reported, override }, ...reportedAt(1500) };
    expect(eventsOf(key, circuit, overridden)).toMatchObject([{ type: 'circuit.changed', data: { override } }]);
    const over = { ...circuit, reported: { ...reported, override: null }, ...reportedAt(2000) };
    expect(eventsOf(key, overridden, over)).toMatchObject([{ atMs: 2000, data: { override: null } }]);
    expect(eventsOf(key, circuit, over)).toEqual([]);
  });

  test('that is deleted has an event without data, no earlier than its last receipt', () => {
    for (const [receivedAtMs, taken] of [
      [1007, atMs],
      [atMs + 300, atMs + 300],
    ])
      expect(eventsOf(key, { ...circuit, receivedAtMs }, undefined)).toEqual([
        { type: 'circuit.changed', atMs, receivedAtMs: taken, gatewayId: 'gw-1', resource: path, data: {} },
      ]);
  });

  test('whose reports arrive out of order has changed when the report that changes it was received', () => {
    const off = { ...circuit, reported: { ...reported, operationMode: 'off' } };
    const before = { ...circuit, desiredAtMs: 8000 };
    expect(eventsOf(key, before, { ...off, desiredAtMs: before.desiredAtMs, ...reportedAt(1500) })).toMatchObject([
      { atMs: 1500, receivedAtMs: 1507 },
    ]);
  });

  test('with only new measurements has not changed', () => {
    const measuredAnew = { ...circuit, reported: { ...reported, [measured]: 41.5 }, ...reportedAt(1500) };
    expect(eventsOf(key, circuit, measuredAnew)).toEqual([]);
    expect(eventsOf(key, circuit, { ...circuit, ...reportedAt(1500) })).toEqual([]);
  });
});

test.each([
  ['heating', '/hvacs/gw-1/heatingCircuits/hc1/timePrograms/2'],
  ['dhw', '/hvacs/gw-1/dhwCircuits/hc1/timePrograms/2'],
] as const)(
  'a time program of %s has changed if its content has, not if it was only reported again',
  (family, resource) => {
    const key = timeProgramItemKey('gw-1', family, 'hc1', '2');
    const program = { timeProgramId: '2', reported: reportedProgram, ...reportedAt(1000), version: 1 };
    const renamed = { ...program, reported: { ...reportedProgram, name: 'Holidays' }, ...reportedAt(1500) };
    expect(eventsOf(key, program, { ...program, ...reportedAt(1500) })).toEqual([]);
    expect(eventsOf(key, program, renamed)).toEqual([
      {
        type: 'time_program.changed',
        ...factTimesAt(1500),
        gatewayId: 'gw-1',
        resource,
        data: timeProgramBody(toTimeProgram({ ...key, ...renamed })),
      },
    ]);
  },
);

test.each(['heating', 'dhw'] as const)('another name is a change of a circuit of %s', (family) => {
  const { key } = circuits[family];
  const circuit = { gatewayId: 'gw-1', circuitId: 'hc1', reported: reportedCircuits[family], version: 3 };
  const named = { ...circuit, reported: { ...reportedCircuits[family], displayName: 'Attic' }, ...reportedAt(2000) };
  expect(eventsOf(key, { ...circuit, ...reportedAt(1000) }, named)).toMatchObject([{ data: { displayName: 'Attic' } }]);
});

test('another curve or cooling setpoint is a change of a heating circuit, and the lack of both is none', () => {
  const { key } = circuits.heating;
  const circuit = (settings: object, at: number) => ({
    gatewayId: 'gw-1',
    circuitId: 'hc1',
    reported: { ...reportedCircuits.heating, ...settings },
    ...reportedAt(at),
    version: 3,
  });
  const [curve, steeper] = [
    { heatingCurve: { slope: 1.2, shiftKelvin: 0 } },
    { heatingCurve: { shiftKelvin: 0, slope: 1.3 } },
  ];
  const none = { heatingCurve: null, coolingSetpointCelsius: null };
  expect(eventsOf(key, circuit({}, 1), circuit(none, 2))).toEqual([]);
  expect(eventsOf(key, circuit(none, 1), circuit(curve, 2))).toMatchObject([{ data: curve }]);
  expect(eventsOf(key, circuit(curve, 1), circuit(steeper, 2))).toMatchObject([{ data: steeper }]);
  expect(eventsOf(key, circuit(steeper, 1), circuit({ heatingCurve: { slope: 1.3, shiftKelvin: 0 } }, 2))).toEqual([]);
  const cooler = { coolingSetpointCelsius: 24 };
  expect(eventsOf(key, circuit({}, 1), circuit(cooler, 2))).toMatchObject([{ data: cooler }]);
});

test('a holiday has changed if it was requested, ended or deleted, not if it was only reported again', () => {
  const key = holidayItemKey('gw-1');
  const none = { gatewayId: 'gw-1', reported: { holiday: null }, ...reportedAt(1000), version: 1 };
  const desired = { holiday: { from: '2026-12-24T12:00:00Z', to: '2027-01-02T16:00:00Z', roomSetpointCelsius: 16 } };
  const requested = { ...none, version: 2, desired, desiredAtMs: 2000 };
  const fulfilled = { ...none, version: 2, reported: desired, ...reportedAt(3000) };
  const changed = { type: 'holiday.changed', gatewayId: 'gw-1', resource: '/hvacs/gw-1/holiday' };
  const bodyOf = (item: Item) => holidayBody(toHoliday({ ...key, ...item }));
  expect(eventsOf(key, none, { ...none, ...reportedAt(1500) })).toEqual([]);
  expect(eventsOf(key, none, requested)).toStrictEqual([
    { ...changed, atMs: 2000, receivedAtMs: 2000, data: bodyOf(requested), dataSince: expect.any(Function) },
  ]);
  expect(eventsOf(key, requested, fulfilled)).toMatchObject([{ ...changed, atMs: 3000, data: bodyOf(fulfilled) }]);
  // To companies that were granted the gateway since the last report, the holiday is new.
  expect(eventsOf(key, fulfilled, { ...fulfilled, ...reportedAt(3500) })).toEqual([
    expect.objectContaining({ ...changed, data: {} }),
  ]);
  expect(eventsOf(key, fulfilled, { ...none, version: 2, ...reportedAt(4000) })).toMatchObject([
    { ...changed, atMs: 4000, data: { holiday: null, state: 'confirmed', version: 2 } },
  ]);
  expect(eventsOf(key, none, undefined)).toMatchObject([{ ...changed, data: {} }]);
});

describe('a gateway', () => {
  const key = gatewayItemKey('gw-1');
  const plate = { name: 'Home', type: 'heat-pump', components: [], limits: {} };
  const described = { ...plate, describedAtMs: 500, removedAtMs: 0, receivedAtMs: 507, facts: {} };
  const gateway = {
    ...described,
    facts: { connectivity: { ...factTimesAt(1000), connectivity: 'online' }, lastSeen: factTimesAt(1000) },
  };
  const withFacts = (facts: object) => ({ ...gateway, facts: { ...gateway.facts, ...facts } });
  const offline = (atMs: number) => withFacts({ connectivity: { ...factTimesAt(atMs), connectivity: 'offline' } });
  const blocked = (fact: object) => withFacts({ dhwCircuitsBlock: fact });
  const block = { sinceMs: 2000, untilMs: null, ...factTimesAt(2100) };
  const fault = { code: 'F.28', componentId: null, severity: 'fault', text: null, sinceMs: null, ...factTimesAt(2100) };
  const [faultName, otherName] = [faultFactName(fault), faultFactName({ ...fault, componentId: '1' })];
  const faulty = (fact: object) => withFacts({ [faultName]: fact });
  /** Everything reported until then is deleted by a late removal. */
  const removed = { ...gateway, removedAtMs: 4000, receivedAtMs: 4007, facts: {} };
  /** Described again at 5000, with the reports since the removal. */
  const anew = { ...removed, describedAtMs: 5000, receivedAtMs: 5007 };

  test.each<[string, Item | undefined, Item, string[]]>([
    ['is described', undefined, described, []],
    ['was only seen', gateway, withFacts({ lastSeen: factTimesAt(1500) }), []],
    ['has another name', gateway, { ...gateway, name: 'Cellar', receivedAtMs: 1507 }, []],
    ['goes offline', gateway, offline(1500), ['gateway.connectivity_changed 1500 1507']],
    ['is offline, as before', described, { ...described, facts: offline(1500).facts }, []],
    ['blocks a function', gateway, blocked(block), ['function.blocked 2100 2107']],
    [
      'blocks it longer',
      blocked(block),
      blocked({ ...block, untilMs: 9000, ...factTimesAt(2200) }),
      ['function.blocked 2200 2207'],
    ],
    [
      'blocks it again, with a new start',
      blocked(block),
      blocked({ ...block, sinceMs: 2150, ...factTimesAt(2200) }),
      ['function.blocked 2200 2207'],
    ],
    ['reports the block again', blocked(block), blocked({ ...block, ...factTimesAt(2200) }), []],
    ['blocks it no longer', blocked(block), blocked(factTimesAt(2300)), ['function.unblocked 2300 2307']],
    ['does not block it, as before', gateway, blocked(factTimesAt(2300)), []],
    ['has a fault', gateway, faulty(fault), ['fault.reported 2100 2107']],
    [
      'has another fault too',
      faulty(fault),
      withFacts({ [faultName]: fault, [otherName]: { ...fault, ...factTimesAt(2200) } }),
      ['fault.reported 2200 2207'],
    ],
    ...[{ text: 'Call the installer.' }, { severity: 'warning' }, { sinceMs: 2050 }].map(
      (change): [string, Item, Item, string[]] => [
        `says of a fault ${Object.keys(change)}`,
        faulty(fault),
        faulty({ ...fault, ...change, ...factTimesAt(2200) }),
        ['fault.reported 2200 2207'],
      ],
    ),
    ['reports the fault again', faulty(fault), faulty({ ...fault, ...factTimesAt(2200) }), []],
    ['no longer has the fault', faulty(fault), faulty(factTimesAt(2300)), ['fault.cleared 2300 2307']],
    ['does not have the fault, as before', gateway, faulty(factTimesAt(2300)), []],
    [
      'has the fault again',
      faulty(factTimesAt(2300)),
      faulty({ ...fault, ...factTimesAt(2400) }),
      ['fault.reported 2400 2407'],
    ],
    [
      'dropped the fault for another one',
      faulty(fault),
      withFacts({ [otherName]: { ...fault, ...factTimesAt(2200) } }),
      ['fault.reported 2200 2207'],
    ],
    [
      'had a fault and was removed before it was described',
      { ...faulty(fault), facts: { [faultName]: fault } },
      removed,
      ['fault.cleared 4000 4007'],
    ],
    [
      'had a fault with the time of its removal',
      { ...faulty({ ...fault, ...factTimesAt(4000) }), facts: { [faultName]: { ...fault, ...factTimesAt(4000) } } },
      removed,
      ['fault.cleared 4000 4007'],
    ],
    ['dropped the cleared fault', faulty(factTimesAt(2300)), removed, ['gateway.connectivity_changed 4000 4007']],
    [
      'was removed before it was described',
      blocked(block),
      removed,
      ['gateway.connectivity_changed 4000 4007', 'function.unblocked 4000 4007'],
    ],
    ['is described again', undefined, anew, ['gateway.connectivity_changed 4000 5007']],
    [
      'is described again, after earlier reports',
      undefined,
      { ...anew, facts: { connectivity: { ...factTimesAt(4500), connectivity: 'online' }, dhwCircuitsBlock: block } },
      ['gateway.connectivity_changed 4500 5007', 'function.blocked 2100 5007'],
    ],
  ])('that %s', (_, before, after, expected) => {
    const events = eventsOf(key, before, after);
    expect(events.map((event) => `${event.type} ${event.atMs} ${event.receivedAtMs}`)).toEqual(expected);
    for (const { gatewayId, resource, data } of events)
      expect([gatewayId, resource, data]).toEqual([
        ...['gw-1', '/hvacs/gw-1'],
        gatewayBody(toGateway({ ...key, ...after }), atMs),
      ]);
  });

  test('that reports several facts at once has a distinguishable event for each', () => {
    const blocks = { heatingCircuitsBlock: block, dhwCircuitsBlock: block };
    const faults = { [faultName]: fault, [otherName]: fault };
    const events = eventsOf(key, gateway, { ...gateway, facts: { ...offline(1500).facts, ...blocks, ...faults } });
    const idsOf = (recordId: string, companyId: string) =>
      events.map((event) => feedEventOf(event, { recordId }, companyId).id);
    expect(idsOf('r', 'acme')).toEqual(idsOf('r', 'acme'));
    const ids = [...idsOf('r', 'acme'), ...idsOf('r', 'other'), ...idsOf('later', 'acme')];
    expect([events.length, new Set(ids).size]).toEqual([5, 15]);
  });

  test('and other rows of its partition produce no events', () => {
    expect(eventsOf(key, gateway, undefined)).toEqual([]);
    for (const sk of ['INVENTORY', 'COMPANY#acme'])
      expect(eventsOf({ gatewayId: 'gw-1', sk }, undefined, { grantedAtMs: 1 })).toEqual([]);
  });
});

describe('the energy of a gateway', () => {
  const given = (day: string, heatKwh: number) => ({ day, heating: { heatKwh }, dhw: { fuelKwh: 2 } });
  const month = (days: readonly ReturnType<typeof given>[], at = 1000) => ({
    ...energyOfMonth('gw-1', days, factTimesAt(at)),
  });
  const [one, other] = [given('2026-11-20', 1), given('2026-11-21', 2)];
  const drafts = (before: Item | undefined, after: Item | undefined) =>
    eventsOf(energyItemKey('gw-1', '2026-11-20'), before, after);
  const shown = (day: string, heatKwh: number, reportedAt: string) => ({
    day,
    reportedAt,
    heating: { electricityKwh: null, fuelKwh: null, heatKwh },
    dhw: { electricityKwh: null, fuelKwh: 2, heatKwh: null },
    cooling: null,
  });

  test.each<[string, Item | undefined, Item, object]>([
    ['the first day of a month', undefined, month([one]), shown('2026-11-20', 1, '1970-01-01T00:00:01Z')],
    [
      'another day',
      month([one]),
      { ...month([one, other]), ...factTimesAt(1000) },
      shown('2026-11-21', 2, '1970-01-01T00:00:01Z'),
    ],
    [
      'a correction',
      month([one]),
      month([given('2026-11-20', 3)], 2000),
      shown('2026-11-20', 3, '1970-01-01T00:00:02Z'),
    ],
  ])('has an event for %s', (_, before, after, data) => {
    expect(drafts(before, after)).toEqual([
      {
        type: 'energy.reported',
        atMs: Date.parse((data as { reportedAt: string }).reportedAt),
        receivedAtMs: after.receivedAtMs,
        gatewayId: 'gw-1',
        resource: '/hvacs/gw-1/energy',
        day: (data as { day: string }).day,
        data,
      },
    ]);
  });

  test('for cooling has an event if it is corrected', () => {
    const cooled = (removedHeatKwh: number, at: number) =>
      energyOfMonth('gw-1', [{ ...one, cooling: { removedHeatKwh } }], factTimesAt(at));
    const cooling = (removedHeatKwh: number) => [
      { data: { cooling: { electricityKwh: null, fuelKwh: null, removedHeatKwh } } },
    ];
    expect(drafts(month([one]), cooled(4, 2000))).toMatchObject(cooling(4));
    expect(drafts(cooled(4, 2000), cooled(5, 3000))).toMatchObject(cooling(5));
    expect(drafts(cooled(4, 2000), cooled(4, 3000))).toEqual([]);
  });

  test.each<[string, Item | undefined, Item | undefined]>([
    ['is reported again unchanged', month([one]), month([one], 2000)],
    ['is deleted with its gateway', month([one]), undefined],
    ['is deleted with its gateway in part', month([one, other]), month([other])],
    ['is restored', undefined, month([one, other])],
    [
      'is restored together with a day that was reported since',
      month([one]),
      month([one, other, given('2026-11-22', 1)]),
    ],
  ])('has no event if it %s', (_, before, after) => {
    expect(drafts(before, after)).toEqual([]);
  });

  test('has no event for an hour', () => {
    const start = '2026-11-20T10:00:00Z';
    const hours = (heatKwh: number) => ({
      ...hoursOfDay('gw-1', [{ start, heating: { heatKwh } }], factTimesAt(1000 * heatKwh)),
    });
    expect(eventsOf(hoursItemKey('gw-1', start), undefined, hours(1))).toEqual([]);
    expect(eventsOf(hoursItemKey('gw-1', start), hours(1), hours(2))).toEqual([]);
  });
});
