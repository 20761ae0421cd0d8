import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { readAllAuditPages } from '../../support/audit.ts';
import { callsOf, equipCompany } from '../../support/call.ts';
import { eventLike, take } from '../../support/messages.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const of = (level: string, setpointCelsius: number) => ({ level, setpointCelsius });

const families = {
  heating: {
    get: 'getHeatingCircuit',
    update: 'updateHeatingCircuit',
    comfort: { minimum: 5, maximum: 30, step: 0.5 },
  },
  dhw: { get: 'getDhwCircuit', update: 'updateDhwCircuit', comfort: { minimum: 40, maximum: 60, step: 1 } },
} as const;

/** Creates a home whose first circuits are described with these limits of levels. */
const openHome = async (family: keyof typeof families, levelSetpoints?: unknown) => {
  const company = await equipCompany(world.store);
  const circuits = [{ family, circuitId: 'c1', timeProgramIds: ['1', '2'], limits: { levelSetpoints } }];
  const event = eventLike('gateway.described.v1', { subject: company.gatewayId, id: randomUUID(), timeMs: startMs });
  const { logged } = await take('takeGatewayReports', [{ ...event, data: { circuits } }], { arrivedAtMs: startMs });
  let calls = 0;
  const ask = callsOf(company);
  const next = () => ({ nowMs: startMs + 60_000 * ++calls });
  const { get, update } = families[family];
  return {
    company,
    logged,
    limits: async () => (await ask(get, next())).body.limits.levelSetpoints,
    change: (...each: unknown[]) => ask(update, { ...next(), body: { levelSetpoints: each } }),
  };
};

const detailsOf = ({ status, body }: Awaited<ReturnType<Awaited<ReturnType<typeof openHome>>['change']>>) =>
  status === 400
    ? body.errors.map((each: { pointer: string; detail: string }) => `${each.pointer} ${each.detail}`)
    : status;

describe.each(['heating', 'dhw'] as const)('a circuit of %s', (family) => {
  const { comfort } = families[family];

  test('states which levels can be changed; what is not described is as for the comfort level', async () => {
    const { limits } = await openHome(family, [
      { level: 'Reduced', maximum: 50, step: null },
      { level: '__proto__', minimum: 3, step: 0.1 },
      { level: 'comfort' },
    ]);
    expect(await limits()).toEqual([
      { ...comfort, level: '__proto__', minimum: 3, step: 0.1 },
      { ...comfort, level: 'reduced', maximum: 50 },
    ]);
  });

  test.each([
    ['left out', undefined],
    ['empty', []],
    ['that of the comfort level only', [{ level: 'comfort' }]],
  ])('has no level to change if the description of them is %s', async (_, described) => {
    const { limits, change } = await openHome(family, described);
    expect(await limits()).toBeNull();
    expect(await change(of('reduced', 17))).toMatchObject({
      status: 409,
      body: { code: 'not-supported', feature: 'levelSetpoints' },
    });
  });

  test('refuses a level that cannot be changed and a setpoint outside its limits, each at its place', async () => {
    const { change } = await openHome(family, [{ level: 'eco', minimum: 10, maximum: 20, step: 1 }]);
    expect(detailsOf(await change(of('eco', 20.5), of('comfort', 20), of('toString', 20)))).toEqual([
      '/body/levelSetpoints/0/setpointCelsius Expected a temperature from 10 to 20 in steps of 1.',
      '/body/levelSetpoints/1/level Expected one of eco.',
      '/body/levelSetpoints/2/level Expected one of eco.',
    ]);
    expect(detailsOf(await change())).toEqual(['/body/levelSetpoints Expected at least 1 item.']);
    expect(detailsOf(await change(of('eco', 12), of('eco', 13)))).toEqual([
      '/body/levelSetpoints Expected each level once.',
    ]);
    const many = Array.from({ length: 31 }, (_, index) => of(`level ${index}`, 12));
    expect(detailsOf(await change(...many))).toContain('/body/levelSetpoints Expected at most 30 items.');
    expect(detailsOf(await change(of('x'.repeat(65), 12)))).toHaveLength(1);
    expect(detailsOf(await change(of('eco', 12.000000000000002)))).toBe(202);
  });

  test('shows a change at once, beside the others, and in the audit log as a list', async () => {
    const { company, change } = await openHome(family, [
      { level: 'eco', minimum: 10 },
      { level: '__proto__', minimum: 10 },
    ]);
    await change(of('eco', 20));
    const levelSetpoints = [of('__proto__', 15), of('eco', 20)];
    expect(await change(of('__proto__', 15))).toMatchObject({
      status: 202,
      body: { state: 'pending', levelSetpoints },
    });
    await change(of('eco', 18));
    const [newest] = await readAllAuditPages(company.key.apiKey);
    expect(newest).toMatchObject({
      before: { levelSetpoints: [of('eco', 20)] },
      after: { levelSetpoints: [of('eco', 18)] },
    });
  });
});

test('a description of levels loses only what cannot be used', async () => {
  const { limits, logged } = await openHome('heating', [
    { level: 'eco', minimum: 'low', maximum: 20 },
    { level: 'night', minimum: 20, maximum: 10 },
    { level: 7 },
    'reduced',
  ]);
  expect(logged).toMatchObject([
    { outcome: 'applied-in-part', expected: expect.stringContaining('levelSetpoints/0/minimum') },
  ]);
  expect(await limits()).toEqual([{ level: 'eco', minimum: 5, maximum: 20, step: 0.5 }]);
});
