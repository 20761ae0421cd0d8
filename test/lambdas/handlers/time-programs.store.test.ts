import { beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../../lambdas/api/limits.ts';
import { reportFacts } from '../../../lambdas/data/appliances/gateways.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import { timeProgramItemKey } from '../../../lambdas/data/appliances/time-programs.ts';
import { blockFacts } from '../../../lambdas/domain/gateway.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { factTimesAt, readStored } from '../../support/appliance.ts';
import { type CallOptions, call, callsOf, equipCompany, goodProgram } from '../../support/call.ts';
import { campaign, size } from '../../support/campaign.ts';
import { inFlight, readAudit } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const windowMs = 10_000;

describe('once in 10 seconds', () => {
  test('rule 21: again exactly 10 s later, not a millisecond earlier', async () => {
    const { ask } = await openScene();
    expect((await ask('updateHeatingTimeProgram')).status).toBe(202);
    const early = await ask('updateHeatingTimeProgram', { nowMs: startMs + windowMs - 1 });
    expect(early.body).toMatchObject({ code: 'rate-limit-exceeded', retryAfterMs: 1 });
    expect(early.headers['retry-after']).toBe('1');
    expect((await ask('updateHeatingTimeProgram', { nowMs: startMs + windowMs })).status).toBe(202);
    expect((await ask('updateHeatingTimeProgram', { nowMs: startMs + windowMs })).status).toBe(429);
  });

  test('rule 21: circuits, programs of one circuit and families are independent of each other', async () => {
    const { ask } = await openScene();
    const programs = (['updateHeatingTimeProgram', 'updateDhwTimeProgram'] as const).flatMap((operationId) =>
      ['c1', 'c2'].flatMap((circuitId) =>
        ['1', '2'].map((timeProgramId) => ({ operationId, ids: { circuitId, timeProgramId } })),
      ),
    );
    const first = await Promise.all(programs.map(({ operationId, ids }) => ask(operationId, {}, ids)));
    expect(first.map(({ status }) => status)).toEqual(programs.map(() => 202));
    const second = await Promise.all(programs.map(({ operationId, ids }) => ask(operationId, {}, ids)));
    expect(second.map(({ status }) => status)).toEqual(programs.map(() => 429));
  });

  test('reading a program and updating it do not share a counter', async () => {
    const { ask } = await openScene();
    expect((await ask('updateHeatingTimeProgram')).status).toBe(202);
    for (let read = 0; read < ratePolicies.gateway.burst; read++)
      expect((await ask('getHeatingTimeProgram')).status).toBe(200);
    expect((await ask('getHeatingTimeProgram')).body).toMatchObject({ policy: 'gateway' });

    const other = await openScene();
    for (let read = 0; read < ratePolicies.gateway.burst; read++) await other.ask('getHeatingTimeProgram');
    expect((await other.ask('updateHeatingTimeProgram')).status).toBe(202);
  });

  test('rule 22: an update that is refused for another reason costs a token; a 429 costs nothing', async () => {
    const { ask } = await openScene();
    expect((await ask('updateHeatingTimeProgram', { body: {} })).body.code).toBe('invalid-request');
    for (const nowMs of [startMs, startMs + windowMs - 1])
      expect((await ask('updateHeatingTimeProgram', { nowMs })).status).toBe(429);
    expect((await ask('updateHeatingTimeProgram', { nowMs: startMs + windowMs })).status).toBe(202);
  });

  const updates = size({ test: 20, prove: 200 });
  test(
    `${updates} updates of one program at one instant: one is accepted, the others get the time to retry`,
    campaign,
    async () => {
      const { companyId, gatewayId, ask } = await openScene();
      // All at one instant by the gateway's clock. More concurrent calls in this process would only time out.
      const answers = await inFlight(20, updates, () => ask('updateHeatingTimeProgram'));

      const refusals = answers.filter(({ status }) => status !== 202);
      expect(refusals.length).toBe(updates - 1);
      for (const { body, headers } of refusals) {
        expect(body).toMatchObject({
          code: 'rate-limit-exceeded',
          policy: 'time-program',
          counter: {
            companyId,
            gatewayId,
            endpoint: 'updateHeatingTimeProgram',
            path: `/hvacs/${gatewayId}/heatingCircuits/c1/timePrograms/1`,
          },
          limit: { burst: 1, refillIntervalMs: 10_000 },
          retryAfterMs: 10_000,
        });
        expect(headers).toMatchObject({ 'retry-after': '10', ratelimit: '"time-program";r=0;t=10' });
      }
      const key = timeProgramItemKey(gatewayId, 'heating', 'c1', '1');
      expect(await readStored(world.store, key)).toMatchObject({ version: 2, desired: goodProgram });
      expect((await readAudit(world.store, companyId)).filter(isUpdate).length).toBe(1);
    },
  );
});

describe('an update', () => {
  test('is pending at once, in its answer and in the next read, and confirmed when the appliance reports it', async () => {
    const { gatewayId, ask } = await openScene();
    const updated = await ask('updateHeatingTimeProgram');
    expect(updated.body).toEqual({
      timeProgramId: '1',
      ...goodProgram,
      state: 'pending',
      version: 2,
      reportedAt: toTimestamp(startMs - 3_600_000),
      connectivity: 'online',
    });
    expect(updated.headers.etag).toBe('"2"');
    const { connectivity, ...pending } = updated.body;
    const read = await ask('getHeatingTimeProgram');
    expect(read.body).toEqual(pending);
    expect(read.headers.etag).toBe('"2"');

    const key = timeProgramItemKey(gatewayId, 'heating', 'c1', '1');
    await report(world.store, key, { reported: goodProgram, fulfilsVersion: 2 }, factTimesAt(startMs));
    const confirmed = { ...pending, state: 'confirmed', reportedAt: toTimestamp(startMs) };
    expect((await ask('getHeatingTimeProgram')).body).toEqual(confirmed);
  });

  test('with If-Match is stored for the current ETag only', async () => {
    const { ask } = await openScene();
    const { headers } = await ask('getHeatingTimeProgram');
    const ifMatch = { 'If-Match': [headers.etag ?? ''] };
    const [first, second] = [startMs, startMs + windowMs];
    expect((await ask('updateHeatingTimeProgram', { headers: ifMatch, nowMs: first })).status).toBe(202);
    const stale = await ask('updateHeatingTimeProgram', { headers: ifMatch, nowMs: second });
    expect(stale.body.code).toBe('precondition-failed');
  });

  test('accepts the ETag weakened by a proxy, and refuses it once the program has changed', async () => {
    const { ask } = await openScene();
    const { headers } = await ask('getHeatingTimeProgram');
    const weak = { 'If-Match': [`W/${headers.etag}`] };
    const [first, second] = [startMs, startMs + windowMs];
    expect((await ask('updateHeatingTimeProgram', { headers: weak, nowMs: first })).status).toBe(202);
    const stale = await ask('updateHeatingTimeProgram', { headers: weak, nowMs: second });
    expect(stale.body.code).toBe('precondition-failed');
  });

  test.each(['1', '"1"gzip', '"1-gzip"', ''])(
    'with the malformed If-Match %j is refused with its place and the expected format',
    async (tag) => {
      const { ask } = await openScene();
      const { status, body } = await ask('updateHeatingTimeProgram', { headers: { 'If-Match': [tag] } });
      expect(status).toBe(400);
      expect(body.errors).toEqual([
        { pointer: '/header/If-Match', detail: expect.stringMatching(/^Expected `\*`, or the ETag of an answer/) },
      ]);
      expect((await ask('getHeatingTimeProgram')).headers.etag).toBe('"1"');
    },
  );

  test.each([
    ['whose end is known', startMs + 90_001, '91'],
    ['whose end is not known', null, undefined],
  ])(
    'rule 23: of programs that the appliance blocks is refused with the block %s, never with 429',
    async (_, untilMs, retryAfter) => {
      const { gatewayId, ask } = await openScene();
      const block = blockFacts('heatingTimePrograms', { sinceMs: startMs - 1000, untilMs });
      await reportFacts(world.store, gatewayId, block, factTimesAt(startMs));
      const { status, body, headers } = await ask('updateHeatingTimeProgram');
      expect(status).toBe(409);
      expect(body).toMatchObject({
        code: 'appliance-function-blocked',
        function: 'heatingTimePrograms',
        blockedSince: toTimestamp(startMs - 1000),
        blockedUntil: untilMs === null ? null : toTimestamp(untilMs),
      });
      expect(headers['retry-after']).toBe(retryAfter);
      for (const free of ['updateDhwTimeProgram', 'updateHeatingCircuit', 'getHeatingTimeProgram'] as const)
        expect((await ask(free)).status).toBeLessThan(300);
    },
  );

  test('is accepted after the wait of a block’s Retry-After', async () => {
    const { gatewayId, ask } = await openScene();
    const untilMs = startMs + 90_001;
    const block = blockFacts('heatingTimePrograms', { sinceMs: startMs, untilMs });
    await reportFacts(world.store, gatewayId, block, factTimesAt(startMs));
    const { headers } = await ask('updateHeatingTimeProgram');
    const nowMs = startMs + Number(headers['retry-after']) * 1000;
    expect((await ask('updateHeatingTimeProgram', { nowMs })).status).toBe(202);
  });

  test('accepts a program that reaches the gateway’s limits', async () => {
    const { ask } = await openScene();
    const switchPoints = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].flatMap((dayOfWeek) => [
      { dayOfWeek, time: '00:00', setpoint: 'off' },
      { dayOfWeek, time: '23:50', setpoint: 'eco' },
    ]);
    expect((await ask('updateHeatingTimeProgram', { body: { name: 'Full', switchPoints } })).status).toBe(202);
    expect((await ask('updateDhwTimeProgram', { body: { name: 'Empty', switchPoints: [] } })).status).toBe(202);
  });

  const [refusing, taking] = [shareScene(), shareScene()];

  test.each<[string, unknown[], string]>([
    ['a time off the raster', [point('monday', '06:00'), point('monday', '06:05')], '/body/switchPoints/1/time'],
    ['two points at one time', [point('monday', '06:00'), point('monday', '06:00')], '/body/switchPoints/1'],
    [
      'five points on a day of four',
      ['01:00', '02:00', '03:00', '04:00', '05:00'].map((time) => point('friday', time)),
      '/body/switchPoints/4',
    ],
    [
      'eleven points of ten',
      Array.from({ length: 11 }, (_, hour) => point(['monday', 'tuesday', 'sunday'][hour % 3], `${10 + hour}:00`)),
      '/body/switchPoints',
    ],
    ['a time that there is not', [point('monday', '24:00')], '/body/switchPoints/0/time'],
    ['a day that there is not', [point('Monday', '06:00')], '/body/switchPoints/0/dayOfWeek'],
    ['a setpoint that there is not', [{ ...point('monday', '06:00'), setpoint: 21 }], '/body/switchPoints/0/setpoint'],
  ])('with %s is refused with the point, and changes nothing', async (_, switchPoints, pointer) => {
    const { status, body } = await refusing.ask('updateHeatingTimeProgram', { body: { name: 'Wrong', switchPoints } });
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ pointer, detail: expect.any(String) }]);
    const key = timeProgramItemKey(refusing.gatewayId(), 'heating', 'c1', '1');
    expect(await readStored(world.store, key)).toMatchObject({ version: 1 });
  });

  const turning = ['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'].map((mark) => `a${mark}b`);
  test.each([
    '',
    'x'.repeat(61),
    'two\nlines',
    'a\u0000b',
    '\u007f',
    'a\u0080b',
    'a\u009fb',
    '\ud800',
    'half \udfff',
    'evening\uffff',
    '\ufffe',
    '\ufdd0',
    '\u{1ffff}',
    ...turning,
  ])('with the name %j is refused', async (name) => {
    const { body } = await refusing.ask('updateHeatingTimeProgram', { body: { name, switchPoints: [] } });
    expect(body.errors).toEqual([{ pointer: '/body/name', detail: expect.any(String) }]);
  });

  test.each(['x'.repeat(60), 'Zu Hause 🏠', '昼間', 'בבית', '__proto__'])(
    'with the name %j is read back as it was sent',
    async (name) => {
      await taking.ask('updateHeatingTimeProgram', { body: { name, switchPoints: [] } });
      expect((await taking.ask('getHeatingTimeProgram')).body).toMatchObject({ name, switchPoints: [] });
    },
  );
});

/** The token of a time program is not taken ahead of the lookup, so nothing is read ahead of it, either. */
test.each<[OperationId, string[]]>([
  ['updateHeatingTimeProgram', ['BatchGetItem', 'BatchGetItem', 'PutItem', 'TransactWriteItems']],
  ['updateDhwTimeProgram', ['BatchGetItem', 'BatchGetItem', 'PutItem', 'TransactWriteItems']],
  ['updateHeatingCircuit', ['BatchGetItem', 'PutItem', 'TransactWriteItems']],
  ['getHeatingTimeProgram', ['BatchGetItem', 'PutItem']],
  ['getHeatingCircuit', ['BatchGetItem', 'PutItem']],
  ['getDhwCircuit', ['BatchGetItem', 'PutItem']],
  ['getGateway', ['BatchGetItem', 'PutItem']],
])('%s makes exactly these store calls if such a request was admitted before: %j', async (operationId, actions) => {
  const { ask } = await openScene();
  expect((await ask(operationId)).status).toBeLessThan(300);
  world.proxy.begin();
  expect((await ask(operationId, { nowMs: startMs + 60_000 })).status).toBeLessThan(300);
  expect(world.proxy.exchanges.map(({ action }) => action).toSorted()).toEqual(actions.toSorted());
});

/** Returns a company with a gateway whose key was used today: recording the use would be one more write. */
const openScene = async () => {
  const company = await equipCompany(world.store);
  await call('getContract', { apiKey: company.key.apiKey });
  return { ...company, ask: callsOf(company) };
};

/** Returns a scene for several tests, in which each call is after the rate-limit window of the one before. */
const shareScene = () => {
  let scene: Awaited<ReturnType<typeof openScene>>;
  let calls = 0;
  beforeAll(async () => {
    scene = await openScene();
  });
  return {
    gatewayId: () => scene.gatewayId,
    ask: (operationId: OperationId, options: CallOptions = {}) =>
      scene.ask(operationId, { nowMs: startMs + windowMs * calls++, ...options }),
  };
};

const isUpdate = ({ operation }: Record<string, unknown>) => operation === 'updateHeatingTimeProgram';

function point(dayOfWeek: string | undefined, time: string) {
  return { dayOfWeek, time, setpoint: 'comfort' };
}
