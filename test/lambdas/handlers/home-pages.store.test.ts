import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FamilyName } from '../../../lambdas/api/endpoints/circuit-endpoints.ts';
import { maxBodyBytes, maxPageBytes, maxTimeProgramsPerCircuit } from '../../../lambdas/api/limits.ts';
import { timeProgramItemKey } from '../../../lambdas/data/appliances/time-programs.ts';
import { readHome as readWholeHome } from '../../../partner/client/pages.ts';
import { createPartnerClient } from '../../../partner/client/partner-client.ts';
import { campaign, sampleOf } from '../../support/campaign.ts';
import { type Ask, openHome, pointsOf, putCircuit, putProgram, readPartByPart } from '../../support/home.ts';
import { below, randomNumbers } from '../../support/random.ts';
import { consumedUnits } from '../../support/units.ts';
import { openWorld, putAtOnce } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const whole = 'circuits,timePrograms';

/** Returns a page, and the read units of its request beyond those of every request with a gateway. */
const readPage = async (ask: Ask, cursor?: string, environment = world.environment) => {
  world.proxy.begin();
  const query = { include: [whole], ...(cursor !== undefined && { cursor: [cursor] }) };
  const { body } = await ask('getGateway', { query, environment });
  const queries = world.proxy.exchanges.filter(({ action }) => action === 'Query');
  const units = consumedUnits(queries).reduce((sum, { readUnits }) => sum + readUnits, 0);
  const ofPrograms = queries.filter(({ input }) => input.ExpressionAttributeValues[':prefix'].S === 'PROGRAM#');
  const read = ofPrograms.reduce((sum, { output }) => sum + (output as { Count: number }).Count, 0);
  const shown = [...contentOf('heating', body.heatingCircuits), ...contentOf('dhw', body.dhwCircuits)];
  return { body, shown, cost: { queries: queries.length, units, read } };
};

/** Returns all pages of a home. `act` runs between the pages, and between the queries of each. */
const readPages = async (ask: Ask, act: () => Promise<unknown> = async () => undefined) => {
  const send = async (command: object) => {
    if (command instanceof QueryCommand) await act();
    return world.store.send(command as never);
  };
  const environment = { ...world.environment, store: { ...world.store, send: send as typeof world.store.send } };
  const pages: Awaited<ReturnType<typeof readPage>>[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await readPage(ask, cursor, environment);
    pages.push(page);
    if (page.body.nextCursor === null) return pages;
    cursor = page.body.nextCursor;
  }
};

/** Replaces the initial time programs of a home, with as many circuits as needed; returns the lines of the new ones. */
const fillHome = async (gatewayId: string, programs: number, points: number) => {
  await Promise.all(initialHome.map((line) => removeProgram(gatewayId, line)));
  const home: string[] = [];
  for (let first = 0; first < programs; first += maxTimeProgramsPerCircuit)
    await putAtOnce(world.store, async (collector) => {
      const circuitId = `x${first / maxTimeProgramsPerCircuit}`;
      await putCircuit(gatewayId, 'heating', circuitId, collector);
      for (let number = first; number < Math.min(programs, first + maxTimeProgramsPerCircuit); number++) {
        await putProgram({ gatewayId, family: 'heating', circuitId }, `${number}`, pointsOf(points), collector);
        home.push(`heating ${circuitId} ${number} ${points}`);
      }
    });
  return home;
};

const removeProgram = async (gatewayId: string, line: string) => {
  const [family, circuitId = '', timeProgramId = ''] = line.split(' ');
  const Key = timeProgramItemKey(gatewayId, family as FamilyName, circuitId, timeProgramId);
  await world.store.send(new DeleteCommand({ TableName: world.store.tableName('Appliances'), Key }));
};

const totalOf = (pages: Awaited<ReturnType<typeof readPages>>, name: 'units' | 'read') =>
  pages.reduce((sum, { cost }) => sum + cost[name], 0);

describe('a page reads little more than it shows', () => {
  test.each([
    ['small', 2, 14, 2],
    ['usual', 9, 28, 5],
    ['large', 29, 56, 21],
  ])(
    'of a %s home with %i time programs of %i points by two queries and %i units',
    async (_, programs, points, units) => {
      const { gatewayId, ask } = await openHome();
      const home = await fillHome(gatewayId, programs, points);
      const [page, ...others] = await readPages(ask);
      expect(others).toEqual([]);
      expect(page?.shown.filter((line) => line.startsWith('heating x')).toSorted()).toEqual(home.toSorted());
      expect(page?.cost).toEqual({ queries: 2, units, read: programs });
    },
  );

  test('a home of 144 time programs with 140 points: a few more programs than it has, instead of 371', async () => {
    const { gatewayId, ask } = await openHome();
    const home = await fillHome(gatewayId, 144, 140);
    const pages = await readPages(ask);
    expect(pages.flatMap(({ shown }) => shown.filter((line) => line.startsWith('heating x'))).toSorted()).toEqual(
      home.toSorted(),
    );
    expect(pages).toHaveLength(5);
    expect(totalOf(pages, 'read')).toBeLessThanOrEqual(144 + pages.length);
    // 7 kB each, plus the circuits and the rounding of each page.
    expect(totalOf(pages, 'units')).toBeLessThanOrEqual((144 * 7) / 4 + 10 * pages.length);
  });

  test.each(sampleOf([1, 28, 56, 140, 300, maxPoints], 3))(
    'of %i points each: at most thirty that it does not show, and after page one at most the last',
    campaign,
    async (points) => {
      const { gatewayId, ask } = await openHome();
      await fillHome(gatewayId, 120, points);
      for (const [index, { shown, cost }] of (await readPages(ask)).entries()) {
        const programs = shown.filter((line) => line.startsWith('heating x')).length;
        expect(cost.read - programs).toBeLessThanOrEqual(index === 0 ? 30 : 1);
        expect(cost.queries).toBeLessThanOrEqual(6);
      }
    },
  );
});

describe('pages', () => {
  test('of a large home stay within the limit, and together have every circuit and time program once', async () => {
    const random = randomNumbers();
    const { gatewayId, ask } = await openHome();
    const { home, bytes } = await buildLargeHome(gatewayId, random);
    const sizes: number[] = [];
    const answer = await readWholeHome(clientOf(ask, sizes), gatewayId);
    if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
    const { heatingCircuits, dhwCircuits, nextCursor } = answer.body;
    expect(nextCursor).toBeNull();
    expect(contentOf('heating', heatingCircuits).concat(contentOf('dhw', dhwCircuits)).toSorted()).toEqual(
      home.toSorted(),
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(maxPageBytes);
    // A page is full if a program of the maximum size does not fit.
    const full = sizes.slice(0, -1);
    expect(Math.min(...full)).toBeGreaterThan(maxPageBytes - 2 * maxBodyBytes);
    expect(sizes.length).toBeLessThan(bytes / (maxPageBytes - 2 * maxBodyBytes) + 2);
  });

  test('of many small time programs have a hundred each, even if ids of circuits have the same prefix', async () => {
    const { gatewayId, ask } = await openHome();
    const home = [...initialHome];
    for (const circuitId of ['c1', 'c1-1', 'c1.1', 'c10', 'c1_'])
      for (const family of ['heating', 'dhw'] as const) {
        await putAtOnce(world.store, async (collector) => {
          if (circuitId !== 'c1') await putCircuit(gatewayId, family, circuitId, collector);
          for (let program = 10; program < 28; program++) {
            await putProgram({ gatewayId, family, circuitId }, `${program}`, [], collector);
            home.push(`${family} ${circuitId} ${program} 0`);
          }
        });
      }
    const sizes: number[] = [];
    const answer = await readWholeHome(clientOf(ask, sizes), gatewayId);
    if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
    const { heatingCircuits, dhwCircuits } = answer.body;
    const shown = [...contentOf('heating', heatingCircuits), ...contentOf('dhw', dhwCircuits)];
    expect(shown.toSorted()).toEqual(home.toSorted());
    expect(sizes).toHaveLength(2);
  });

  test('continue when items are added and removed between them', async () => {
    const { gatewayId, ask } = await openHome();
    for (let program = 0; program < 20; program++)
      await putProgram({ gatewayId, family: 'dhw', circuitId: 'c2' }, `big${10 + program}`, pointsOf(500));
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

  test('have each permanent item once, even if others are added and removed between their queries', async () => {
    const random = randomNumbers();
    const { gatewayId, ask } = await openHome();
    const { home } = await buildLargeHome(gatewayId, random);
    const passing = new Set<string>();
    const circuitIds = ['c0', 'c1', 'c3', 'x1', 'x11', 'y'];
    const pages = await readPages(ask, async () => {
      const circuitId = circuitIds[below(random, circuitIds.length)] ?? 'y';
      const family = random() < 0.5 ? 'heating' : 'dhw';
      const timeProgramId = `passing${below(random, 4)}`;
      const line = `${family} ${circuitId} ${timeProgramId}`;
      if (passing.has(line)) return removeProgram(gatewayId, line);
      passing.add(line);
      if (random() < 0.3) await putCircuit(gatewayId, family, circuitId);
      return putProgram({ gatewayId, family, circuitId }, timeProgramId, pointsOf(below(random, maxPoints)));
    });
    const shown = pages.flatMap((page) => page.shown).filter((line) => !/passing|c0|c3|y/.test(line));
    const isOfProgram = (line: string) => line.split(' ').length > 2;
    expect(shown.filter(isOfProgram).toSorted()).toEqual(home.filter(isOfProgram).toSorted());
  });

  test('end even if one of them has nothing to show', async () => {
    const { gatewayId, ask } = await openHome();
    for (const first of [0, 65])
      await putAtOnce(world.store, async (collector) => {
        for (let program = first; program < first + 65; program++)
          await putProgram({ gatewayId, family: 'dhw', circuitId: 'a' }, `${program}`, [], collector);
      });
    const { body: first } = await ask('getGateway', { query: { include: [whole] } });
    expect(first).toMatchObject({ heatingCircuits: [], dhwCircuits: [] });
    const { body } = await ask('getGateway', { query: { include: [whole], cursor: [first.nextCursor] } });
    expect(body).toEqual({ ...(await readPartByPart(ask)), nextCursor: null });
  });
});

/** Returns the client of partners, which calls in this process and records the size of each answer. */
const clientOf = (ask: Ask, sizes: number[]) =>
  createPartnerClient({
    baseUrl: 'https://api.example.com/v1',
    apiKey: 'x',
    userId: 'x',
    fetch: async (url) => {
      const query = Object.fromEntries([...new URL(String(url)).searchParams].map(([name, value]) => [name, [value]]));
      const { status, headers, body } = await ask('getGateway', { query });
      const text = JSON.stringify(body);
      sizes.push(Buffer.byteLength(text));
      return new Response(text, { status, headers });
    },
  });

type ShownCircuit = { circuitId: string; timePrograms?: { timeProgramId: string; switchPoints: unknown[] | null }[] };

/** Returns the content of a home, one line per time program: its place and its number of points. */
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

/** The maximum number of points in the longest message. */
const maxPoints = 500;

/** Creates circuits of both families, some without time programs, some with twenty of any size; returns their total bytes. */
const buildLargeHome = async (gatewayId: string, random: () => number) => {
  const home = [...initialHome];
  let points = 0;
  for (let circuit = 0; circuit < 12; circuit++) {
    const family = random() < 0.5 ? 'heating' : 'dhw';
    const circuitId = `x${circuit}`;
    const programs = random() < 0.3 ? 0 : 1 + below(random, 20);
    if (programs === 0) home.push(`${family} ${circuitId}`);
    await putAtOnce(world.store, async (collector) => {
      await putCircuit(gatewayId, family, circuitId, collector);
      for (let program = 0; program < programs; program++) {
        const count = random() < 0.3 ? maxPoints : below(random, maxPoints);
        points += count;
        await putProgram({ gatewayId, family, circuitId }, `${program}`, pointsOf(count), collector);
        home.push(`${family} ${circuitId} ${program} ${count}`);
      }
    });
  }
  return { home, bytes: points * JSON.stringify(pointsOf(1)).length + 100_000 };
};
