import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import {
  blockMembers,
  dhwCircuitBody,
  gatewayBody,
  heatingCircuitBody,
  timeProgramBody,
} from '../../lambdas/answers/appliances.ts';
import { maxComponents, maxTextCharacters } from '../../lambdas/api/limits.ts';
import { unreported } from '../../lambdas/api/schemas/circuit.ts';
import { gateway } from '../../lambdas/api/schemas/gateway.ts';
import { type Block, blockAt, type Circuit, type Gateway } from '../../lambdas/domain/appliance.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';

describe('gateway', () => {
  const nowMs = Date.parse('2036-03-10T12:00:00Z');

  describe('a function that the appliance blocks', () => {
    test.each<[string, Block, number, boolean]>([
      ['until an end', { sinceMs: nowMs, untilMs: nowMs + 1000 }, nowMs, true],
      ['a millisecond before its end', { sinceMs: nowMs, untilMs: nowMs + 1000 }, nowMs + 999, true],
      ['exactly at its end', { sinceMs: nowMs, untilMs: nowMs + 1000 }, nowMs + 1000, false],
      ['after its end', { sinceMs: nowMs, untilMs: nowMs + 1000 }, nowMs + 1001, false],
      ['without an end', { sinceMs: nowMs, untilMs: null }, nowMs + 1e12, true],
    ])('%s is blocked, and shown as blocked: %j at %i → %s', (_, block, atMs, isBlocked) => {
      const blocked = gatewayWith({ dhwCircuits: block });
      expect(blockAt(blocked, 'dhwCircuits', atMs)).toEqual(isBlocked ? block : undefined);
      expect(gatewayBody(blocked, atMs).blockedFunctions).toEqual(
        isBlocked ? [{ function: 'dhwCircuits', ...blockMembers(block) }] : [],
      );
    });

    test('does not block another', () => {
      const blocked = gatewayWith({ dhwCircuits: { sinceMs: nowMs, untilMs: null } });
      expect(blockAt(blocked, 'dhwTimePrograms', nowMs)).toBeUndefined();
      expect(blockAt(blocked, 'heatingCircuits', nowMs)).toBeUndefined();
    });

    test('is shown with the times of its start and, where it is known, of its end', () => {
      const sinceMs = nowMs - 5000;
      expect(blockMembers({ sinceMs, untilMs: nowMs })).toEqual({
        blockedSince: '2036-03-10T11:59:55Z',
        blockedUntil: '2036-03-10T12:00:00Z',
      });
      expect(blockMembers({ sinceMs, untilMs: null })).toMatchObject({ blockedUntil: null });
    });
  });

  test('a gateway is shown as it is stored, its times as RFC 3339 and its blocks as a list', () => {
    const { lastSeenAtMs, connectivitySinceMs, blocks, ...rest } = gatewayWith({});
    expect(gatewayBody({ lastSeenAtMs, connectivitySinceMs, blocks, ...rest }, nowMs)).toEqual({
      ...rest,
      lastSeenAt: toTimestamp(lastSeenAtMs),
      blockedFunctions: [],
    });
  });

  test('a fault is shown with its time as RFC 3339', () => {
    const fault = { code: 'F.28', componentId: '1', severity: 'fault', text: 'Ignition failed.' };
    const { faults } = gatewayBody({ ...gatewayWith({}), faults: [{ ...fault, sinceMs: nowMs }] }, nowMs);
    expect(faults).toEqual([{ ...fault, since: toTimestamp(nowMs) }]);
  });

  test('the texts and the components of an appliance are cut to their limits', () => {
    const long = 'x'.repeat(maxTextCharacters + 1);
    const component = { componentId: long, type: long, model: long, serialNumber: long };
    const said = { ...gatewayWith({}), name: long, type: long, components: Array(maxComponents + 1).fill(component) };
    const body = gatewayBody(said, nowMs);
    expect(z.safeParse(gateway(), body).error).toBeUndefined();
    expect(body.components).toHaveLength(maxComponents);
    expect(body.name).toBe(long.slice(1));
  });

  function gatewayWith(blocks: Gateway['blocks']): Gateway {
    return {
      gatewayId: 'gw-1',
      name: 'Cellar',
      type: 'heat-pump',
      connectivity: 'online',
      connectivitySinceMs: nowMs - 7_200_000,
      lastSeenAtMs: nowMs - 60_000,
      components: [{ componentId: '1', type: 'boiler', model: 'B-100' }],
      limits: { maxSwitchPoints: 10, maxSwitchPointsPerDay: 4, switchPointRasterMinutes: 10 },
      features: [],
      blocks,
      faults: [],
      timeZone: null,
    };
  }
});

describe('circuit', () => {
  const reportedAtMs = Date.parse('2036-03-10T11:59:00Z');
  /** No answer shows when this service received a report. */
  const receivedAtMs = reportedAtMs + 999;
  const ids = { gatewayId: 'gw-1', circuitId: 'c1' };
  const settings = { operationMode: 'auto', roomSetpointCelsius: 21, activeTimeProgramId: '1' } as const;
  const reported = {
    ...unreported.heating,
    ...settings,
    roomTemperatureCelsius: 20.5,
    supplyTemperatureCelsius: 38,
  };
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

    test('is shown with the desired settings, and everything else as reported', () => {
      expect(heatingCircuitBody({ ...circuit, desired: { roomSetpointCelsius: 19 }, version: 5 })).toEqual({
        ...ids,
        ...reported,
        roomSetpointCelsius: 19,
        state: 'pending',
        version: 5,
        reportedAt: '2036-03-10T11:59:00Z',
      });
    });

    test('is pending even if the desired settings equal the reported ones', () => {
      expect(heatingCircuitBody({ ...circuit, desired: settings }).state).toBe('pending');
    });

    test.each([
      ['open', 3276.7, null],
      ['short', -3276.8, null],
      ['colder than any house', -50.01, null],
      ['as cold as a house can be', -50, -50],
      ['broken', 6553.5, null],
      ['noisy', 20.299999999999997, 20.3],
      ['at the freezing point', 0, 0],
      ['reported as broken', null, null],
    ])('shows a sensor that is %s: %s as %s', (_, celsius, shown) => {
      const measured = { roomTemperatureCelsius: celsius, supplyTemperatureCelsius: celsius };
      const body = heatingCircuitBody({ ...circuit, reported: { ...reported, ...measured } });
      expect(body).toMatchObject({ roomTemperatureCelsius: shown, supplyTemperatureCelsius: shown });
      const water = { operationMode: 'eco', waterSetpointCelsius: 50, activeTimeProgramId: '1' } as const;
      const hotWater = {
        ...ids,
        reported: { ...unreported.dhw, ...water, waterTemperatureCelsius: celsius },
        reportedAtMs,
        receivedAtMs,
        version: 1,
      };
      expect(dhwCircuitBody(hotWater)).toMatchObject({ ...water, waterTemperatureCelsius: shown });
    });

    test('does not show other stored properties', () => {
      const shown = JSON.stringify(
        heatingCircuitBody({ ...circuit, note: 'internal', desiredAtMs: reportedAtMs } as typeof circuit),
      );
      // Compares the bytes: the body has no property that only other bodies have.
      expect(shown).toBe(JSON.stringify(heatingCircuitBody(circuit)));
      expect(shown).not.toMatch(/undefined|internal|desired/);
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

    test('stays pending, and shows the reason with its status', () => {
      expect(heatingCircuitBody(refused)).toEqual({
        ...heatingCircuitBody({ ...circuit, desired: { roomSetpointCelsius: 19 }, version: 5 }),
        lastRefusal: shown,
      });
      const program = { name: 'Weekdays', switchPoints: [] };
      const refusedProgram = {
        timeProgramId: '1',
        reported: program,
        desired: program,
        reportedAtMs,
        receivedAtMs,
        version: 5,
        lastRefusal,
      };
      expect(timeProgramBody(refusedProgram)).toMatchObject({ state: 'pending', lastRefusal: shown });
    });

    test('has its texts cut to the maximum length', () => {
      const long = 'x'.repeat(501);
      const body = heatingCircuitBody({ ...refused, lastRefusal: { ...lastRefusal, reason: long, detail: long } });
      expect(body).toMatchObject({ lastRefusal: { reason: long.slice(1), detail: long.slice(1) } });
    });
  });

  test('a time program is shown entirely as desired', () => {
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
});
