import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import {
  listDhwCircuits,
  listDhwTimePrograms,
  listHeatingCircuits,
  listHeatingTimePrograms,
} from '../../lambdas/handlers/circuits.ts';
import { getGateway } from '../../lambdas/handlers/gateways.ts';
import { benchEnvironment, callOf, type Home, prepareContract, putHome } from './bench-company.ts';
import { delayed, median, metered, openStore } from './store.ts';

const homes = {
  small: { heating: 1, dhw: 1, timePrograms: 1, switchPoints: 14 },
  usual: { heating: 2, dhw: 1, timePrograms: 3, switchPoints: 28 },
  large: { heating: 7, dhw: 1, timePrograms: 20, switchPoints: 56 },
} as const satisfies Record<string, Home>;

type HomeName = keyof typeof homes;

const rounds = 40;
const storeLatencyMs = 5;

/**
 * Reads whole homes as a partner does: part by part, one call after the other, and by one call that includes all. Each call was
 * admitted before, and each store call takes 5 ms longer; the units are those of all calls, including the chain's.
 */
export const compareHomeReads = async (): Promise<void> => {
  const { store: bare, close } = await openStore();
  const { store, used } = metered(bare);
  const environment = benchEnvironment(delayed(store, storeLatencyMs));
  const company = await prepare(store);
  let nowMs = Date.now() + 60_000;
  console.log(
    `A whole home by one call that includes all beside a call for each part, ${storeLatencyMs} ms put on each store call, median of ${rounds}`,
  );
  for (const gatewayId of Object.keys(homes) as HomeName[]) {
    const read = async (
      handler: typeof getGateway,
      more: { circuitId?: string; query?: Record<string, string> } = {},
    ) => {
      const { circuitId, query = {} } = more;
      const pathParameters = { gatewayId, ...(circuitId !== undefined && { circuitId }) };
      return callOf(handler, environment, { ...company, pathParameters, query, nowMs });
    };
    const ways = { 'part by part': () => readParts(read), 'with include': () => readPages(read) };
    for (const [way, readHome] of Object.entries(ways)) {
      const durationsMs: number[] = [];
      let calls = 0;
      for (let round = -5; round < rounds; round++) {
        nowMs += 60_000;
        if (round === 0) used();
        const answers = await readHome();
        if (round < 0) continue;
        calls = answers.length;
        durationsMs.push(answers.reduce((sum, { durationMs }) => sum + durationMs, 0));
      }
      const { reads, writes } = used();
      console.log(
        `  ${gatewayId.padEnd(6)} ${way.padEnd(13)} ${calls} calls, ${reads / rounds} read units, ${writes / rounds} write units, ${median(durationsMs).toFixed(1)} ms`,
      );
    }
  }
  await close();
  console.log('');
};

type Read = (
  handler: typeof getGateway,
  more?: { circuitId?: string; query?: Record<string, string> },
) => ReturnType<typeof callOf>;

const readParts = async (read: Read) => {
  const answers = [await read(getGateway)];
  for (const [listCircuits, listTimePrograms] of [
    [listHeatingCircuits, listHeatingTimePrograms],
    [listDhwCircuits, listDhwTimePrograms],
  ] as const) {
    const circuits = await read(listCircuits);
    answers.push(circuits);
    for (const { circuitId } of circuits.body.items) answers.push(await read(listTimePrograms, { circuitId }));
  }
  return answers;
};

const readPages = async (read: Read) => {
  const answers = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { include: 'circuits,timePrograms', ...(cursor !== undefined && { cursor }) };
    const page = await read(getGateway, { query });
    answers.push(page);
    cursor = page.body.nextCursor as string | null;
  }
  return answers;
};

/** Creates a company with all of the homes; returns who calls. */
const prepare = async (store: Store) => {
  const nowMs = Date.now();
  const company = await prepareContract(store);
  for (const gatewayId of Object.keys(homes) as HomeName[]) {
    await grantGateway(store, company, gatewayId, nowMs);
    await putHome(store, gatewayId, homes[gatewayId], nowMs);
  }
  return company;
};
