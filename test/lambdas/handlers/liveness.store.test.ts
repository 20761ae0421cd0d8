import { beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { staleAfterMinutes } from '../../../lambdas/api/limits.ts';
import { circuitItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { reportFacts } from '../../../lambdas/data/appliances/gateways.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import { connectivityFacts } from '../../../lambdas/domain/gateway.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { factTimesAt, reportedCircuits } from '../../support/appliance.ts';
import { type CallOptions, callsOf, equipCompany } from '../../support/call.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** Each answer with circuits, and a function that returns them. */
const answers: readonly [OperationId, CallOptions, (body: Body) => Body[]][] = [
  ...(['Heating', 'Dhw'] as const).flatMap((family): [OperationId, CallOptions, (body: Body) => Body[]][] => [
    [`get${family}Circuit`, {}, (body) => [body]],
    [`list${family}Circuits`, {}, ({ items }) => items],
    [`update${family}Circuit`, {}, (body) => [body]],
    [`set${family}Override`, {}, (body) => [body]],
    [`delete${family}Override`, {}, (body) => [body]],
  ]),
  ...['circuits', 'circuits,timePrograms'].map((include): [OperationId, CallOptions, (body: Body) => Body[]] => [
    'getGateway',
    { query: { include: [include] } },
    ({ heatingCircuits, dhwCircuits }) => [...heatingCircuits, ...dhwCircuits],
  ]),
];

// biome-ignore lint/suspicious/noExplicitAny: bodies of any operation.
type Body = any;

describe.each(answers)('%s %j', (operationId, options, circuitsIn) => {
  test('shows for each circuit whether and since when its gateway is connected, and whether it is stale', async () => {
    const { gatewayId, ask } = await openScene();
    const hour = 3_600_000;
    const shownAt = async (nowMs: number) => {
      const { body } = await ask(operationId, { ...options, nowMs });
      const circuits = circuitsIn(body);
      expect(circuits.length).toBeGreaterThan(0);
      const [first, ...others] = circuits.map(({ connectivity, connectivitySince, stale }: Body) => ({
        connectivity,
        connectivitySince,
        stale,
      }));
      for (const other of others) expect(other).toEqual(first);
      return first;
    };

    await reportConnectivity(gatewayId, 'online', startMs + 1);
    const since = toTimestamp(startMs - 24 * hour);
    expect(await shownAt(startMs + 2)).toEqual({ connectivity: 'online', connectivitySince: since, stale: false });

    await reportConnectivity(gatewayId, 'offline', startMs + hour, startMs + 1);
    const offline = { connectivity: 'offline', connectivitySince: toTimestamp(startMs + hour) };
    expect(await shownAt(startMs + 1 + staleAfterMinutes * 60_000)).toEqual({ ...offline, stale: false });

    // A backend that repeats the report has not heard from the gateway since.
    await reportConnectivity(gatewayId, 'offline', startMs + 2 * hour, startMs + 1);
    const silentMs = startMs + 2 + staleAfterMinutes * 60_000;
    expect(await shownAt(silentMs + 60_000)).toEqual({ ...offline, stale: true });
  });
});

test('a circuit with a recent report is not stale, whatever its gateway reports', async () => {
  const { gatewayId, ask } = await openScene();
  const nowMs = startMs + 24 * 3_600_000;
  const key = circuitItemKey(gatewayId, 'heating', 'c1');
  await report(world.store, key, { reported: { ...reportedCircuits.heating, override: null } }, factTimesAt(nowMs));
  const { body } = await ask('listHeatingCircuits', { nowMs });
  expect(body.items.map(({ circuitId, stale }: Body) => [circuitId, stale])).toEqual([
    ['c1', false],
    ['c2', true],
  ]);
});

test('a read has only these properties more than an event', async () => {
  const { ask } = await openScene();
  const { body } = await ask('getHeatingCircuit');
  expect(Object.keys(body).slice(-4)).toEqual(['connectivity', 'connectivitySince', 'stale', 'limits']);
});

const reportConnectivity = (gatewayId: string, connectivity: 'online' | 'offline', atMs: number, seenAtMs = atMs) =>
  reportFacts(world.store, gatewayId, connectivityFacts(connectivity, seenAtMs), factTimesAt(atMs));

const openScene = async () => {
  const company = await equipCompany(world.store);
  return { gatewayId: company.gatewayId, ask: callsOf(company) };
};
