import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationId, RequestOf, Success } from '../../partner/client/operation-types.ts';
import { pagesOf, readHome } from '../../partner/client/pages.ts';
import type { PartnerClient } from '../../partner/client/partner-client.ts';
import { readRequestEvent } from '../support/call.ts';
import { proven } from '../support/campaign.ts';
import { done, type Exchange, partnerOf, refused } from '../support/partner.ts';
import { companyOf, openService, type Service } from '../support/service.ts';
import { eventually, stopClock } from '../support/time.ts';

let service: Service;
/** A client whose calls wait for their rate limits. */
let acme: PartnerClient;
/** A client whose calls return the first answer, also a 429. */
let impatientAcme: PartnerClient;
beforeAll(async () => {
  service = await openService();
  acme = partner('acme');
  impatientAcme = partner('acme', 0);
});
afterAll(() => service.close());

/** All requests and answers; the log has to have an event for each. */
const exchanges: (Exchange & { readonly userId: string })[] = [];

const partner = (companyId: string, patienceSeconds = 30) => {
  const { userId } = companyOf(service, companyId);
  return partnerOf(service, companyId, {
    patienceSeconds,
    observe: (exchange) => exchanges.push({ ...exchange, userId }),
  });
};

const gatewayIdOf = (companyId: string, index: number): string =>
  companyOf(service, companyId).gateways[index]?.gatewayId ?? '';

const untilConfirmed = <Id extends OperationId>(read: () => Promise<Success<Id>>): Promise<Success<Id>> =>
  eventually(async () => {
    const answer = await read();
    expect(answer.body).toMatchObject({ state: 'confirmed' });
    return answer;
  }, 800);

const program: RequestOf<'updateHeatingTimeProgram'>['body'] = {
  name: 'Long evenings',
  switchPoints: [
    { dayOfWeek: 'friday', time: '06:30', setpoint: 'comfort' },
    { dayOfWeek: 'friday', time: '23:50', setpoint: 'eco' },
  ],
};

describe('reading', () => {
  test('the gateways, in pages: one online, one offline, one that blocks time programs', proven, async () => {
    const pages = [];
    for await (const page of pagesOf(acme, 'listGateways', { query: { limit: 2 } }))
      pages.push((await done(page)).body);
    const [first, second, ...others] = pages;
    expect(others).toEqual([]);
    expect(first?.items).toMatchObject([
      { connectivity: 'online', blockedFunctions: [] },
      { connectivity: 'offline', blockedFunctions: [] },
    ]);
    expect(second).toMatchObject({ items: [{ connectivity: 'online' }], nextCursor: null });
    const blocked = second?.items[0]?.blockedFunctions.map((block) => block.function);
    expect(blocked?.toSorted()).toEqual(['dhwTimePrograms', 'heatingTimePrograms']);
    const listed = pages.flatMap(({ items }) => items.map(({ gatewayId }) => gatewayId));
    expect(listed).toEqual(companyOf(service, 'acme').gateways.map(({ gatewayId }) => gatewayId));
  });

  test('one gateway', proven, async () => {
    const [first] = (await done(acme.call('listGateways', { query: { limit: 1 } }))).body.items;
    const { body } = await done(acme.call('getGateway', { path: { gatewayId: gatewayIdOf('acme', 0) } }));
    expect(body).toEqual({ ...first, lastSeenAt: body.lastSeenAt });
  });

  test('one home in one request returns what the calls for its parts return', proven, async () => {
    const path = { gatewayId: gatewayIdOf('acme', 1) };
    const withPrograms = async (
      list: 'listHeatingCircuits' | 'listDhwCircuits',
      listPrograms: 'listHeatingTimePrograms' | 'listDhwTimePrograms',
    ) => {
      const { items } = (await done(acme.call(list, { path }))).body;
      return Promise.all(
        items.map(async (circuit) => ({
          ...circuit,
          timePrograms: (await done(acme.call(listPrograms, { path: { ...path, circuitId: circuit.circuitId } }))).body
            .items,
        })),
      );
    };
    const { body: gateway } = await done(acme.call('getGateway', { path }));
    const heatingCircuits = await withPrograms('listHeatingCircuits', 'listHeatingTimePrograms');
    const dhwCircuits = await withPrograms('listDhwCircuits', 'listDhwTimePrograms');
    const home = await readHome(acme, path.gatewayId);
    expect(home.ok && home.body).toEqual({ ...gateway, heatingCircuits, dhwCircuits, nextCursor: null });
  });

  test('the circuits: all sensors work except one', proven, async () => {
    const path = { gatewayId: gatewayIdOf('acme', 0) };
    const { body } = await done(acme.call('listHeatingCircuits', { path }));
    expect(body.items).toMatchObject([
      { circuitId: 'hc1', roomTemperatureCelsius: expect.any(Number), state: 'confirmed' },
      { circuitId: 'hc2', roomTemperatureCelsius: null, supplyTemperatureCelsius: expect.any(Number) },
    ]);
  });

  test('all items that the demo file names, in lists without others', proven, async () => {
    for (const { gatewayId, heatingCircuits, dhwCircuits } of companyOf(service, 'acme').gateways) {
      const path = { gatewayId };
      const [heating, dhw, heatingPrograms, dhwPrograms] = await Promise.all([
        done(acme.call('listHeatingCircuits', { path })),
        done(acme.call('listDhwCircuits', { path })),
        Promise.all(
          heatingCircuits.map(({ circuitId }) =>
            done(acme.call('listHeatingTimePrograms', { path: { gatewayId, circuitId } })),
          ),
        ),
        Promise.all(
          dhwCircuits.map(({ circuitId }) =>
            done(acme.call('listDhwTimePrograms', { path: { gatewayId, circuitId } })),
          ),
        ),
      ]);
      const circuitIdsIn = ({ items }: { items: { circuitId: string }[] }) => items.map(({ circuitId }) => circuitId);
      expect(circuitIdsIn(heating.body)).toEqual(heatingCircuits.map(({ circuitId }) => circuitId));
      expect(circuitIdsIn(dhw.body)).toEqual(dhwCircuits.map(({ circuitId }) => circuitId));
      const programIds = [...heatingCircuits, ...dhwCircuits].map(({ timeProgramIds }) => timeProgramIds);
      const listed = [...heatingPrograms, ...dhwPrograms].map(({ body }) =>
        body.items.map(({ timeProgramId }) => timeProgramId),
      );
      expect(listed).toEqual(programIds);
    }
  });
});

describe('changing', () => {
  test('a circuit: the change shows at once as pending, and the appliance confirms it', proven, async () => {
    const path = { gatewayId: gatewayIdOf('acme', 0), circuitId: 'dhw1' };
    const change = await done(acme.call('updateDhwCircuit', { path, body: { waterSetpointCelsius: 58 } }));
    expect(change.body).toMatchObject({
      waterSetpointCelsius: 58,
      state: 'pending',
      version: 2,
      connectivity: 'online',
    });
    const read = () => done(acme.call('getDhwCircuit', { path }));
    expect((await read()).body).toMatchObject({ waterSetpointCelsius: 58, version: 2 });
    const confirmed = await untilConfirmed(read);
    expect(confirmed.body).toMatchObject({ waterSetpointCelsius: 58, version: 2 });
    expect(confirmed.headers.etag).toBe('"2"');
  });

  test('a time program: the same', proven, async () => {
    const path = { gatewayId: gatewayIdOf('acme', 0), circuitId: 'hc1', timeProgramId: '2' };
    const change = await done(acme.call('updateHeatingTimeProgram', { path, body: program }));
    expect(change.body).toMatchObject({ ...program, state: 'pending', connectivity: 'online' });
    const confirmed = await untilConfirmed(() => done(acme.call('getHeatingTimeProgram', { path })));
    expect(confirmed.body).toMatchObject({ ...program, version: 2 });
  });

  test(
    'a second update of a time program within ten seconds is rejected; other programs are not limited',
    proven,
    async () => {
      const gatewayId = gatewayIdOf('acme', 1);
      stopClock();
      const change = (circuitId: string, timeProgramId: string) =>
        impatientAcme.call('updateHeatingTimeProgram', {
          path: { gatewayId, circuitId, timeProgramId },
          body: program,
        });
      expect((await done(change('hc1', '1'))).status).toBe(202);
      const { problem, retryAfterSeconds } = await refused(change('hc1', '1'));
      const path = `/hvacs/${gatewayId}/heatingCircuits/hc1/timePrograms/1`;
      expect(problem).toMatchObject({ code: 'rate-limit-exceeded', policy: 'time-program', counter: { path } });
      expect(retryAfterSeconds).toBe(10);
      const neighbours = await Promise.all([done(change('hc1', '2')), done(change('hc2', '1'))]);
      expect(neighbours.map(({ status }) => status)).toEqual([202, 202]);
    },
  );

  test('a change with an outdated If-Match is rejected, and without If-Match it is applied', proven, async () => {
    const path = { gatewayId: gatewayIdOf('acme', 0), circuitId: 'hc2' };
    const { etag } = (await done(acme.call('getHeatingCircuit', { path }))).headers;
    const change = (headers: { 'If-Match'?: string }) =>
      acme.call('updateHeatingCircuit', { path, headers, body: { roomSetpointCelsius: 19.5 } });
    const changed = await done(change({ 'If-Match': etag }));
    expect([changed.status, changed.headers.etag]).toEqual([202, '"2"']);
    expect((await refused(change({ 'If-Match': etag }))).problem.code).toBe('precondition-failed');
    expect((await done(change({}))).headers.etag).toBe('"3"');
  });
});

describe('what stands in the way', () => {
  test('an offline appliance accepts the change, and the answer says that it is offline', proven, async () => {
    const path = { gatewayId: gatewayIdOf('acme', 1), circuitId: 'hc1' };
    const { status, body } = await done(acme.call('updateHeatingCircuit', { path, body: { operationMode: 'off' } }));
    expect([status, body.state, body.connectivity]).toEqual([202, 'pending', 'offline']);
  });

  test('a blocked function is a conflict with the end of the block; other functions work', proven, async () => {
    const path = { gatewayId: gatewayIdOf('acme', 2), circuitId: 'hc1' };
    const { problem, retryAfterSeconds } = await refused(
      acme.call('updateHeatingTimeProgram', { path: { ...path, timeProgramId: '1' }, body: program }),
    );
    if (problem.code !== 'appliance-function-blocked') throw new Error(`Expected a blocked function: ${problem.code}`);
    expect([problem.status, problem.function]).toEqual([409, 'heatingTimePrograms']);
    const [nowMs, endMs] = [Date.now(), Date.parse(problem.blockedUntil ?? '')];
    expect(Date.parse(problem.blockedSince)).toBeLessThanOrEqual(nowMs);
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(Math.ceil((endMs - nowMs) / 1000));
    expect((await done(acme.call('updateHeatingCircuit', { path, body: { operationMode: 'manual' } }))).status).toBe(
      202,
    );
  });

  test('an outdated consent is rejected with its versions and the place to renew it', proven, async () => {
    const path = { gatewayId: gatewayIdOf('globex', 0) };
    const { problem } = await refused(partner('globex').call('getGateway', { path }));
    if (problem.code !== 'consent-outdated') throw new Error(`Expected an outdated consent: ${problem.code}`);
    expect(problem).toMatchObject({ status: 451, requiredConsentVersion: 3, acceptedConsentVersion: 2 });
    expect(exchanges.at(-1)?.answer.headers.link).toBe(`<${problem.portalUrl}>; rel="blocked-by"`);
  });

  test('an ended contract is rejected', proven, async () => {
    const path = { gatewayId: gatewayIdOf('initech', 0) };
    const { problem } = await refused(partner('initech').call('getGateway', { path }));
    expect(problem.code).toBe('contract-not-active');
  });

  test('a gateway of another company and an unknown one return the same answer', proven, async () => {
    const refusalOf = (gatewayId: string) => refused(acme.call('getGateway', { path: { gatewayId } }));
    const others = (await refusalOf(gatewayIdOf('globex', 0))).problem;
    const nobodys = (await refusalOf('gw-nobody')).problem;
    expect(others.code).toBe('gateway-not-in-contract');
    const requestId = expect.any(String);
    expect({ ...nobodys, requestId }).toEqual({ ...others, requestId });
  });
});

const requests = 200;
test(
  `${requests} concurrent updates of one time program: one is accepted, the others get a time to retry`,
  proven,
  async () => {
    const path = { gatewayId: gatewayIdOf('acme', 0), circuitId: 'dhw1', timeProgramId: '2' };
    const update = () => impatientAcme.call('updateDhwTimeProgram', { path, body: program });
    stopClock();
    const answers = await Promise.all(Array.from({ length: requests }, update));
    const problems = answers.flatMap((answer) => (answer.ok ? [] : [answer.problem]));
    expect(problems.length).toBe(requests - 1);
    for (const problem of problems) {
      if (problem.code !== 'rate-limit-exceeded') throw new Error(`Expected the rate limit: ${problem.code}`);
      expect(problem.retryAfterMs).toBe(10_000);
    }
  },
);

test('every request leaves one log event: owner, gateway, operation and outcome', proven, () => {
  const events = service.eventLines().map((line) => readRequestEvent(line).event);
  expect(exchanges.length).toBeGreaterThan(requests);
  for (const { operationId, userId, path: sent, answer } of exchanges) {
    const path = sent.replace(/\?.*/, '');
    const [event, ...others] = events.filter(({ requestId }) => requestId === answer.headers['x-request-id']);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      operation: operationId,
      status: answer.status,
      path: answer.body.code === 'gateway-not-in-contract' ? '/hvacs/{gatewayId}' : path,
      ...(answer.status >= 400 && path !== '/hvacs' && { gatewayId: path.split('/')[2] }),
      userId,
    });
  }
});
