import { beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { usualCurveLimits } from '../../../lambdas/api/schemas/circuit-limits.ts';
import { limitsOf as limitsIn } from '../../../lambdas/domain/circuit-limits.ts';
import { type CallOptions, call, equipCompany, goodCall } from '../../support/call.ts';
import { eventLike, take } from '../../support/messages.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const usual = { heating: limitsIn({}, 'heating', 'c1'), dhw: limitsIn({}, 'dhw', 'c1') };

const timeProgramIds = ['1', '2'];
const limits = {
  roomSetpointCelsius: { minimum: 3, maximum: 25, step: 0.1 },
  operationModes: ['auto', 'cooling'],
  levels: ['eco', 'reduced'],
};

/** Creates a home whose circuits have these limits, by `family circuitId`. */
const openHome = async (limitsOf: Readonly<Record<string, object | null | undefined>>) => {
  const company = await equipCompany(world.store);
  const circuits = (['heating', 'dhw'] as const).flatMap((family) =>
    ['c1', 'c2'].map((circuitId) => ({
      family,
      circuitId,
      timeProgramIds,
      limits: limitsOf[`${family} ${circuitId}`],
    })),
  );
  const data = { circuits, features: ['heatingOverrides', 'dhwOverrides', 'holidays'] };
  const described = eventLike('gateway.described.v1', { subject: company.gatewayId, timeMs: startMs, data });
  const { logged } = await take('takeGatewayReports', [described], { arrivedAtMs: startMs });
  let asked = 0;
  const ask = (operationId: OperationId, options: CallOptions = {}) => {
    asked++;
    const good = goodCall(operationId, company);
    const pathParameters = { ...good.pathParameters, ...options.pathParameters };
    return call(operationId, { ...good, ...options, pathParameters, nowMs: startMs + asked * 60_000 });
  };
  return { ask, logged };
};

const detailsOf = ({ status, body }: Awaited<ReturnType<typeof call>>) =>
  status === 400
    ? body.errors.map((each: { pointer: string; detail: string }) => `${each.pointer} ${each.detail}`)
    : status;

describe('a circuit whose appliance has limits', () => {
  test('shows them in every read, and another circuit has the default ones', async () => {
    const { ask } = await openHome({ 'heating c1': limits });
    expect((await ask('getHeatingCircuit')).body.limits).toEqual({ ...usual.heating, ...limits });
    const listed = (await ask('listHeatingCircuits')).body.items;
    expect(listed.map((each: { limits: object }) => each.limits)).toEqual([
      { ...usual.heating, ...limits },
      usual.heating,
    ]);
    const home = (await ask('getGateway', { query: { include: ['circuits'] } })).body;
    expect(home.heatingCircuits[0].limits).toEqual({ ...usual.heating, ...limits });
    expect((await ask('getDhwCircuit')).body.limits).toEqual(usual.dhw);
  });

  test('can be changed within them, and a refusal names them', async () => {
    const { ask } = await openHome({ 'heating c1': limits });
    const patch = async (body: object) => detailsOf(await ask('updateHeatingCircuit', { body }));
    expect(await patch({ operationMode: 'cooling', roomSetpointCelsius: 21.3 })).toBe(202);
    expect(await patch({ roomSetpointCelsius: 3 })).toBe(202);
    expect(await patch({ operationMode: 'manual', roomSetpointCelsius: 25.1 })).toEqual([
      '/body/operationMode Expected one of auto, cooling.',
      '/body/roomSetpointCelsius Expected a temperature from 3 to 25 in steps of 0.1.',
    ]);
    const override = { roomSetpointCelsius: 26, until: 'next-switch-point' };
    expect(detailsOf(await ask('setHeatingOverride', { body: override }))).toEqual([
      '/body/roomSetpointCelsius Expected a temperature from 3 to 25 in steps of 0.1.',
    ]);
    expect(detailsOf(await ask('setHeatingOverride', { body: { ...override, roomSetpointCelsius: 24.9 } }))).toBe(202);
  });

  test('has time programs with its own levels', async () => {
    const { ask } = await openHome({ 'heating c1': limits });
    const put = async (setpoint: string) => {
      const switchPoints = [{ dayOfWeek: 'monday', time: '06:00', setpoint }];
      return detailsOf(await ask('updateHeatingTimeProgram', { body: { name: 'Week', switchPoints } }));
    };
    expect(await put('reduced')).toBe(202);
    expect(await put('comfort')).toEqual(['/body/switchPoints/0/setpoint Expected one of eco, reduced.']);
  });

  test('limits the holiday of its home, together with the other heating circuits', async () => {
    const { ask } = await openHome({ 'heating c1': limits, 'heating c2': { roomSetpointCelsius: { minimum: 10 } } });
    const put = async (roomSetpointCelsius: number) => {
      const body = { from: '2036-03-11T12:00:00Z', to: '2036-03-20T12:00:00Z', roomSetpointCelsius };
      return detailsOf(await ask('setHoliday', { body }));
    };
    expect(await put(12)).toBe(202);
    expect(await put(9)).toEqual(['/body/roomSetpointCelsius Expected a temperature from 10 to 30 in steps of 0.5.']);
    expect(await put(26)).toEqual(['/body/roomSetpointCelsius Expected a temperature from 3 to 25 in steps of 0.1.']);
  });
});

describe('a heating circuit with a heating curve and a cooling setpoint', () => {
  const curve = { slope: { minimum: 0.3, maximum: 2, step: 0.1 }, shiftKelvin: { minimum: -5, maximum: 5, step: 1 } };
  const cooling = { minimum: 20, maximum: 26, step: 0.5 };
  const limits = { heatingCurve: curve, coolingSetpointCelsius: cooling };

  test('shows their ranges, and null for a circuit without them', async () => {
    const { ask, logged } = await openHome({ 'heating c1': limits, 'heating c2': {} });
    expect(logged).toMatchObject([{ outcome: 'applied' }]);
    const [c1, c2] = (await ask('listHeatingCircuits')).body.items;
    expect(c1.limits).toEqual({ ...usual.heating, ...limits });
    expect(c2.limits).toEqual(usual.heating);
    expect((await ask('getDhwCircuit')).body.limits).toEqual(usual.dhw);
  });

  test.each([
    ['empty', {}, usualCurveLimits],
    ['of nulls', { slope: null, shiftKelvin: { minimum: null } }, usualCurveLimits],
    ['in part', { slope: { maximum: 2 } }, { slope: { minimum: 0.2, maximum: 2, step: 0.1 } }],
    ['invalid in part', { slope: { maximum: 'high', minimum: 1 } }, { slope: { minimum: 1, maximum: 3.5 } }],
    ['in the wrong order', { slope: { minimum: 2, maximum: 1 } }, usualCurveLimits],
  ])('has the default ranges where those that are described are %s', async (_, described, expected) => {
    const { ask } = await openHome({ 'heating c1': { heatingCurve: described } });
    expect((await ask('getHeatingCircuit')).body.limits.heatingCurve).toMatchObject(expected);
  });

  test('can be changed within the ranges, and a refusal names the range of each number', async () => {
    const { ask } = await openHome({ 'heating c1': limits });
    const patch = (body: object) => ask('updateHeatingCircuit', { body });
    const changed = await patch({ heatingCurve: { slope: 1.2000000000000002, shiftKelvin: -5 } });
    expect(changed).toMatchObject({ status: 202, body: { heatingCurve: { slope: 1.2, shiftKelvin: -5 } } });
    expect((await patch({ coolingSetpointCelsius: 24.5 })).body).toMatchObject({
      state: 'pending',
      coolingSetpointCelsius: 24.5,
      heatingCurve: { slope: 1.2, shiftKelvin: -5 },
    });
    expect(
      detailsOf(await patch({ heatingCurve: { slope: 2.1, shiftKelvin: 0.5 }, coolingSetpointCelsius: 19 })),
    ).toEqual([
      '/body/coolingSetpointCelsius Expected a temperature from 20 to 26 in steps of 0.5.',
      '/body/heatingCurve/slope Expected a slope from 0.3 to 2 in steps of 0.1.',
      '/body/heatingCurve/shiftKelvin Expected a shift from -5 to 5 in steps of 1.',
    ]);
  });

  test.each([
    ['without its shift', { slope: 1 }, '/body/heatingCurve/shiftKelvin'],
    ['without its slope', { shiftKelvin: 1 }, '/body/heatingCurve/slope'],
    ['of null', null, '/body/heatingCurve'],
    ['with another property', { slope: 1, shiftKelvin: 1, level: 1 }, '/body/heatingCurve'],
    ['with a text', { slope: '1', shiftKelvin: 1 }, '/body/heatingCurve/slope'],
    ['far outside', { slope: 10.1, shiftKelvin: -101 }, '/body/heatingCurve/slope'],
  ])('is changed as a whole: a curve %s is refused', async (_, heatingCurve, pointer) => {
    const { ask } = await openHome({ 'heating c1': limits });
    expect(detailsOf(await ask('updateHeatingCircuit', { body: { heatingCurve } }))).toContainEqual(
      expect.stringContaining(`${pointer} `),
    );
  });

  test.each([
    ['heatingCurve', { heatingCurve: { slope: 1, shiftKelvin: 0 } }],
    ['coolingSetpointCelsius', { coolingSetpointCelsius: 24 }],
  ])('refuses a change of a setting that another circuit has: %s', async (feature, body) => {
    const { ask } = await openHome({ 'heating c2': limits });
    const refused = await ask('updateHeatingCircuit', { body: { operationMode: 'off', ...body } });
    expect(refused).toMatchObject({ status: 409, body: { code: 'not-supported', feature } });
    expect((await ask('getHeatingCircuit')).body).toMatchObject({ state: 'confirmed', operationMode: 'auto' });
    const of = { pathParameters: { circuitId: 'c2' } };
    expect((await ask('updateHeatingCircuit', { body, ...of })).status).toBe(202);
  });
});

describe('limits of a description', () => {
  test.each([
    ['absent', undefined],
    ['null', null],
    ['empty', {}],
    ['of nulls', { roomSetpointCelsius: { minimum: null, maximum: null }, operationModes: null }],
  ])('that are %s are the default ones', async (_, described) => {
    const { ask, logged } = await openHome({ 'heating c1': described, 'heating c2': limits });
    expect(logged).toMatchObject([{ outcome: 'applied' }]);
    expect((await ask('getHeatingCircuit')).body.limits).toEqual(usual.heating);
  });

  test.each([
    ['a step of 0', { roomSetpointCelsius: { step: 0 } }, 'roomSetpointCelsius/step'],
    ['a minimum that is no temperature', { roomSetpointCelsius: { minimum: -300 } }, 'roomSetpointCelsius/minimum'],
    ['a minimum above the maximum', { roomSetpointCelsius: { minimum: 30, maximum: 20 } }, 'roomSetpointCelsius'],
  ])('that are invalid do not affect the rest of the description: %s', async (_, broken, named) => {
    const { ask, logged } = await openHome({ 'heating c1': broken, 'heating c2': limits });
    expect(logged).toMatchObject([{ outcome: 'applied-in-part', expected: expect.stringContaining(named) }]);
    expect((await ask('getHeatingCircuit')).body.limits).toEqual(usual.heating);
    const listed = (await ask('listHeatingCircuits')).body.items;
    expect(listed[1].limits).toEqual({ ...usual.heating, ...limits });
  });
});
