import { describe, expect, test } from 'vitest';
import { dhwCircuitBody, heatingCircuitBody, timeProgramBody } from '../../../lambdas/answers/circuit.ts';
import type { Circuit } from '../../../lambdas/domain/appliances/appliance.ts';

const reportedAtMs = Date.parse('2036-03-10T11:59:00Z');
/** Nobody is shown when this service took a report in. */
const receivedAtMs = reportedAtMs + 999;
const ids = { gatewayId: 'gw-1', circuitId: 'c1' };
const settings = { operationMode: 'auto', roomSetpointCelsius: 21, activeTimeProgramId: '1' } as const;
const reported = { ...settings, roomTemperatureCelsius: 20.5, supplyTemperatureCelsius: 38 };
const circuit: Circuit<'heating'> = { ...ids, reported, reportedAtMs, receivedAtMs, version: 4 };

describe('a circuit', () => {
  test('is shown as it was reported if nothing is desired', () => {
    expect(heatingCircuitBody(circuit)).toEqual({
      ...ids,
      ...reported,
      state: 'confirmed',
      version: 4,
      reportedAt: '2036-03-10T11:59:00Z',
    });
  });

  test('is shown with the desired settings, and all else as it was reported', () => {
    expect(heatingCircuitBody({ ...circuit, desired: { roomSetpointCelsius: 19 }, version: 5 })).toEqual({
      ...ids,
      ...reported,
      roomSetpointCelsius: 19,
      state: 'pending',
      version: 5,
      reportedAt: '2036-03-10T11:59:00Z',
    });
  });

  test('is pending also if the desired settings are those that were reported already', () => {
    expect(heatingCircuitBody({ ...circuit, desired: settings }).state).toBe('pending');
  });

  test.each([
    ['open', 3276.7, null],
    ['short', -3276.8, null],
    ['cold', -3276.7, -3276.7],
    ['at the freezing point', 0, 0],
    ['reported as broken', null, null],
  ])('shows a sensor that is %s: %s as %s', (_, celsius, shown) => {
    const measured = { roomTemperatureCelsius: celsius, supplyTemperatureCelsius: celsius };
    const body = heatingCircuitBody({ ...circuit, reported: { ...reported, ...measured } });
    expect(body).toMatchObject({ roomTemperatureCelsius: shown, supplyTemperatureCelsius: shown });
    const water = { operationMode: 'eco', waterSetpointCelsius: 50, activeTimeProgramId: '1' } as const;
    const hotWater = {
      ...ids,
      reported: { ...water, waterTemperatureCelsius: celsius },
      reportedAtMs,
      receivedAtMs,
      version: 1,
    };
    expect(dhwCircuitBody(hotWater)).toMatchObject({ ...water, waterTemperatureCelsius: shown });
  });

  test('does not show what is stored beside the report', () => {
    const desiredBy = { companyId: 'acme', requestId: 'r-1', atMs: reportedAtMs };
    const shown = JSON.stringify(heatingCircuitBody({ ...circuit, note: 'internal', desiredBy } as typeof circuit));
    // To the byte: no property is there because others have it at times.
    expect(shown).toBe(JSON.stringify(heatingCircuitBody(circuit)));
    expect(shown).toBe(
      '{"operationMode":"auto","roomSetpointCelsius":21,"activeTimeProgramId":"1","roomTemperatureCelsius":20.5,"supplyTemperatureCelsius":38,"gatewayId":"gw-1","circuitId":"c1","state":"confirmed","version":4,"reportedAt":"2036-03-10T11:59:00Z"}',
    );
  });
});

describe('a change that the appliance has refused', () => {
  const lastRefusal = {
    version: 5,
    reason: 'not-supported',
    detail: 'No cooling.',
    atMs: reportedAtMs + 1000,
    receivedAtMs,
  };
  const refused = { ...circuit, desired: { roomSetpointCelsius: 19 }, version: 5, lastRefusal };
  const shown = { at: '2036-03-10T11:59:01Z', reason: 'not-supported', detail: 'No cooling.' };

  test('stays pending, and tells why beside its status', () => {
    expect(heatingCircuitBody(refused)).toEqual({
      ...heatingCircuitBody({ ...circuit, desired: { roomSetpointCelsius: 19 }, version: 5 }),
      lastRefusal: shown,
    });
    const program = { name: 'Weekdays', switchPoints: [] };
    const refusedProgram = {
      timeProgramId: '1',
      reported: program,
      desired: program,
      ...{ reportedAtMs, receivedAtMs },
      version: 5,
      lastRefusal,
    };
    expect(timeProgramBody(refusedProgram)).toMatchObject({ state: 'pending', lastRefusal: shown });
  });

  test('has texts of a bounded length, whatever the appliance wrote', () => {
    const long = 'x'.repeat(501);
    const body = heatingCircuitBody({ ...refused, lastRefusal: { ...lastRefusal, reason: long, detail: long } });
    expect(body).toMatchObject({ lastRefusal: { reason: long.slice(1), detail: long.slice(1) } });
  });
});

test('a time program is shown as it is desired, whole', () => {
  const program = { name: 'Weekdays', switchPoints: [] };
  const desired = { name: 'Holidays', switchPoints: [] };
  expect(
    timeProgramBody({ timeProgramId: '1', reported: program, desired, reportedAtMs, receivedAtMs, version: 2 }),
  ).toEqual({
    timeProgramId: '1',
    ...desired,
    state: 'pending',
    version: 2,
    reportedAt: '2036-03-10T11:59:00Z',
  });
});
