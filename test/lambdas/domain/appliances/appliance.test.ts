import { describe, expect, test } from 'vitest';
import {
  type Block,
  blockAt,
  type Gateway,
  presentBlock,
  presentGateway,
  presentShadow,
} from '../../../../lambdas/domain/appliances/appliance.ts';
import { toTimestamp } from '../../../../lambdas/domain/time.ts';

const nowMs = Date.parse('2036-03-10T12:00:00Z');
const reportedAtMs = nowMs - 60_000;

describe('what can be changed', () => {
  const reported = { operationMode: 'auto', roomSetpointCelsius: 21, roomTemperatureCelsius: 20.5 };

  test('is shown as it was reported where nothing is desired', () => {
    expect(presentShadow({ reported, reportedAtMs, version: 4 })).toEqual({
      ...reported,
      state: 'confirmed',
      version: 4,
      reportedAt: '2036-03-10T11:59:00Z',
    });
  });

  test('is shown as it is desired, and all else as it was reported', () => {
    const desired = { roomSetpointCelsius: 19 };
    expect(presentShadow({ reported, reportedAtMs, desired, version: 5 })).toMatchObject({
      ...reported,
      roomSetpointCelsius: 19,
      state: 'pending',
      version: 5,
    });
  });

  test('is pending also where the change is what was reported already', () => {
    expect(presentShadow({ reported, reportedAtMs, desired: reported, version: 5 }).state).toBe('pending');
  });

  test.each([
    ['open', 3276.7, null],
    ['short', -3276.8, null],
    ['cold', -3276.7, -3276.7],
    ['at the freezing point', 0, 0],
    ['reported as broken', null, null],
  ])('a sensor that is %s: %s is shown as %s', (_, roomTemperatureCelsius, shown) => {
    const presented = presentShadow({ reported: { ...reported, roomTemperatureCelsius }, reportedAtMs, version: 1 });
    expect(presented).toMatchObject({ roomTemperatureCelsius: shown, roomSetpointCelsius: 21 });
  });
});

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
    expect(presentGateway(blocked, atMs).blockedFunctions).toEqual(
      isBlocked ? [{ function: 'dhwCircuits', ...presentBlock(block) }] : [],
    );
  });

  test('does not block another', () => {
    const blocked = gatewayWith({ dhwCircuits: { sinceMs: nowMs, untilMs: null } });
    expect(blockAt(blocked, 'dhwTimePrograms', nowMs)).toBeUndefined();
    expect(blockAt(blocked, 'heatingCircuits', nowMs)).toBeUndefined();
  });

  test('is shown with the times of its start and, where it is known, of its end', () => {
    const sinceMs = nowMs - 5000;
    expect(presentBlock({ sinceMs, untilMs: nowMs })).toEqual({
      blockedSince: '2036-03-10T11:59:55Z',
      blockedUntil: '2036-03-10T12:00:00Z',
    });
    expect(presentBlock({ sinceMs, untilMs: null })).toMatchObject({ blockedUntil: null });
  });
});

test('a gateway is shown as it is stored, its times as RFC 3339 and its blocks as a list', () => {
  const { lastSeenAtMs, blocks, ...rest } = gatewayWith({});
  expect(presentGateway({ lastSeenAtMs, blocks, ...rest }, nowMs)).toEqual({
    ...rest,
    lastSeenAt: toTimestamp(lastSeenAtMs),
    blockedFunctions: [],
  });
});

function gatewayWith(blocks: Gateway['blocks']): Gateway {
  return {
    gatewayId: 'gw-1',
    name: 'Cellar',
    type: 'heat-pump',
    connectivity: 'online',
    lastSeenAtMs: reportedAtMs,
    components: [{ componentId: '1', type: 'boiler', model: 'B-100' }],
    limits: { maxSwitchPoints: 10, maxSwitchPointsPerDay: 4, switchPointRasterMinutes: 10 },
    blocks,
  };
}
