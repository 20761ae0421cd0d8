import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { endpoints, type OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../../lambdas/api/limits.ts';
import { LostEventsProblem, Problem } from '../../../lambdas/api/problems.ts';
import { everyAnswer, RefusedError } from '../../../lambdas/chain/every-answer.ts';
import { StoreUnavailableError } from '../../../lambdas/data/store/attempts.ts';
import { unknownGatewayKeyOf } from '../../../lambdas/domain/rate-limits.ts';
import { startMs } from '../../support/world.ts';

/** The clock of the process, in milliseconds, and its memory. */
let clockMs = 0;
const rssMb = 3000;
beforeEach(() => {
  clockMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clockMs);
  vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(rssMb * 1024 ** 2);
});

const key = { companyId: 'acme', keyId: 'k1', access: 'full', label: null, expiresAtMs: startMs + 1 };
const path = '/hvacs/gw-1';
/** What the stages have added to a request that they admit. */
const admitted = {
  key,
  contract: { userId: 'owner-1' },
  pathIds: { gatewayId: 'gw-1' },
  rateLimitKey: { companyId: 'acme', gatewayId: 'gw-1', endpoint: 'getGateway', path },
  seenArrivalMs: 0,
};

type End = { readonly response?: object; readonly error?: unknown };
type Answered = { readonly statusCode: number; readonly headers: Record<string, string>; readonly body: string };

/** Returns how a process ends requests of an operation: the answer, and its log event without the declaration of metrics. */
const processOf = (operationId: OperationId = 'getGateway') => {
  const hooks = everyAnswer({ ...endpoints[operationId], operationId });
  return async (parts: object, { response = { statusCode: 200, headers: {}, body: '' }, error }: End = {}) => {
    const lines: string[] = [];
    const event = {
      requestId: 'r1',
      nowMs: startMs,
      startedMs: 0,
      storeCalls: [],
      notes: { begun: [] },
      environment: {
        setting: (name: string) => (name === 'canaryCompanyId' ? 'canary' : 'PartnerApi'),
        log: (line: string) => void lines.push(line),
      },
      ...parts,
    };
    const request = { event, ...(error === undefined ? { response } : { error }) };
    await hooks[error === undefined ? 'after' : 'onError']?.(request as never);
    expect(lines.length).toBe(1);
    const { _aws, ...line } = JSON.parse(lines[0] ?? '');
    return { line, answer: (request as object as { response: Answered }).response };
  };
};

const refused: End = { error: new RefusedError(new Problem('gateway-not-in-contract')) };
const oldestCursor = { oldestCursor: 'c1' };
const expired: End = { error: new RefusedError(new Problem('cursor-expired', oldestCursor)) };
const lost: End = { error: new RefusedError(new LostEventsProblem('cursor-expired', oldestCursor)) };
const limited: End = {
  error: new RefusedError(
    new Problem(
      'rate-limit-exceeded',
      {
        policy: 'gateway',
        counter: admitted.rateLimitKey,
        limit: ratePolicies.gateway,
        retryAfterMs: 1,
      },
      { 'Retry-After': '1' },
    ),
  ),
};
const failed: End = { error: new Error('wrong') };

describe('the log event of a request', () => {
  /** The events of a process after its first: they have neither its start nor its memory. */
  const laterLine = async (parts: object, end?: End, operationId?: OperationId) => {
    const ended = processOf(operationId);
    await ended(admitted);
    return (await ended(parts, end)).line;
  };

  const common = { level: 'INFO', timestamp: '2036-03-10T12:00:00Z', requestId: 'r1', operation: 'getGateway' };
  const known = { ...common, companyId: 'acme', keyId: 'k1', userId: 'owner-1', path };
  const served = { decision: 'allowed', status: 200, durationMs: 0 };

  test('that was served has who asked, for whom and what', async () => {
    expect(await laterLine(admitted)).toEqual({ ...known, ...served });
  });

  test('that was refused has the reason and the gateway, and counts', async () => {
    expect(await laterLine(admitted, refused)).toEqual({
      ...known,
      decision: 'refused',
      reason: 'gateway-not-in-contract',
      status: 403,
      gatewayId: 'gw-1',
      durationMs: 0,
      Requests: 1,
    });
  });

  test('that failed has the fault, and the durations of its store calls by command', async () => {
    const storeCalls = [
      { command: 'GetItem', durationMs: 3 },
      { command: 'PutItem', durationMs: 4 },
      { command: 'GetItem', durationMs: 5 },
    ];
    const { error, stack, ...line } = await laterLine({ ...admitted, storeCalls }, failed);
    expect(error).toBe('Error: wrong');
    expect(line).toEqual({
      ...known,
      level: 'ERROR',
      decision: 'failed',
      reason: 'internal-error',
      status: 500,
      gatewayId: 'gw-1',
      durationMs: 0,
      storeMs: { GetItem: [3, 5], PutItem: [4] },
      Requests: 1,
    });
  });

  test('that was refused before its key was known names nobody', async () => {
    const end = { error: new RefusedError(new Problem('api-key-missing')) };
    const expected = {
      ...common,
      decision: 'refused',
      reason: 'api-key-missing',
      status: 401,
      durationMs: 0,
      Requests: 1,
    };
    expect(await laterLine({}, end)).toEqual(expected);
  });

  test('that was limited has the policy of its bucket, unless no key was known', async () => {
    expect(await laterLine(admitted, limited)).toMatchObject({ decision: 'limited', ratePolicy: 'gateway' });
    const bucket = { ...admitted, bucket: { rateLimitKey: unknownGatewayKeyOf('acme'), ratePolicy: 'general' } };
    expect(await laterLine(bucket, limited)).toMatchObject({ ratePolicy: 'general', path: '/hvacs/{gatewayId}' });
    expect(await laterLine({ ...admitted, key: undefined }, limited)).not.toHaveProperty('ratePolicy');
    for (const end of [undefined, refused, failed])
      expect(await laterLine(admitted, end)).not.toHaveProperty('ratePolicy');
  });

  test('has the access and the label of a key, unless they are default', async () => {
    const ofKey = async (options: object) => laterLine({ ...admitted, key: { ...key, ...options } });
    expect(await ofKey({ access: 'read', label: 'Reporting' })).toEqual({
      ...known,
      ...served,
      keyAccess: 'read',
      keyLabel: 'Reporting',
    });
  });

  test('has the owner only of an operation on behalf of one', async () => {
    expect(await laterLine(admitted, undefined, 'getContract')).not.toHaveProperty('userId');
  });

  test.each([
    [99.4, 99, undefined],
    [99.6, 100, { GetItem: [3] }],
    [49.7, 50, undefined],
  ])('that took %d ms has %d, and the durations of store calls: %j', async (tookMs, durationMs, storeMs) => {
    clockMs = 1000 + tookMs;
    const line = await laterLine({ ...admitted, startedMs: 1000, storeCalls: [{ command: 'GetItem', durationMs: 3 }] });
    expect([line.durationMs, line.storeMs]).toEqual([durationMs, storeMs]);
  });

  test('that was served to the canary counts', async () => {
    const ofCanary = { ...admitted, key: { ...key, companyId: 'canary' } };
    expect(await laterLine(ofCanary)).toMatchObject({ CanaryServed: 1 });
    for (const [parts, end] of [[ofCanary, refused], [admitted], [admitted, refused]] as const)
      expect(await laterLine(parts, end)).not.toHaveProperty('CanaryServed');
  });

  const changing = {
    ...admitted,
    storeCalls: ['GetItem', 'TransactWriteItems'].map((command) => ({ command, durationMs: 1 })),
  };

  test('with a transaction says whether it failed', async () => {
    expect(await laterLine(changing)).toMatchObject({ AuditWriteFailures: 0 });
    expect(await laterLine(changing, refused)).toMatchObject({ AuditWriteFailures: 0 });
    expect(await laterLine(changing, failed)).toMatchObject({ AuditWriteFailures: 1 });
    for (const end of [undefined, refused, failed])
      expect(await laterLine(admitted, end)).not.toHaveProperty('AuditWriteFailures');
  });

  test('for the feed says whether its reader was sent past lost events', async () => {
    expect(await laterLine(admitted, undefined, 'listEvents')).toMatchObject({ LostFeedPages: 0 });
    expect(await laterLine(admitted, expired, 'listEvents')).toMatchObject({ LostFeedPages: 0 });
    expect(await laterLine(admitted, lost, 'listEvents')).toMatchObject({ LostFeedPages: 1 });
    expect(await laterLine(admitted, lost)).not.toHaveProperty('LostFeedPages');
  });

  test('that changed what its operation counts counts it, and a repeat apart', async () => {
    const counts = async (...[parts, end]: Parameters<typeof laterLine>) => {
      const { KeysIssued, keysShownAgain } = await laterLine(parts, end, 'createApiKey');
      return { KeysIssued, keysShownAgain };
    };
    expect(await counts(changing)).toEqual({ KeysIssued: 1 });
    expect(await counts({ ...changing, notes: { begun: [], isRepeat: true } })).toEqual({ keysShownAgain: 1 });
    expect(await counts(admitted)).toEqual({});
    expect(await counts(changing, refused)).toEqual({});
    expect(await laterLine(changing)).toEqual({ ...known, ...served, AuditWriteFailures: 0 });
  });

  test('is that of the first request of a process: it has the time until the process could serve', async () => {
    clockMs = 1234.6;
    const ended = processOf();
    clockMs = 5000;
    expect((await ended(admitted)).line).toMatchObject({ InitMs: 1235 });
    expect((await ended(admitted)).line).not.toHaveProperty('InitMs');
  });

  test('has the memory of the process once a minute, from its first request on', async () => {
    const ended = processOf();
    const memoryAt = async (ms: number) => {
      clockMs = ms;
      return (await ended(admitted)).line.memoryMb;
    };
    const read = [];
    for (const ms of [0, 59_999, 60_000, 119_999, 120_000]) read.push(await memoryAt(ms));
    expect(read).toEqual([rssMb, undefined, rssMb, undefined, rssMb]);
    vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(rssMb * 1024 ** 2 + 1);
    expect(await memoryAt(180_000)).toBe(rssMb + 1);
  });
});

describe('the answer to a request', () => {
  const expiresAt = new Date(key.expiresAtMs).toISOString();
  const headersOf = async (parts: object, end?: End) => (await processOf()(parts, end)).answer.headers;

  test('that was served has the headers of every answer beside its own', async () => {
    const { headers, ...answer } = (
      await processOf()(admitted, { response: { statusCode: 200, headers: { ETag: '"1"' }, body: '{}' } })
    ).answer;
    expect(answer).toEqual({ statusCode: 200, body: '{}' });
    expect(headers).toMatchObject({ ETag: '"1"', 'x-request-id': 'r1', 'x-api-key-expires-at': expiresAt });
  });

  test.each<[string, unknown, number, string]>([
    ['a refusal', refused.error, 403, 'gateway-not-in-contract'],
    ['an unavailable store', new StoreUnavailableError('busy'), 503, 'service-unavailable'],
    ['a fault of ours', new Error('wrong'), 500, 'internal-error'],
  ])('that ended with %s is a problem, without its cause', async (_, error, statusCode, code) => {
    const { answer } = await processOf()(admitted, { error });
    expect(answer).toMatchObject({ statusCode, headers: { 'Content-Type': 'application/problem+json' } });
    expect(JSON.parse(answer.body)).toMatchObject({ status: statusCode, code, requestId: 'r1' });
    expect(answer.body).not.toMatch(/busy|wrong/);
  });

  test('without a known key has no header of a key or a bucket', async () => {
    const names = Object.keys(await headersOf({}, refused));
    expect(names.filter((name) => /ratelimit|expires/i.test(name))).toEqual([]);
  });

  const policy = { 'RateLimit-Policy': '"gateway";q=3;w=6' };

  test.each([
    ['as it was read', () => ({ seenArrivalMs: startMs + 2000 }), '"gateway";r=2;t=2'],
    ['after its token', () => ({ tokenDecision: { admitted: true, arrivalMs: startMs + 4000 } }), '"gateway";r=1;t=2'],
    [
      'after a token ahead',
      () => ({
        tokenAhead: Promise.resolve({ admitted: true, arrivalMs: startMs + 6000 }),
        seenArrivalMs: startMs + 2000,
      }),
      '"gateway";r=0;t=2',
    ],
    [
      'as it was read, if a token ahead failed',
      () => ({ tokenAhead: Promise.reject(new Error('lost')), seenArrivalMs: startMs + 2000 }),
      '"gateway";r=2;t=2',
    ],
    [
      'after its token, whatever was ahead',
      () => ({
        tokenAhead: Promise.resolve({ admitted: true, arrivalMs: startMs + 6000 }),
        tokenDecision: { admitted: true, arrivalMs: startMs + 4000 },
      }),
      '"gateway";r=1;t=2',
    ],
  ])('shows the bucket %s', async (_, partsOf, RateLimit) => {
    for (const end of [undefined, refused])
      expect(await headersOf({ ...admitted, ...partsOf() }, end)).toMatchObject({ ...policy, RateLimit });
  });

  test('shows the bucket that was chosen in place of its own', async () => {
    const bucket = { rateLimitKey: unknownGatewayKeyOf('acme'), ratePolicy: 'general', seenArrivalMs: startMs + 1000 };
    expect(await headersOf({ ...admitted, bucket })).toMatchObject({ RateLimit: '"general";r=3;t=1' });
  });

  test('waits for what the request has begun, failed or not', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isAnswered = false;
    const begun = [promise, Promise.reject(new Error('lost'))];
    const answered = processOf()({ ...admitted, notes: { begun } }).then(() => {
      isAnswered = true;
    });
    await setImmediate();
    expect(isAnswered).toBe(false);
    resolve();
    await answered;
  });
});
