import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FamilyName } from '../../../lambdas/api/endpoints/circuit-endpoints.ts';
import type { OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { maxBodyBytes, maxHomeBytes } from '../../../lambdas/api/limits.ts';
import { circuitItemKey, timeProgramItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { readHome } from '../../../lambdas/data/appliances/home.ts';
import { readHome as readWholeHome } from '../../../partner/client/pages.ts';
import { createPartnerClient } from '../../../partner/client/partner-client.ts';
import { putShadow, reportedCircuits, reportedProgram } from '../../support/appliance.ts';
import { type CallOptions, call, equipCompany, goodCall } from '../../support/call.ts';
import { below, randomNumbers } from '../../support/random.ts';
import { consistencyOf } from '../../support/store.ts';
import { consumedUnits } from '../../support/units.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const whole = 'circuits,timePrograms';

describe('one answer', () => {
  test.each([whole, 'timePrograms', 'timePrograms,circuits'])(
    'with include=%s: each part as its own operation answers it in the same second',
    async (include) => {
      const { ask } = await openScene();
      await ask('updateHeatingCircuit', { body: { roomSetpointCelsius: 19.5 } });
      await ask('updateDhwTimeProgram', {}, { circuitId: 'c2', timeProgramId: '2' });
      const { body } = await ask('getGateway', { query: { include: [include] } });
      expect(body).toEqual({ ...(await readPartByPart(ask)), nextCursor: null });
      expect(body.heatingCircuits[0]).toMatchObject({ circuitId: 'c1', roomSetpointCelsius: 19.5, state: 'pending' });
      expect(body.dhwCircuits[1].timePrograms[1]).toMatchObject({ timeProgramId: '2', state: 'pending' });
    },
  );

  test('with circuits alone has no time programs, and reads none', async () => {
    const { ask } = await openScene();
    const { heatingCircuits, dhwCircuits, ...gateway } = await readPartByPart(ask);
    world.proxy.begin();
    const { body } = await ask('getGateway', { nowMs: startMs + 60_000, query: { include: ['circuits'] } });
    const queries = world.proxy.exchanges.filter(({ action }) => action === 'Query');
    expect(queries.map(({ input }) => input.ExpressionAttributeValues[':prefix'])).toEqual([{ S: 'CIRCUIT#' }]);
    const withoutPrograms = ({ timePrograms, ...circuit }: { timePrograms: unknown }) => circuit;
    expect(body).toEqual({
      ...gateway,
      heatingCircuits: heatingCircuits.map(withoutPrograms),
      dhwCircuits: dhwCircuits.map(withoutPrograms),
      nextCursor: null,
    });
  });

  test('neither shows nor pays for other rows of the gateway’s partition, whatever they are called', async () => {
    const { gatewayId, ask } = await openScene();
    const readHomeAt = async (minute: number) => {
      world.proxy.begin();
      const { body } = await ask('getGateway', { nowMs: startMs + minute * 60_000, query: { include: [whole] } });
      const units = consumedUnits(world.proxy.exchanges).reduce((sum, { readUnits }) => sum + readUnits, 0);
      return { body, units };
    };
    await readHomeAt(1);
    const before = await readHomeAt(2);
    const others = ['CIRCUITS', 'ENERGY#2026-10', 'ENERGY#2026-11', 'HOLIDAY', 'PROGRAM', 'PROGRAMS#heating#c1#1', 'Z'];
    for (const sk of others)
      await world.store.send(
        new PutCommand({
          TableName: world.store.tableName('Appliances'),
          Item: { gatewayId, sk, days: 'x'.repeat(100_000) },
        }),
      );
    expect(await readHomeAt(3)).toEqual(before);
  });

  test('reads all of it strongly consistent', async () => {
    const { gatewayId } = await openScene();
    const withTimePrograms = true;
    expect(await consistencyOf(() => readHome(world.store, gatewayId, { withTimePrograms }))).toEqual([true, true]);
  });

  test('leaves out a time program whose circuit is not there', async () => {
    const { gatewayId, ask } = await openScene();
    await putProgram(gatewayId, 'dhw', 'gone', '1', []);
    const { body } = await ask('getGateway', { query: { include: [whole] } });
    expect(body.dhwCircuits.map(({ circuitId }: { circuitId: string }) => circuitId)).toEqual(['c1', 'c2']);
    expect(JSON.stringify(body)).not.toContain('gone');
  });
});

describe('pages', () => {
  test('of a large home are no larger than they may be, and together have every circuit and time program once', async () => {
    const random = randomNumbers();
    const { gatewayId, ask } = await openScene();
    const { home, bytes } = await buildLargeHome(gatewayId, random);
    const sizes: number[] = [];
    const answer = await readWholeHome(clientOf(ask, sizes), gatewayId);
    if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
    const { heatingCircuits, dhwCircuits, nextCursor } = answer.body;
    expect(nextCursor).toBeNull();
    expect(contentOf('heating', heatingCircuits).concat(contentOf('dhw', dhwCircuits)).toSorted()).toEqual(
      home.toSorted(),
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(maxHomeBytes);
    // A page is full if it has no room for a program of the largest size.
    const full = sizes.slice(0, -1);
    expect(Math.min(...full)).toBeGreaterThan(maxHomeBytes - 2 * maxBodyBytes);
    expect(sizes.length).toBeLessThan(bytes / (maxHomeBytes - 2 * maxBodyBytes) + 2);
  });

  test('of many small time programs have a hundred each, also where the ids of circuits begin alike', async () => {
    const { gatewayId, ask } = await openScene();
    const home = [...initialHome];
    for (const circuitId of ['c1', 'c1-1', 'c1.1', 'c10', 'c1_'])
      for (const family of ['heating', 'dhw'] as const) {
        if (circuitId !== 'c1') await putCircuit(gatewayId, family, circuitId);
        for (let program = 10; program < 28; program++) {
          await putProgram(gatewayId, family, circuitId, `${program}`, []);
          home.push(`${family} ${circuitId} ${program} 0`);
        }
      }
    const sizes: number[] = [];
    const answer = await readWholeHome(clientOf(ask, sizes), gatewayId);
    if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
    const { heatingCircuits, dhwCircuits } = answer.body;
    const shown = [...contentOf('heating', heatingCircuits), ...contentOf('dhw', dhwCircuits)];
    expect(shown.toSorted()).toEqual(home.toSorted());
    expect(sizes).toHaveLength(2);
  });

  test('go on over what comes and goes between them', async () => {
    const { gatewayId, ask } = await openScene();
    for (let program = 0; program < 20; program++)
      await putProgram(gatewayId, 'dhw', 'c2', `big${10 + program}`, pointsOf(500));
    const first = await ask('getGateway', { query: { include: [whole] } });
    expect(first.body.heatingCircuits).toEqual([]);
    await putCircuit(gatewayId, 'dhw', 'c0');
    await putCircuit(gatewayId, 'heating', 'c0');
    const query = { include: [whole], cursor: [first.body.nextCursor] };
    const { body } = await ask('getGateway', { query });
    const idsOf = (circuits: { circuitId: string }[]) => circuits.map(({ circuitId }) => circuitId);
    expect(idsOf(body.dhwCircuits)).toEqual(['c2']);
    expect(idsOf(body.heatingCircuits)).toEqual([]);
    const { body: last } = await ask('getGateway', { query: { ...query, cursor: [body.nextCursor] } });
    expect(idsOf(last.heatingCircuits)).toEqual(['c0', 'c1', 'c2']);
  });

  test('end also if nothing on one of them is to be shown', async () => {
    const { gatewayId, ask } = await openScene();
    for (let program = 0; program < 130; program++) await putProgram(gatewayId, 'dhw', 'a', `${program}`, []);
    const { body: first } = await ask('getGateway', { query: { include: [whole] } });
    expect(first).toMatchObject({ heatingCircuits: [], dhwCircuits: [] });
    const { body } = await ask('getGateway', { query: { include: [whole], cursor: [first.nextCursor] } });
    expect(body).toEqual({ ...(await readPartByPart(ask)), nextCursor: null });
  });
});

describe('a query is refused and named', () => {
  test.each(['', 'all', 'circuits,circuits', 'circuits, timePrograms', 'Circuits', 'timePrograms,', 'energy'])(
    'include=%s',
    async (include) => {
      const { ask } = await openScene();
      const { status, body } = await ask('getGateway', { query: { include: [include] } });
      expect(status).toBe(400);
      expect(body.errors).toEqual([
        { pointer: '/query/include', detail: 'Expected circuits, timePrograms or both, with a comma between them.' },
      ]);
    },
  );

  test('a cursor of another home', async () => {
    const [{ ask }, other] = [await openScene(), await openScene()];
    for (let program = 0; program < 100; program++) await putProgram(other.gatewayId, 'dhw', 'a', `${program}`, []);
    const { nextCursor } = (await other.ask('getGateway', { query: { include: [whole] } })).body;
    const query = { include: [whole], cursor: [nextCursor] };
    expect((await ask('getGateway', { query })).body.errors).toEqual([
      { pointer: '/query/cursor', detail: expect.any(String) },
    ]);
    expect((await other.ask('getGateway', { query })).status).toBe(200);
  });
});

type Ask = Awaited<ReturnType<typeof openScene>>['ask'];

/** A company with a gateway; its calls are so far apart that none meets the rate limit. */
const openScene = async () => {
  const company = await equipCompany(world.store);
  let calls = 0;
  const ask = (operationId: OperationId, options: CallOptions = {}, ids: Record<string, string> = {}) => {
    const good = goodCall(operationId, company);
    const nowMs = startMs + 10 * calls++;
    return call(operationId, {
      ...good,
      nowMs: nowMs + 60_000 * calls,
      ...options,
      pathParameters: { ...good.pathParameters, ...ids },
    });
  };
  return { ...company, ask };
};

/** The home of a scene as a partner reads it who does not know of include: one call for each list. */
const readPartByPart = async (ask: Ask) => {
  const circuitsOf = async (list: OperationId, programs: OperationId) => {
    const circuits = [];
    for (const circuit of (await ask(list)).body.items) {
      const { items } = (await ask(programs, {}, { circuitId: circuit.circuitId })).body;
      circuits.push({ ...circuit, timePrograms: items });
    }
    return circuits;
  };
  return {
    ...(await ask('getGateway')).body,
    heatingCircuits: await circuitsOf('listHeatingCircuits', 'listHeatingTimePrograms'),
    dhwCircuits: await circuitsOf('listDhwCircuits', 'listDhwTimePrograms'),
  };
};

/** The client of partners, which calls in this process; notes how large each answer is. */
const clientOf = (ask: Ask, sizes: number[]) =>
  createPartnerClient({
    ...{ baseUrl: 'https://api.example.com/v1', apiKey: 'x', userId: 'x' },
    fetch: async (url) => {
      const query = Object.fromEntries([...new URL(String(url)).searchParams].map(([name, value]) => [name, [value]]));
      const { status, headers, body } = await ask('getGateway', { query });
      const text = JSON.stringify(body);
      sizes.push(Buffer.byteLength(text));
      return new Response(text, { status, headers });
    },
  });

type ShownCircuit = { circuitId: string; timePrograms?: { timeProgramId: string; switchPoints: unknown[] | null }[] };

/** What there is of a home, a line for each time program: its place and how many points it has. */
const contentOf = (family: FamilyName, circuits: readonly ShownCircuit[]): string[] =>
  circuits.flatMap(({ circuitId, timePrograms = [] }) =>
    timePrograms.length === 0
      ? [`${family} ${circuitId}`]
      : timePrograms.map(
          ({ timeProgramId, switchPoints }) => `${family} ${circuitId} ${timeProgramId} ${switchPoints?.length}`,
        ),
  );

const initialHome = ['heating', 'dhw'].flatMap((family) =>
  ['c1', 'c2'].flatMap((circuitId) => ['1', '2'].map((program) => `${family} ${circuitId} ${program} 1`)),
);

const standing = { reportedAtMs: startMs, receivedAtMs: startMs, version: 1 };

const putCircuit = (gatewayId: string, family: FamilyName, circuitId: string) =>
  putShadow(
    world.store,
    circuitItemKey(gatewayId, family, circuitId),
    { circuitId },
    { reported: reportedCircuits[family], ...standing },
  );

const putProgram = (
  gatewayId: string,
  family: FamilyName,
  circuitId: string,
  timeProgramId: string,
  switchPoints: object[],
) =>
  putShadow(
    world.store,
    timeProgramItemKey(gatewayId, family, circuitId, timeProgramId),
    { timeProgramId },
    { reported: { ...reportedProgram, switchPoints }, ...standing },
  );

const pointsOf = (count: number) => Array(count).fill(reportedProgram.switchPoints[0]);

/** As many points as fit into the longest message. */
const maxPoints = 500;

/** Circuits of both families, some without time programs, some with twenty of any size; how many bytes they take together. */
const buildLargeHome = async (gatewayId: string, random: () => number) => {
  const home = [...initialHome];
  let points = 0;
  for (let circuit = 0; circuit < 12; circuit++) {
    const family = random() < 0.5 ? 'heating' : 'dhw';
    const circuitId = `x${circuit}`;
    await putCircuit(gatewayId, family, circuitId);
    const programs = random() < 0.3 ? 0 : 1 + below(random, 20);
    if (programs === 0) home.push(`${family} ${circuitId}`);
    for (let program = 0; program < programs; program++) {
      const count = random() < 0.3 ? maxPoints : below(random, maxPoints);
      points += count;
      await putProgram(gatewayId, family, circuitId, `${program}`, pointsOf(count));
      home.push(`${family} ${circuitId} ${program} ${count}`);
    }
  }
  return { home, bytes: points * JSON.stringify(pointsOf(1)).length + 100_000 };
};
