import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { blockMembers, gatewayBody } from '../../../lambdas/answers/gateway.ts';
import { maxComponents, maxTextCharacters } from '../../../lambdas/api/limits.ts';
import { gateway } from '../../../lambdas/api/schemas/gateway.ts';
import { type Block, blockAt, type Gateway } from '../../../lambdas/domain/appliances/appliance.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';

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
  const { lastSeenAtMs, blocks, ...rest } = gatewayWith({});
  expect(gatewayBody({ lastSeenAtMs, blocks, ...rest }, nowMs)).toEqual({
    ...rest,
    lastSeenAt: toTimestamp(lastSeenAtMs),
    blockedFunctions: [],
  });
});

test('what an appliance says of itself is bounded, whatever it says', () => {
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
    lastSeenAtMs: nowMs - 60_000,
    components: [{ componentId: '1', type: 'boiler', model: 'B-100' }],
    limits: { maxSwitchPoints: 10, maxSwitchPointsPerDay: 4, switchPointRasterMinutes: 10 },
    blocks,
  };
}
