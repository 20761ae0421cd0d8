import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { webhookMessageTypes } from '../../../lambdas/api/schemas/webhook.ts';
import type { Company } from '../../../lambdas/domain/company.ts';
import type { Webhook } from '../../../lambdas/domain/webhook.ts';
import {
  type Ending,
  endingOf,
  heldMs,
  intentOf,
  isSuccess,
  messageSpacingMs,
  nextAttemptAt,
  nextAttemptMs,
  retryAfterMsOf,
  revisedEnding,
  type Standing,
  signatureHeaders,
  signingVersions,
  standingOf,
  testMessageOf,
  webhookMessageOf,
} from '../../../lambdas/domain/webhook-message.ts';

describe('signature', () => {
  const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
  const [current, previous, foreign] = [secretOf(1), secretOf(2), secretOf(3)];

  const webhook = { webhookId: 'wh_1', state: 'enabled', code: 'c0de', asked: 3 } as const;
  // The verifier uses a clock of its own, and accepts messages that are at most five minutes old.
  const message = webhookMessageOf(webhook, Date.now());
  const verify = (secret: string, headers: Record<string, string>, body = message.body) =>
    new Verifier(secret).verify(body, headers);

  test('contains the second in which the message was created', () => {
    const headers = signatureHeaders({ ...message, timestampMs: 1_700_000_000_999 }, [current]);
    expect(headers['webhook-timestamp']).toBe('1700000000');
  });

  describe('a verifier of Standard Webhooks', () => {
    test('accepts a message and reads its content', () => {
      expect(verify(current, signatureHeaders(message, [current]))).toEqual({
        type: 'events.available',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        data: { webhookId: 'wh_1' },
      });
    });

    test('accepts a message with either secret during a rotation', () => {
      const headers = signatureHeaders(message, [current, previous]);
      expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
      for (const secret of [current, previous]) expect(() => verify(secret, headers)).not.toThrow();
      expect(() => verify(foreign, headers)).toThrow('No matching signature');
    });

    test.each([
      ['id', { 'webhook-id': 'msg_other' }],
      ['time', { 'webhook-timestamp': String(Math.floor(message.timestampMs / 1000) - 1) }],
    ])('refuses a message with another %s', (_, changed) => {
      const headers = { ...signatureHeaders(message, [current]), ...changed };
      expect(() => verify(current, headers)).toThrow('No matching signature');
    });

    test('refuses a message with another body, and an old message', () => {
      expect(() => verify(current, signatureHeaders(message, [current]), `${message.body} `)).toThrow(
        'No matching signature',
      );
      const old = { ...message, timestampMs: message.timestampMs - 301_000 };
      expect(() => verify(current, signatureHeaders(old, [current]))).toThrow('Message timestamp too old');
    });
  });

  test('a text that is no secret signs nothing', () => {
    expect(() => signatureHeaders(message, ['c2VjcmV0'])).toThrow('begins with whsec_');
  });

  describe('a message', () => {
    const nowMs = Date.parse('2026-11-21T10:16:02.750Z');

    test('contains the code for an unverified webhook, and for no other', () => {
      const data = (state: 'unverified' | 'enabled') => JSON.parse(webhookMessageOf({ ...webhook, state }, nowMs).body);
      expect(data('unverified')).toEqual({
        type: 'webhook.verify',
        timestamp: '2026-11-21T10:16:02Z',
        data: { webhookId: 'wh_1', code: 'c0de' },
      });
      expect(data('enabled').data).toEqual({ webhookId: 'wh_1' });
    });

    test('keeps its id for a retry, and gets another id for a further request', () => {
      const { id } = webhookMessageOf(webhook, nowMs);
      expect(id).toMatch(/^msg_[0-9a-f]{32}$/);
      expect(webhookMessageOf(webhook, nowMs + 60_000).id).toBe(id);
      const others = [{ asked: 4 }, { webhookId: 'wh_2' }, { state: 'unverified' as const }];
      for (const change of others) expect(webhookMessageOf({ ...webhook, ...change }, nowMs).id).not.toBe(id);
      expect(webhookMessageOf({ ...webhook, code: 'other' }, nowMs).id).toBe(id);
      const idsOfCodes = ['c0de', 'other'].map(
        (code) => webhookMessageOf({ ...webhook, state: 'unverified', code }, nowMs).id,
      );
      expect(new Set(idsOfCodes).size).toBe(2);
      expect(testMessageOf(webhook, 'webhook.test', nowMs).id).toMatch(/^msg_[0-9A-Za-z]{22}$/);
    });

    test.each(webhookMessageTypes)(
      'of the type %s as a test contains a code only if the type has one, and no valid code',
      (type) => {
        const { data, ...others } = JSON.parse(testMessageOf(webhook, type, nowMs).body);
        expect(others).toEqual({ type, timestamp: '2026-11-21T10:16:02Z' });
        const code = { code: expect.stringMatching(/^[0-9A-Za-z]{22}$/) };
        expect(data).toEqual({ webhookId: 'wh_1', ...(type === 'webhook.verify' && code) });
      },
    );
  });

  test('the previous secret also signs until its time, and no earlier one', () => {
    const rotated = { secretVersion: 3, previousSecretUntilMs: 1000 };
    expect(signingVersions(rotated, 999)).toEqual([3, 2]);
    expect(signingVersions(rotated, 1000)).toEqual([3]);
    expect(signingVersions({ secretVersion: 1 }, 0)).toEqual([1]);
  });
});

describe('ending', () => {
  const nowMs = 1_000_000_000;

  test.each<[string, Webhook['state'], Standing, number, string]>([
    ['enabled', 'enabled', 'active', nowMs, 'send'],
    ['enabled, of a company whose contract has ended', 'enabled', 'ended', nowMs, 'send'],
    ['enabled, of a suspended company', 'enabled', 'suspended', nowMs, 'hold'],
    ['enabled, of a company without a contract', 'enabled', 'unknown', nowMs, 'hold'],
    ['unverified, while its code is valid', 'unverified', 'active', nowMs + 1, 'send'],
    ['unverified, when its code has expired', 'unverified', 'active', nowMs, 'drop'],
    ['unverified, of a company whose contract has ended', 'unverified', 'ended', nowMs + 1, 'end'],
    ['unverified, of a suspended company', 'unverified', 'suspended', nowMs + 1, 'hold'],
    ['disabled', 'disabled', 'active', nowMs + 1, 'drop'],
    ['disabled, of a suspended company', 'disabled', 'suspended', nowMs + 1, 'drop'],
  ])('what to do for a webhook that is %s', (_, state, standing, codeExpiresAtMs, intent) => {
    expect(intentOf({ state, codeExpiresAtMs }, standing, nowMs)).toBe(intent);
  });

  test.each<[Company['state'] | undefined, boolean, Standing]>([
    ['active', false, 'active'],
    ['active', true, 'ended'],
    ['suspended', false, 'suspended'],
    ['suspended', true, 'suspended'],
    [undefined, false, 'unknown'],
  ])('a company that is %s, and has left: %s, is %s', (state, hasLeft, standing) => {
    expect(standingOf(state && ({ state } as Company), hasLeft)).toBe(standing);
  });

  test('a message that is held is checked again after a quarter of an hour', () => {
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

  describe('a message that was sent', () => {
    const enabled = { state: 'enabled', codeExpiresAtMs: 0, failures: 0 } as const;
    const lastTry = { failures: 3, failedSinceMs: nowMs - 72 * 3_600_000 };
    const unverified = { ...enabled, state: 'unverified', codeExpiresAtMs: nowMs + 60_000 } as const;
    const again = (afterMs: number, failedSinceMs = nowMs): Ending => ({
      kind: 'again',
      atMs: nowMs + afterMs,
      failedSinceMs,
    });

    test.each<[string, Parameters<typeof endingOf>[0]['webhook'], number | null, Ending]>([
      ['that was answered with success', enabled, 204, { kind: 'delivered' }],
      ['whose receiver is gone', enabled, 410, { kind: 'disabled', because: 'gone' }],
      ['that failed for the first time', enabled, 500, again(5000)],
      ['that was not answered', enabled, null, again(5000)],
      ['that failed for the second time', { ...enabled, failures: 1, failedSinceMs: nowMs }, 409, again(65_000)],
      ['that failed for too long', { ...enabled, ...lastTry }, 411, { kind: 'disabled', because: 'unreachable' }],
      [
        'whose code is valid until after the next attempt',
        { ...unverified, codeExpiresAtMs: nowMs + 5001 },
        500,
        again(5000),
      ],
      [
        'whose code expires by the next attempt',
        { ...unverified, codeExpiresAtMs: nowMs + 5000 },
        500,
        { kind: 'dropped' },
      ],
      ['whose code was never returned', { ...unverified, ...lastTry }, 500, { kind: 'dropped' }],
    ])('%s', (_, webhook, status, ending) => {
      expect(endingOf({ webhook, standing: 'active', status, nowMs, random: 0.5 })).toEqual(ending);
      expect(endingOf({ webhook, standing: 'ended', status, nowMs, random: 0.5 })).toEqual({
        kind: 'disabled',
        because: 'contract-ended',
      });
    });
  });

  describe('the outcome for a webhook that changed meanwhile', () => {
    const before = { state: 'unverified', code: 'c1', asked: 3 } as Webhook;
    const nextMs = nowMs + messageSpacingMs;
    const begunAnew: Ending = { kind: 'again', atMs: nextMs };
    const [delivered, dropped]: Ending[] = [{ kind: 'delivered' }, { kind: 'dropped' }] as const;
    const failed: Ending = { kind: 'again', atMs: nowMs + 5000, failedSinceMs: nowMs };
    const ended: Ending = { kind: 'disabled', because: 'contract-ended' };
    const gone: Ending = { kind: 'disabled', because: 'gone' };

    test.each<[string, Ending | undefined, Partial<Webhook>, Ending | undefined]>([
      ['not at all stays', delivered, {}, delivered],
      ['not at all stays', failed, {}, failed],
      ['to disabled: nothing is owed', failed, { state: 'disabled' }, dropped],
      ['to verified: a message is due at once', failed, { state: 'enabled' }, begunAnew],
      ['to another code: the code is due at once', delivered, { code: 'c2' }, begunAnew],
      ['to another code, while its receiver was gone: the code is due at once', gone, { code: 'c2' }, begunAnew],
      ['to verified, while its contract has ended: it is disabled', ended, { state: 'enabled' }, ended],
      ['with another request: a message is owed', delivered, { asked: 4 }, begunAnew],
      ['with another request: a message is owed', dropped, { asked: 4 }, begunAnew],
      ['with another request: the next attempt fulfils it', failed, { asked: 4 }, failed],
      ['with another request, but is disabled', gone, { asked: 4 }, gone],
    ])('%s: %j', (_, ending, change, expected) => {
      expect(revisedEnding(ending as Ending, before, { ...before, ...change }, nextMs)).toEqual(expected);
    });
  });
});

describe('the next attempt of a message', () => {
  const dueAt = '2026-11-21T10:16:08.000Z';
  const lastAttempt = { atMs: 1000, status: 503, fault: null, durationMs: 12 };
  const failing = { lastAttempt, failedSinceMs: 500, dueAt };

  test('is due when its webhook is, if the last attempt failed', () => {
    expect(nextAttemptAt(failing, lastAttempt)).toBe(dueAt);
    expect(nextAttemptAt(failing, { atMs: 1000, status: null })).toBe(dueAt);
  });

  test('is not shown for an earlier attempt, nor for one that the webhook does not know yet', () => {
    for (const atMs of [999, 1001]) expect(nextAttemptAt(failing, { ...lastAttempt, atMs })).toBeUndefined();
    const { lastAttempt: _, ...fresh } = failing;
    expect(nextAttemptAt(fresh, lastAttempt)).toBeUndefined();
  });

  test('does not exist after a success, although another message is due', () => {
    expect(nextAttemptAt(failing, { atMs: 1000, status: 204 })).toBeUndefined();
  });

  test('does not exist if the webhook was started over or gets no messages', () => {
    const { failedSinceMs, ...anew } = failing;
    expect(nextAttemptAt(anew, lastAttempt)).toBeUndefined();
    expect(nextAttemptAt({ lastAttempt }, lastAttempt)).toBeUndefined();
  });
});

describe('retries', () => {
  const minute = 60_000;
  const hour = 60 * minute;
  const startMs = Date.parse('2026-11-21T10:00:00Z');

  /** Returns the times of all attempts for a webhook that always fails, each later than planned by `lateMs`. */
  const attemptsWith = (random: () => number, lateMs = 0): number[] => {
    const attempts = [startMs];
    for (;;) {
      const nowMs = attempts.at(-1) as number;
      const next = nextAttemptMs({ failures: attempts.length, failedSinceMs: startMs, nowMs, random: random() });
      if (next === undefined) return attempts;
      attempts.push(next + lateMs);
    }
  };
  const waitsOf = (attempts: readonly number[]) =>
    attempts.slice(1).map((at, index) => at - (attempts[index] as number));

  describe('a webhook that is down', () => {
    test('is tried after 5 s, 1 min, 5 min, 30 min and 1 h, then every 3 h, 29 times within 72 h', () => {
      const attempts = attemptsWith(() => 0.5);
      expect(attempts).toHaveLength(29);
      expect(waitsOf(attempts).slice(0, 5)).toEqual([5000, minute, 5 * minute, 30 * minute, hour]);
      expect(new Set(waitsOf(attempts).slice(5))).toEqual(new Set([3 * hour]));
    });

    test.each([0, 0.25, 0.999_999])('is tried as often with any jitter, which is 10 %% at most: %d', (random) => {
      const attempts = attemptsWith(() => random);
      expect(attempts).toHaveLength(29);
      expect((attempts.at(-1) as number) - startMs).toBeLessThanOrEqual(72 * hour);
    });

    test('is tried as often if the jitter varies', () => {
      let turn = 0;
      const attempts = attemptsWith(() => (turn++ % 2 === 0 ? 0 : 0.999_999));
      expect(attempts).toHaveLength(29);
      const waits = waitsOf(attempts).slice(6);
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(2.4 * hour);
      expect(Math.max(...waits)).toBeLessThanOrEqual(3.6 * hour);
    });

    test('has exact times for its first attempts; later ones are up to 18 minutes early or late', () => {
      const offsets = attemptsWith(() => 0.5).map((at) => at - startMs);
      const next = (failures: number, random: number, nowMs = startMs) =>
        (nextAttemptMs({ failures, failedSinceMs: startMs, nowMs, random }) as number) - startMs;
      for (const failures of [1, 2, 3, 4, 5]) expect(next(failures, 0)).toBe(offsets[failures]);
      const [first = 0, second = 0] = offsets.slice(6);
      expect([next(6, 0), next(7, 0)]).toEqual([first - 18 * minute, second - 18 * minute]);
      expect(next(6, 1)).toBe(first + 18 * minute);
      // Three quarters of a millisecond.
      expect(next(6, 0.5 + 0.75 / (36 * minute))).toBe(first + 1);
    });

    test('is tried at once if jitter puts the next attempt into the past, and never twice at one time', () => {
      const offsets = attemptsWith(() => 0.5).map((at) => at - startMs);
      const failing = { failures: 1, failedSinceMs: startMs, random: 0 };
      const nowMs = startMs + (offsets[6] as number) - 1;
      expect(nextAttemptMs({ ...failing, nowMs })).toBe(nowMs);
      expect(nextAttemptMs({ ...failing, nowMs: startMs + 5000 })).toBe(startMs + 5000 + minute);
    });

    test('is not tried in a burst after an outage of the service: past attempts are left out', () => {
      const nowMs = startMs + 10 * hour;
      const next = nextAttemptMs({ failures: 2, failedSinceMs: startMs, nowMs, random: 0.5 });
      expect(next).toBe(startMs + 5000 + 96 * minute + 9 * hour);
      expect(attemptsWith(() => 0.5, 4 * hour).length).toBeLessThan(29);
    });

    test('is given up after its time, however few attempts there were', () => {
      const nowMs = startMs + 72 * hour;
      expect(nextAttemptMs({ failures: 2, failedSinceMs: startMs, nowMs, random: 0.5 })).toBeUndefined();
    });
  });

  describe('Retry-After', () => {
    const next = (retryAfterMs: number) =>
      (nextAttemptMs({ failures: 1, failedSinceMs: startMs, nowMs: startMs, retryAfterMs, random: 0.5 }) ?? 0) -
      startMs;

    test('delays an attempt by up to an hour, and brings none forward', () => {
      expect([0, 1000, minute, hour, 2 * hour].map(next)).toEqual([5000, 5000, minute, hour, hour]);
    });

    test.each([
      ['120', 120_000],
      ['0', 0],
      ['Sat, 21 Nov 2026 10:02:00 GMT', 2 * minute],
      ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
      ['at Sat, 21 Nov 2026 10:02:00 GMT', undefined],
      ['999999999', 999_999_999_000],
      ['1000000000', undefined],
      ['soon', undefined],
      ['-5', undefined],
      ['1e9', undefined],
      ['99999999999999999999', undefined],
      ['2026', 2026_000],
      ['', undefined],
      [undefined, undefined],
    ])('%s is read as %s ms', (header, expected) => {
      expect(retryAfterMsOf(header, startMs)).toBe(expected);
    });
  });
});
