import { describe, expect, test } from 'vitest';
import {
  type Ending,
  endingOf,
  givenUpAfterMs,
  heldMs,
  intentOf,
  isSuccess,
  pokeSpacingMs,
  revisedEnding,
} from '../../../../lambdas/domain/poke.ts';
import type { Webhook } from '../../../../lambdas/domain/webhook.ts';
import { consentedContract } from '../../../support/feed.ts';

const nowMs = 1_000_000_000;

test.each<[string, Webhook['state'], 'active' | 'suspended' | 'ended' | undefined, number, string]>([
  ['enabled', 'enabled', 'active', nowMs, 'send'],
  ['enabled, of a company whose contract has ended', 'enabled', 'ended', nowMs, 'send'],
  ['enabled, of a suspended company', 'enabled', 'suspended', nowMs, 'hold'],
  ['enabled, of a company without a contract', 'enabled', undefined, nowMs, 'hold'],
  ['unverified, while its code holds', 'unverified', 'active', nowMs + 1, 'send'],
  ['unverified, when its code holds no longer', 'unverified', 'active', nowMs, 'drop'],
  ['unverified, of a company whose contract has ended', 'unverified', 'ended', nowMs + 1, 'end'],
  ['unverified, of a suspended company', 'unverified', 'suspended', nowMs + 1, 'hold'],
  ['disabled', 'disabled', 'active', nowMs + 1, 'drop'],
  ['disabled, of a suspended company', 'disabled', 'suspended', nowMs + 1, 'drop'],
])('what a webhook is owed that is %s', (_, state, contractState, codeExpiresAtMs, intent) => {
  const contract = contractState && { ...consentedContract, state: contractState };
  expect(intentOf({ state, codeExpiresAtMs }, contract, nowMs)).toBe(intent);
});

test('a poke that is held is looked at again after a quarter of an hour', () => {
  expect(heldMs).toBe(15 * 60_000);
});

test.each([
  [null, false],
  [199, false],
  [200, true],
  [299, true],
  [300, false],
])('the status %s is a success: %s', (status, expected) => {
  expect(isSuccess(status)).toBe(expected);
});

describe('a poke that was sent', () => {
  const enabled = { state: 'enabled', codeExpiresAtMs: 0, failures: 0 } as const;
  const lastTry = { failures: 3, failedSinceMs: nowMs - givenUpAfterMs };
  const unverified = { ...enabled, state: 'unverified', codeExpiresAtMs: nowMs + 60_000 } as const;
  const again = (afterMs: number, failedSinceMs = nowMs): Ending => ({
    ...{ kind: 'again', atMs: nowMs + afterMs, failedSinceMs },
  });

  test.each<[string, Parameters<typeof endingOf>[0]['webhook'], number | null, Ending]>([
    ['that was answered well', enabled, 204, { kind: 'delivered' }],
    ['whose receiver is gone', enabled, 410, { kind: 'disabled', because: 'gone' }],
    ['that failed for the first time', enabled, 500, again(5000)],
    ['that was not answered', enabled, null, again(5000)],
    ['that failed for the second time', { ...enabled, failures: 1, failedSinceMs: nowMs }, 409, again(65_000)],
    ['that failed for too long', { ...enabled, ...lastTry }, 411, { kind: 'disabled', because: 'unreachable' }],
    ['whose code holds until after the next try', { ...unverified, codeExpiresAtMs: nowMs + 5001 }, 500, again(5000)],
    ['whose code holds no longer then', { ...unverified, codeExpiresAtMs: nowMs + 5000 }, 500, { kind: 'dropped' }],
    ['whose code never came back', { ...unverified, ...lastTry }, 500, { kind: 'dropped' }],
  ])('%s', (_, webhook, status, ending) => {
    expect(endingOf({ webhook, contract: { state: 'active' }, status, nowMs, random: 0.5 })).toEqual(ending);
    expect(endingOf({ webhook, contract: { state: 'ended' }, status, nowMs, random: 0.5 })).toEqual({
      ...{ kind: 'disabled', because: 'contract-ended' },
    });
  });
});

describe('an ending of a webhook that changed meanwhile', () => {
  const before = { state: 'unverified', code: 'c1', asked: 3 } as Webhook;
  const nextMs = nowMs + pokeSpacingMs;
  const begunAnew: Ending = { kind: 'again', atMs: nextMs };
  const [delivered, dropped]: Ending[] = [{ kind: 'delivered' }, { kind: 'dropped' }] as const;
  const failed: Ending = { kind: 'again', atMs: nowMs + 5000, failedSinceMs: nowMs };
  const ended: Ending = { kind: 'disabled', because: 'contract-ended' };
  const gone: Ending = { kind: 'disabled', because: 'gone' };

  test.each<[string, Ending | undefined, Partial<Webhook>, Ending | undefined]>([
    ['not at all stays', delivered, {}, delivered],
    ['not at all stays', failed, {}, failed],
    ['to disabled: nothing is owed', failed, { state: 'disabled' }, dropped],
    ['to verified: it is poked at once', failed, { state: 'enabled' }, begunAnew],
    ['to another code: it gets that at once', delivered, { code: 'c2' }, begunAnew],
    ['to another code, and whose receiver was gone: so it does', gone, { code: 'c2' }, begunAnew],
    ['to verified, and whose contract has ended: it has ended', ended, { state: 'enabled' }, ended],
    ['as more was asked for: that is owed', delivered, { asked: 4 }, begunAnew],
    ['as more was asked for: that is owed', dropped, { asked: 4 }, begunAnew],
    ['as more was asked for: the next try tells of it', failed, { asked: 4 }, failed],
    ['as more was asked for, but is disabled', gone, { asked: 4 }, gone],
  ])('%s: %j', (_, ending, change, expected) => {
    expect(revisedEnding(ending as Ending, before, { ...before, ...change }, nextMs)).toEqual(expected);
  });
});
