import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '../../lambdas/api/endpoints.ts';
import { type Answer, expectContract } from '../support/contract.ts';
import { readRequestEvent } from '../support/request-event.ts';
import { companyOf, openService, type Sent, type Service } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

type Request = Omit<Sent, 'body'> & { readonly companyId?: string; readonly body?: unknown };

/** Every call of this file with its answer; the log has to know of each. */
const calls: { readonly operationId: OperationId; readonly userId: string; readonly path: string; answer: Answer }[] =
  [];

/** Calls an operation for the owner of a company's contract, and checks that the answer keeps the operation's promises. */
const call = async (operationId: OperationId, { companyId = 'acme', body, rawHeaders = [], ...sent }: Request) => {
  const { apiKey, sourceIp, userId } = companyOf(service, companyId);
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const contentType = body === undefined ? [] : ['content-type', 'application/json'];
  const headers = ['x-user-id', userId, ...contentType, ...rawHeaders];
  const answer = await service.send({ ...sent, ...json, apiKey, sourceIp, rawHeaders: headers });
  expectContract(operationId, answer);
  calls.push({ operationId, userId, path: sent.path.replace(/\?.*/, ''), answer });
  return answer;
};

const gatewayPath = (companyId: string, index: number): string =>
  `/hvacs/${companyOf(service, companyId).gateways[index]?.gatewayId}`;

const patientlyFor = async (deadlineMs: number, read: () => Promise<Answer>, isDone: (answer: Answer) => boolean) => {
  const endMs = performance.now() + deadlineMs;
  for (;;) {
    const answer = await read();
    if (isDone(answer)) return answer;
    if (performance.now() > endMs) throw new Error(`Not within ${deadlineMs} ms: ${JSON.stringify(answer.body)}`);
    await wait(answer.body.retryAfterMs ?? 800);
  }
};

const isConfirmed = ({ body }: Answer) => body.state === 'confirmed';

const program = {
  name: 'Long evenings',
  switchPoints: [
    { dayOfWeek: 'friday', time: '06:30', setpoint: 'comfort' },
    { dayOfWeek: 'friday', time: '23:50', setpoint: 'eco' },
  ],
};

describe('reading', () => {
  test('the gateways, in pages: one online, one offline, one that blocks time programs', async () => {
    const first = await call('listGateways', { path: '/hvacs?limit=2' });
    expect(first.body.items).toMatchObject([
      { connectivity: 'online', blockedFunctions: [] },
      { connectivity: 'offline', blockedFunctions: [] },
    ]);
    const second = await call('listGateways', { path: `/hvacs?limit=2&cursor=${first.body.nextCursor}` });
    expect(second.body).toMatchObject({ items: [{ connectivity: 'online' }], nextCursor: null });
    const blocked = second.body.items[0].blockedFunctions.map((block: { function: string }) => block.function);
    expect(blocked.toSorted()).toEqual(['dhwTimePrograms', 'heatingTimePrograms']);
    const listed = [...first.body.items, ...second.body.items].map(({ gatewayId }) => gatewayId);
    expect(listed).toEqual(companyOf(service, 'acme').gateways.map(({ gatewayId }) => gatewayId));
  });

  test('one gateway', async () => {
    const [first] = (await call('listGateways', { path: '/hvacs?limit=1' })).body.items;
    const { body } = await call('getGateway', { path: gatewayPath('acme', 0) });
    expect(body).toEqual({ ...first, lastSeenAt: body.lastSeenAt });
  });

  test('the circuits: all sensors well but one', async () => {
    const { body } = await call('listHeatingCircuits', { path: `${gatewayPath('acme', 0)}/heatingCircuits` });
    expect(body.items).toMatchObject([
      { circuitId: 'hc1', roomTemperatureCelsius: expect.any(Number), state: 'confirmed' },
      { circuitId: 'hc2', roomTemperatureCelsius: null, supplyTemperatureCelsius: expect.any(Number) },
    ]);
  });

  test('all that the demo file names, and lists with nothing else', async () => {
    for (const { gatewayId, heatingCircuits, dhwCircuits } of companyOf(service, 'acme').gateways) {
      const heating = `/hvacs/${gatewayId}/heatingCircuits`;
      const dhw = `/hvacs/${gatewayId}/dhwCircuits`;
      const [heatingList, dhwList, ...programLists] = await Promise.all([
        call('listHeatingCircuits', { path: heating }),
        call('listDhwCircuits', { path: dhw }),
        ...heatingCircuits.map((each) =>
          call('listHeatingTimePrograms', { path: `${heating}/${each.circuitId}/timePrograms` }),
        ),
        ...dhwCircuits.map((each) => call('listDhwTimePrograms', { path: `${dhw}/${each.circuitId}/timePrograms` })),
      ]);
      expect(idsIn(heatingList, 'circuitId')).toEqual(heatingCircuits.map(({ circuitId }) => circuitId));
      expect(idsIn(dhwList, 'circuitId')).toEqual(dhwCircuits.map(({ circuitId }) => circuitId));
      const programIds = [...heatingCircuits, ...dhwCircuits].map(({ timeProgramIds }) => timeProgramIds);
      expect(programLists.map((list) => idsIn(list, 'timeProgramId'))).toEqual(programIds);
    }
  });

  const idsIn = (list: Answer | undefined, name: string): string[] =>
    list?.body.items.map((item: Record<string, string>) => item[name]);
});

describe('changing', () => {
  test('a circuit: the wish shows at once, pending, and is confirmed by the appliance', async () => {
    const path = `${gatewayPath('acme', 0)}/dhwCircuits/dhw1`;
    const wish = await call('updateDhwCircuit', { method: 'PATCH', path, body: { waterSetpointCelsius: 58 } });
    expect(wish.body).toMatchObject({ waterSetpointCelsius: 58, state: 'pending', version: 2, connectivity: 'online' });
    const read = () => call('getDhwCircuit', { path });
    expect((await read()).body).toMatchObject({ waterSetpointCelsius: 58, version: 2 });
    const confirmed = await patientlyFor(10_000, read, isConfirmed);
    expect(confirmed.body).toMatchObject({ waterSetpointCelsius: 58, version: 2 });
    expect(confirmed.headers.etag).toBe('"2"');
  });

  test('a time program: likewise', async () => {
    const path = `${gatewayPath('acme', 0)}/heatingCircuits/hc1/timePrograms/2`;
    const wish = await call('updateHeatingTimeProgram', { method: 'PUT', path, body: program });
    expect(wish.body).toMatchObject({ ...program, state: 'pending', connectivity: 'online' });
    const read = () => call('getHeatingTimeProgram', { path });
    expect((await patientlyFor(10_000, read, isConfirmed)).body).toMatchObject({ ...program, version: 2 });
  });

  test('one time program twice within ten seconds is once; its neighbours have limits of their own', async () => {
    const of = (circuitId: string, id: string) =>
      `${gatewayPath('acme', 1)}/heatingCircuits/${circuitId}/timePrograms/${id}`;
    const change = (path: string) => call('updateHeatingTimeProgram', { method: 'PUT', path, body: program });
    const path = of('hc1', '1');
    expect((await change(path)).status).toBe(202);
    const refused = await change(path);
    expect(refused.body).toMatchObject({ code: 'rate-limit-exceeded', policy: 'time-program', counter: { path } });
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(10);
    const neighbours = await Promise.all([change(of('hc1', '2')), change(of('hc2', '1'))]);
    expect(neighbours.map(({ status }) => status)).toEqual([202, 202]);
  });

  test('what has changed since it was read is refused with If-Match, and done without', async () => {
    const path = `${gatewayPath('acme', 0)}/heatingCircuits/hc2`;
    const { headers } = await call('getHeatingCircuit', { path });
    const change = (rawHeaders: string[]) =>
      call('updateHeatingCircuit', { method: 'PATCH', path, rawHeaders, body: { roomSetpointCelsius: 19.5 } });
    const ifMatch = ['If-Match', headers.etag ?? ''];
    const changed = await change(ifMatch);
    expect([changed.status, changed.headers.etag]).toEqual([202, '"2"']);
    expect((await change(ifMatch)).body.code).toBe('precondition-failed');
    expect((await change([])).headers.etag).toBe('"3"');
  });
});

describe('what stands in the way', () => {
  test('an appliance that is offline takes the wish, and the answer says that it is', async () => {
    const path = `${gatewayPath('acme', 1)}/heatingCircuits/hc1`;
    const { status, body } = await call('updateHeatingCircuit', {
      method: 'PATCH',
      path,
      body: { operationMode: 'off' },
    });
    expect([status, body.state, body.connectivity]).toEqual([202, 'pending', 'offline']);
  });

  test('a function that the appliance blocks is a conflict, with its end; other functions go on', async () => {
    const path = `${gatewayPath('acme', 2)}/heatingCircuits/hc1`;
    const refused = await call('updateHeatingTimeProgram', {
      method: 'PUT',
      path: `${path}/timePrograms/1`,
      body: program,
    });
    expect(refused.status).toBe(409);
    const { code, function: name, blockedSince, blockedUntil } = refused.body;
    expect([code, name]).toEqual(['appliance-function-blocked', 'heatingTimePrograms']);
    const [nowMs, endMs] = [Date.now(), Date.parse(blockedUntil)];
    expect(Date.parse(blockedSince)).toBeLessThanOrEqual(nowMs);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(Math.ceil((endMs - nowMs) / 1000));
    const change = { method: 'PATCH', path, body: { operationMode: 'manual' } };
    expect((await call('updateHeatingCircuit', change)).status).toBe(202);
  });

  test('an outdated consent is said with its versions and where to renew it', async () => {
    const { status, body, headers } = await call('getGateway', {
      companyId: 'globex',
      path: gatewayPath('globex', 0),
    });
    expect(status).toBe(451);
    expect(body).toMatchObject({ code: 'consent-outdated', requiredConsentVersion: 3, acceptedConsentVersion: 2 });
    expect(headers.link).toBe(`<${body.portalUrl}>; rel="blocked-by"`);
  });

  test('a contract that has ended', async () => {
    const { body } = await call('getGateway', { companyId: 'initech', path: gatewayPath('initech', 0) });
    expect(body.code).toBe('contract-not-active');
  });

  test('a gateway of another company and one that nobody has are the same answer', async () => {
    const others = await call('getGateway', { path: gatewayPath('globex', 0) });
    const nobodys = await call('getGateway', { path: '/hvacs/gw-nobody' });
    const { requestId: _, ...said } = others.body;
    expect(said.code).toBe('gateway-not-in-contract');
    expect(nobodys.body).toMatchObject(said);
  });
});

test('200 updates of one time program that are sent at once: one is accepted, 199 are told when to come again', async () => {
  const path = `${gatewayPath('acme', 0)}/dhwCircuits/dhw1/timePrograms/2`;
  const update = { method: 'PUT', path, body: program };
  const answers = await Promise.all(Array.from({ length: 200 }, () => call('updateDhwTimeProgram', update)));
  const refused = answers.filter(({ status }) => status !== 202);
  expect(refused.length).toBe(199);
  for (const { body } of refused) {
    expect(body.code).toBe('rate-limit-exceeded');
    // From when the request arrived, which for some was before the one that was accepted.
    expect(body.retryAfterMs).toBeGreaterThan(0);
    expect(body.retryAfterMs).toBeLessThan(2 * 10_000);
  }
});

test('every request has left one event: for whom, on which gateway, what, and how it ended', () => {
  const events = service.eventLines().map((line) => readRequestEvent(line).event);
  for (const { operationId, userId, path, answer } of calls) {
    const { code } = answer.body;
    const [event, ...others] = events.filter(({ requestId }) => requestId === answer.headers['x-request-id']);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      operation: operationId,
      status: answer.status,
      path: code === 'gateway-not-in-contract' ? '/hvacs/{gatewayId}' : path,
      ...(path !== '/hvacs' && { gatewayId: path.split('/')[2] }),
      userId,
    });
  }
});
