import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ratePolicies } from '../../lambdas/api/limits.ts';
import { problemDocs } from '../../lambdas/api/problems.ts';
import { problemCodes } from '../../partner/openapi/problem-responses.ts';
import { readChapters } from '../../partner/site/chapters.ts';
import { proven } from '../support/campaign.ts';
import {
  answersIn,
  companyOf,
  fleetOf,
  openService,
  openShell,
  type Service,
  shellBlocksOf,
} from '../support/service.ts';

let service: Service;
/** The output of each chapter's blocks, which run one after the other in one shell, as for a reader. */
let printed: ReadonlyMap<string, readonly string[]>;

/** Commands that stop and start the clock of the gateway, which runs in this process. */
const clock = {
  stop_clock: () => vi.useFakeTimers({ toFake: ['Date'] }),
  start_clock: () => vi.useRealTimers(),
};

/**
 * Stops the clock for a block that exceeds a rate limit, so that a slow machine exceeds it, too. Waits for a token before each
 * change of the heating circuit, since no reader is as fast as this test.
 */
const inItsTime = (block: string) => {
  if (block.startsWith('DHW_CIRCUITS=')) return `stop_clock\n${block}\nstart_clock`;
  return block.includes('PATCH "$HEATING_CIRCUIT"')
    ? `sleep ${ratePolicies.gateway.refillIntervalMs / 1000}\n${block}`
    : block;
};

beforeAll(async () => {
  service = await openService({ isWithoutFleet: false });
  const shell = openShell(service);
  copyFileSync('partner/guide/rotate-key.ts', join(shell.directory, 'rotate-key.ts'));
  const chapters = readChapters().map(({ name, markdown }) => ({ name, blocks: shellBlocksOf(markdown) }));
  const separator = '\n--- end of block ---\n';
  const script = chapters
    .flatMap(({ blocks }) => blocks)
    .map((block) => `${inItsTime(block)}\nprintf %s '${separator}'`);
  const outputs = (await shell.run(script.join('\n'), clock)).split(separator);
  printed = new Map(chapters.map(({ name, blocks }) => [name, outputs.splice(0, blocks.length)]));
  shell.close();
});
afterAll(() => service.close());

const blocksOf = (chapter: string): readonly string[] => printed.get(chapter) ?? [];

test('the first call is a 200 with the headers that the guide explains; then the first appliance', proven, () => {
  const [, contract = '', circuits = '', home = ''] = blocksOf('first-call');
  const { companyId, userId, gateways } = companyOf(service, 'acme');
  expect(contract).toMatch(/^HTTP\/1.1 200 /);
  for (const header of ['x-request-id', 'x-api-key-expires-at', 'RateLimit'])
    expect(contract).toMatch(new RegExp(`^${header}: `, 'm'));
  expect(answersIn(contract)).toMatchObject([{ companyId, userId, state: 'active', consent: { upToDate: true } }]);
  const [{ items }] = answersIn(circuits);
  expect(items).toMatchObject([{ gatewayId: gateways[0]?.gatewayId }, { roomTemperatureCelsius: null }]);
  expect(answersIn(home)).toMatchObject([
    {
      gatewayId: gateways[0]?.gatewayId,
      heatingCircuits: gateways[0]?.heatingCircuits.map(shown),
      dhwCircuits: gateways[0]?.dhwCircuits.map(shown),
      nextCursor: null,
    },
  ]);
});

const shown = ({ circuitId, timeProgramIds }: { circuitId: string; timeProgramIds: readonly string[] }) => ({
  circuitId,
  timePrograms: timeProgramIds.map((timeProgramId) => ({ timeProgramId })),
});

test('a request without a key returns 401, and a list comes in pages', proven, () => {
  const [refused = ''] = blocksOf('authentication');
  expect(refused).toMatch(/^HTTP\/1.1 401 /);
  expect(answersIn(refused)).toMatchObject([{ code: 'api-key-missing' }]);
  const [listed = ''] = blocksOf('pagination');
  const [first, second, third] = companyOf(service, 'acme').gateways.map(({ gatewayId }) => gatewayId);
  expect(listed.trim().split('\n')).toEqual([`${first} ${second}`, third]);
});

test('an outdated consent returns 451 with the place to renew it, also in a header', proven, () => {
  const [refused = ''] = blocksOf('consent');
  expect(refused).toMatch(/^HTTP\/1.1 451 /);
  expect(refused).toMatch(/^Link: <https:.*>; rel="blocked-by"\r?$/m);
  expect(answersIn(refused)).toMatchObject([{ code: 'consent-outdated', portalUrl: expect.any(String) }]);
});

test('a company with many owners finds whose consent to ask for, and which homes it may see', proven, () => {
  const [first = '', outdated = '', homes = '', listed = '', home = ''] = blocksOf('owners');
  const { owners } = fleetOf(service);
  expect(answersIn(first)).toMatchObject([{ items: owners.slice(0, 2).map(({ userId }) => ({ userId })) }]);
  const toBeAsked = owners.filter(({ consent }) => consent !== 'accepted').map(({ userId }) => userId);
  expect(outdated.trim().split(/\s+/)).toEqual(toBeAsked);
  expect(answersIn(homes)).toMatchObject([
    { items: [{ gatewayId: 'gw-5001' }, { gatewayId: 'gw-6001' }] },
    { code: 'consent-outdated' },
    { code: 'contract-not-active' },
    { code: 'user-id-mismatch' },
  ]);
  expect(answersIn(listed)).toMatchObject([
    { items: [['gw-5001', 'gw-6001'], ['gw-5002'], ['gw-5003']].map((gatewayIds) => ({ gatewayIds })) },
  ]);
  expect(answersIn(home)).toMatchObject([
    { gatewayId: 'gw-5001', heatingCircuits: [{ circuitId: 'hc1', timePrograms: [{}] }], dhwCircuits: [] },
  ]);
});

test('a change is pending, then confirmed; an outdated If-Match changes nothing', proven, () => {
  const [change = '', expiring = '', curve = '', levels = '', program = '', guarded = ''] = blocksOf('changes');
  const [pending, confirmed, ...others] = answersIn(change);
  expect(pending).toMatchObject({ roomSetpointCelsius: 21.5, state: 'pending', connectivity: 'online' });
  expect(confirmed).toMatchObject({ roomSetpointCelsius: 21.5, state: 'confirmed', version: pending.version });
  expect(others).toEqual([]);
  expect(answersIn(expiring)).toMatchObject([{ validUntil: expect.any(String), state: 'pending' }]);
  expect(answersIn(curve)).toMatchObject([{ heatingCurve: { slope: 1.2, shiftKelvin: 2 }, state: 'pending' }]);
  const levelSetpoints = [{ level: 'eco', setpointCelsius: 17 }];
  expect(answersIn(levels)).toMatchObject([{ displayName: 'Ground floor', state: 'pending', levelSetpoints }]);
  expect(answersIn(program)).toMatchObject([
    { name: 'Long evenings', switchPoints: expect.any(Array), state: 'pending' },
  ]);
  expect(guarded).toMatch(/^etag: "5"\r?$/im);
  expect(answersIn(guarded)).toMatchObject([{ code: 'precondition-failed' }]);
});

test('the measurements of a home of the demo world have known and other names', proven, () => {
  const [read = ''] = blocksOf('measurements');
  const [{ connectivity, measurements }] = answersIn(read);
  expect(connectivity).toBe('online');
  expect(measurements).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'fanSpeed', unit: 'rpm', value: expect.any(Number) }),
      expect.objectContaining({ name: 'waterPressure', unit: 'bar', value: 1.6 }),
    ]),
  );
});

test('the energy of the last week is complete in the demo world', proven, () => {
  const [week = '', day = ''] = blocksOf('energy');
  const [{ gatewayId, days }] = answersIn(week);
  expect(gatewayId).toBe(companyOf(service, 'acme').gateways[0]?.gatewayId);
  expect(days.length).toBeGreaterThanOrEqual(7);
  expect(days[0]).toMatchObject({
    heating: { electricityKwh: expect.any(Number), fuelKwh: null, heatKwh: expect.any(Number) },
  });
  const [{ hours }] = answersIn(day);
  // The newest hour may have ended just now, and is reported within seconds.
  expect(hours.length).toBeGreaterThanOrEqual(22);
  expect(hours[0]).toMatchObject({ start: expect.stringMatching(/T\d\d:00:00Z$/), heating: { fuelKwh: null } });
});

test('an override is pending, applied and ended by the appliance; a DELETE ends it earlier', proven, () => {
  const [overridden = '', ended = '', holiday = ''] = blocksOf('overrides');
  const [pending, over, ...others] = answersIn(overridden);
  const { until, since } = pending.override;
  expect(pending).toMatchObject({ override: { roomSetpointCelsius: 23 }, state: 'pending', connectivity: 'online' });
  expect(Date.parse(until) - Date.parse(since)).toBeLessThan(10_000);
  expect(over).toMatchObject({ override: null, state: 'confirmed', version: pending.version });
  // The appliance ended it by its own clock, not the service by the service's clock.
  expect(Date.parse(over.reportedAt)).toBeGreaterThanOrEqual(Date.parse(until));
  expect(others).toEqual([]);
  expect(answersIn(ended)).toMatchObject([
    { override: { roomSetpointCelsius: 22.5, until: 'next-switch-point' }, state: 'pending' },
    { override: null, state: 'pending', version: pending.version + 2 },
  ]);
  expect(answersIn(holiday)).toMatchObject([
    { holiday: { roomSetpointCelsius: 16 }, state: 'pending' },
    { holiday: { roomSetpointCelsius: 16 }, state: 'confirmed' },
    { holiday: null, state: 'pending' },
  ]);
});

test('a rate limit shows its state, rejects a request, and admits it after the wait', proven, () => {
  const [standing = '', exhausted = '', waited = '', usage = ''] = blocksOf('rate-limits');
  expect(standing.trim().split(/\r?\n/)).toEqual([
    'RateLimit-Policy: "gateway";q=3;w=6',
    'RateLimit: "gateway";r=2;t=2',
  ]);
  const codes = answersIn(exhausted).map(({ code }) => code);
  const { burst } = ratePolicies.gateway;
  expect(codes.slice(0, burst)).toEqual(Array(burst).fill(undefined));
  expect(new Set(codes.slice(burst))).toEqual(new Set(['rate-limit-exceeded']));
  expect(waited.match(/HTTP\/1.1 \d+/g)?.at(-1)).toBe('HTTP/1.1 200');
  expect(answersIn(usage)).toMatchObject([
    { items: expect.any(Array), mostLimitedPaths: expect.any(Array) },
    { items: [], keys: expect.any(Array) },
  ]);
});

test('a change appears in the feed after the earlier cursor, and the page says when to ask again', proven, () => {
  const [begin = '', changed = '', next = '', expired = '', consent = ''] = blocksOf('events');
  const [latest, state] = answersIn(begin);
  expect(latest).toMatchObject({ items: [], hasMore: false, withheld: 0 });
  const [requested, page] = answersIn(changed);
  expect(requested).toMatchObject({ roomSetpointCelsius: 22.5, state: 'pending' });
  expect(state.version).toBeLessThan(requested.version);
  expect(page.items).toContainEqual(
    expect.objectContaining({
      type: 'circuit.changed',
      gatewayId: state.gatewayId,
      data: expect.objectContaining({ circuitId: 'hc1', roomSetpointCelsius: 22.5, version: requested.version }),
    }),
  );
  expect(next.trim()).toMatch(/^x-poll-interval: \d+$/i);
  expect(answersIn(expired)).toMatchObject([{ code: 'cursor-expired', oldestCursor: expect.any(String) }]);
  const consents = answersIn(consent).map(({ items }) => items.at(-1));
  expect(consents).toMatchObject([
    { type: 'consent.changed', data: { consent: { upToDate: false } } },
    { type: 'consent.changed', data: { consent: { upToDate: true } } },
  ]);
});

test(
  'a webhook is verified by its code, receives messages, is tested with both signatures, and rotated',
  proven,
  () => {
    const [created = '', verified = '', messages = '', ...later] = blocksOf('webhooks');
    const [tested = '', ofType = '', credulous = '', attempts = '', rotated = '', moved = ''] = later;
    const [{ webhookId, ...unverified }] = answersIn(created);
    expect(unverified).toMatchObject({ url: 'https://hooks.acme.example/heating', state: 'unverified' });
    expect(answersIn(verified).at(-1)).toMatchObject({ webhookId, state: 'enabled' });

    const [message, ...others] = answersIn(messages);
    expect(message).toMatchObject({ host: 'hooks.acme.example', isVerified: true, status: 204 });
    expect(JSON.parse(message.body)).toMatchObject({ type: 'events.available', data: { webhookId } });
    expect(others.at(-1).items).toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ roomSetpointCelsius: 20.5 }) }),
    );

    const passed = { rightSignature: { status: 204 }, wrongSignature: { status: 401 }, wrongSignatureRefused: true };
    for (const test of [tested, ofType]) expect(answersIn(test)).toMatchObject([passed]);
    expect(answersIn(credulous)).toMatchObject([{ wrongSignature: { status: 204 }, wrongSignatureRefused: false }]);
    const [{ items }] = answersIn(attempts);
    expect(items.at(-1)).toMatchObject({ type: 'webhook.verify', status: 204, fault: null, nextAttemptAt: null });
    expect(items[0]).toMatchObject({ type: 'events.available', status: 204 });
    expect(answersIn(rotated)).toMatchObject([passed, passed]);
    expect(answersIn(moved)).toMatchObject([{ items: [{ webhookId, previousSecretUntil: expect.any(String) }] }]);
  },
);

test('a control of the demo world causes a fault that the API shows', proven, () => {
  const [fault = ''] = blocksOf('demo-world');
  expect(fault).toMatch(/^F\.75$/m);
});

test('a monitor probes with HEAD and a key of its own', proven, () => {
  const [, probe = ''] = blocksOf('monitoring');
  expect(probe).toMatch(/^HTTP\/1.1 200 /);
  expect(probe).toMatch(/^x-api-key-expires-at: /im);
  expect(answersIn(probe)).toEqual([]);
});

test('the program rotates a key, and the old key is deleted', proven, () => {
  const [keys = '', rotation = ''] = blocksOf('api-keys');
  const [own, { items: allKeys }] = answersIn(keys);
  expect(own).toMatchObject({ validKeys: 1, lastValidKeyExpiresAt: own.expiresAt });
  expect(allKeys.map(({ state }: { state: string }) => state).toSorted()).toEqual(['expired', 'valid']);
  const [{ items }] = answersIn(rotation);
  const { keyId } = companyOf(service, 'acme');
  const [replacement, ...others] = items.filter(
    (key: { state: string; inUse: boolean }) => key.state === 'valid' && !key.inUse,
  );
  expect(others).toEqual([]);
  const kept = items.map((key: { keyId: string }) => key.keyId);
  expect(kept).toContain(keyId);
  expect(kept).not.toContain(replacement.createdByKeyId);
});

const docs = problemDocs();
const provoked = problemCodes.filter((code) => 'provokedBy' in docs[code]);

test.each(provoked.map((code, index) => [code, index] as const))(
  'the lines next to %s cause it',
  proven,
  (code, index) => {
    const [, ...outputs] = blocksOf('errors');
    expect(answersIn(outputs[index] ?? '').at(-1)).toMatchObject({ code });
  },
);
