import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { dropExpiredChanges } from '../../../lambdas/outbound/drop-expired-changes.ts';
import { fulfilChanges } from '../../support/appliance.ts';
import { call, type EquippedCompany, equipCompany, goodCall } from '../../support/call.ts';
import { eventLike, take } from '../../support/messages.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { createRequestLog, type RequestLine } from '../../support/usage.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let company: EquippedCompany;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  company = await equipCompany(world.store);
  world.lines.length = 0;
});

const requestId = 'ZuT4rGDNoAMFxXw=';
const nowMs = startMs + 60_000;

/** Sends a request as API Gateway would; `atMs` is relative to the start. */
const update = (body: object, atMs = 0, id = requestId) =>
  call('updateHeatingCircuit', {
    ...goodCall('updateHeatingCircuit', company),
    nowMs: startMs + atMs,
    requestId: id,
    body,
  });

const logOf = (lines: readonly object[]) => {
  const log = createRequestLog(lines as readonly RequestLine[]);
  log.showUntil(nowMs);
  return log;
};

/** The connection to a stage whose functions have logged what this world has; other logs have the given lines. */
const connectionWith = ({ access = [], consumers = [] }: { access?: object[]; consumers?: object[] } = {}) => {
  const logs = [world.lines.map((line) => JSON.parse(line)), access, consumers].map(logOf);
  const [requests, accesses, relays] = logs.map(({ queryPage }) => queryPage);
  return {
    asked: () => logs.flatMap(({ asked }) => asked),
    queryLog: { requests, access: accesses, consumers: relays } as never,
  };
};

const show = (id = requestId, logs: Parameters<typeof connectionWith>[0] = {}, ...options: string[]) =>
  operateForJson(['request', 'show', id, ...options], { ...world, nowMs, connection: connectionWith(logs) });

const fates = async () => {
  const { output } = await show();
  return output.changes.map((change: { fates: object }) => change.fates);
};

test('shows who called with which key, the operation, the durations, the change, and when it was sent', async () => {
  await update({ roomSetpointCelsius: 22 });
  const access = { timestamp: toTimestamp(startMs), requestId, sourceIp: '192.0.2.7', status: '202', errorType: '-' };
  const relayed = { timestamp: toTimestamp(startMs + 500), requestId, outcome: 'sent' };
  const { output } = await show(requestId, { access: [access], consumers: [relayed] });
  expect(output).toMatchObject({
    requestId,
    served: {
      operation: 'updateHeatingCircuit',
      decision: 'allowed',
      status: 202,
      reason: null,
      problem: null,
      companyId: company.companyId,
      keyId: company.key.keyId,
      userId: company.contract.userId,
      path: `/hvacs/${company.gatewayId}/heatingCircuits/c1`,
      durationMs: expect.any(Number),
    },
    access: { sourceIp: '192.0.2.7', status: '202', errorType: null },
    changes: [
      {
        resource: `/hvacs/${company.gatewayId}/heatingCircuits/c1`,
        after: { roomSetpointCelsius: 22 },
        fates: { roomSetpointCelsius: { state: 'open' } },
      },
    ],
    sent: [{ timestamp: toTimestamp(startMs + 700), outcome: 'sent' }],
  });
});

test('says of each property whether it is open, reported, replaced by a later request, or dropped', async () => {
  await update({ roomSetpointCelsius: 22, operationMode: 'off' });
  await update({ roomSetpointCelsius: 23 }, 1000, 'later-request');
  expect(await fates()).toEqual([
    {
      operationMode: { state: 'open', because: null, at: null, validUntil: null },
      roomSetpointCelsius: {
        ...{ state: 'replaced', because: 'later-request' },
        ...{ at: toTimestamp(startMs + 1000), validUntil: null },
      },
    },
  ]);
  await operate(['company', 'suspend', company.companyId, '--reason', 'test', '--yes'], { ...world, nowMs });
  const [{ operationMode }] = await fates();
  expect(operationMode).toMatchObject({ state: 'dropped', because: 'company-suspended' });

  company = await equipCompany(world.store);
  world.lines.length = 0;
  await update({ roomSetpointCelsius: 22 });
  await fulfilChanges(world.store, company.gatewayId, startMs + 2000);
  expect(await fates()).toMatchObject([{ roomSetpointCelsius: { state: 'reported' } }]);
});

test('says until when an open property is worth applying, and that it has expired', async () => {
  const [validUntilMs, runMs] = [startMs + 10_000, startMs + 20_000];
  await update({ roomSetpointCelsius: 22, validUntil: toTimestamp(validUntilMs) });
  const open = { state: 'open', because: null, at: null, validUntil: toTimestamp(validUntilMs) };
  expect(await fates()).toEqual([{ roomSetpointCelsius: open }]);
  const listed = await operateForJson(['change', 'list', '--older-than', '0m'], { ...world, nowMs });
  const { companyId } = company;
  expect(listed.output.changes).toContainEqual(expect.objectContaining({ companyId, validUntil: open.validUntil }));
  await dropExpiredChanges({ ...world.environment, log: () => {}, processTimeMs: () => runMs });
  const dropped = { state: 'dropped', because: 'expired', at: toTimestamp(runMs), validUntil: null };
  expect(await fates()).toEqual([{ roomSetpointCelsius: dropped }]);
});

test('says what became of each level that one request has set', async () => {
  const circuits = [
    { family: 'heating', circuitId: 'c1', limits: { levelSetpoints: [{ level: 'eco' }, { level: 'a' }] } },
  ];
  const described = eventLike('gateway.described.v1', {
    subject: company.gatewayId,
    timeMs: startMs,
    data: { circuits },
  });
  await take('takeGatewayReports', [{ ...described, id: randomUUID() }], { arrivedAtMs: startMs });
  const of = (level: string, setpointCelsius: number) => ({ level, setpointCelsius });
  await update({ levelSetpoints: [of('eco', 17), of('a', 12)] });
  await update({ levelSetpoints: [of('a', 13)] }, 1000, 'later-request');
  const { output } = await show();
  const [{ after, fates: each }] = output.changes;
  expect(after).toEqual({ 'levelSetpoints.eco': 17, 'levelSetpoints.a': 12 });
  expect(each).toMatchObject({
    'levelSetpoints.eco': { state: 'open' },
    'levelSetpoints.a': { state: 'replaced', because: 'later-request' },
  });
  const { stdout } = await operate(['request', 'show', requestId], { ...world, nowMs, connection: connectionWith() });
  expect(stdout).toMatch(/levelSetpoints\.eco +- +17 +open\n/);
  expect(stdout).toMatch(/levelSetpoints\.a +- +12 +replaced /);
});

test('shows the problem of a refused request with its title and detail', async () => {
  await update({ roomSetpointCelsius: 45 });
  const { output } = await show();
  expect(output.served).toMatchObject({ status: 400, reason: 'invalid-request' });
  expect(output.served.problem.detail).toContain('Fix the faults');
  expect(output.changes).toEqual([]);
});

test('shows the line of API Gateway for a 403 without a function, and the command that explains the address', async () => {
  const line = {
    timestamp: toTimestamp(startMs),
    requestId,
    sourceIp: '203.0.113.9',
    method: 'GET',
    path: '/v1/hvacs',
  };
  const access = [{ ...line, status: '403', errorType: 'ACCESS_DENIED', responseLatencyMs: '3' }];
  const { output } = await show(requestId, { access });
  expect(output).toMatchObject({ served: null, access: { sourceIp: '203.0.113.9', errorType: 'ACCESS_DENIED' } });
  const options = { ...world, nowMs, connection: connectionWith({ access }) };
  const { stdout } = await operate(['request', 'show', requestId], options);
  expect(stdout).toMatch(/errorType +ACCESS_DENIED\n/);
  expect(stdout).toContain('address check 203.0.113.9');
});

test('refuses a malformed id without a query', async () => {
  for (const id of ['x y', 'a" or 1=1', `${'a'.repeat(65)}`, 'ZuT4rGDNoAMFxXw===']) {
    const connection = connectionWith();
    const { exit, stderr } = await operate(['request', 'show', id], { ...world, nowMs, connection });
    expect([exit, connection.asked()]).toEqual(['usage', []]);
    expect(stderr).toContain('is not an x-request-id');
  }
});

test('says what it can mean that an id is not found: another time, stage or id, or a line that is not there yet', async () => {
  const { exit, stderr } = await show('0a1b2c3d-0000-4000-8000-0123456789ab', {}, '--since', '1h');
  expect(exit).toBe('not-found');
  for (const cause of ['a minute after', '--since', 'keeps its lines for', 'another stage', 'x-amzn-RequestId'])
    expect(stderr).toContain(cause);
});
