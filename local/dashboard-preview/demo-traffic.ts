import { randomUUID } from 'node:crypto';
import { ratePolicies } from '../../lambdas/api/limits.ts';
import { companyIn, type Demo, type DemoCompany } from '../demo/demo-world.ts';
import { type Client, gatewayRequestsOf, generalReadsOf, refusedRequestsOf, requestOf } from './partner-requests.ts';
import type { RunClock } from './run-clock.ts';

export type World = { readonly demo: Demo; readonly client: Client };

/** Sends about thirty requests a second of all companies and kinds, each slowly enough that no rate limit refuses it. */
export const mixedTraffic = ({ demo, client }: World): Traffic[] => {
  const [acme, globex, initech] = [companyIn(demo, 'acme'), companyIn(demo, 'globex'), companyIn(demo, 'initech')];
  const reads = gatewayRequestsOf(acme, 'GET');
  const lists: readonly (readonly [everyMs: number, requests: ReturnType<typeof generalReadsOf>])[] = [
    [(ratePolicies.gateway.refillIntervalMs * 1.2) / reads.length, reads],
    [500, generalReadsOf(acme)],
    [700, gatewayRequestsOf(acme, 'PATCH')],
    [1000, gatewayRequestsOf(acme, 'PUT')],
    [350, refusedRequestsOf(acme, globex)],
    [450, [...generalReadsOf(globex), ...gatewayRequestsOf(globex, 'GET')]],
    [900, [...generalReadsOf(initech), ...gatewayRequestsOf(initech, 'GET')]],
  ];
  return [
    ...lists.map(([everyMs, requests]) => steady(everyMs, (turn) => client.send(cycle(requests, turn)))),
    // As a partner does who follows the feed, and often enough that its alarm always has something to look at.
    steady(800, () => client.send(requestOf(acme, '/events?limit=1'))),
    // Two at once: of these functions the warm-up starts one process only, so that cold starts can be seen too.
    steady(3000, () => Promise.all([renewKey(client, acme), renewKey(client, acme)])),
  ];
};

export const impatientCompanyId = 'globex';

/** Plays a partner whose loop has lost its pause: it asks for one path many times faster than it may. */
export const impatientPartner = ({ demo, client }: World, fromFraction: number): Traffic => {
  const company = companyIn(demo, impatientCompanyId);
  return steady(60, () => client.send(requestOf(company, '/contract')), fromFraction);
};

/** Keeps so many requests under way at once, over all that the company may read. */
export const flood = ({ demo, client }: World, width: number, fromFraction: number): Traffic => {
  const reads = gatewayRequestsOf(companyIn(demo, 'acme'), 'GET');
  return surge(width, (turn) => client.send(cycle(reads, turn)), fromFraction);
};

/** Issues a key and deletes it again, where the service lets it. */
const renewKey = async (client: Client, company: DemoCompany): Promise<void> => {
  const renewal = { method: 'POST', headers: { 'idempotency-key': randomUUID() } };
  const { status, body } = await client.send(requestOf(company, '/api-keys', renewal));
  if (status !== 201) return;
  await client.send(requestOf(company, `/api-keys/${JSON.parse(body).keyId}`, { method: 'DELETE' }));
};

/** Calls every function, most of them twice at once, so that their processes have started when a run begins. */
export const warmUp = async ({ demo, client }: World): Promise<void> => {
  const acme = companyIn(demo, 'acme');
  await renewKey(client, acme);
  const oneOfEach = new Map(
    (['GET', 'PATCH', 'PUT'] as const)
      .flatMap((method) => gatewayRequestsOf(acme, method))
      .map((request) => [`${request.method} ${kindOf(request.path)}`, request]),
  );
  for (const request of [...generalReadsOf(acme), ...oneOfEach.values()])
    await Promise.all([client.send(request), client.send(request)]);
};

/** The path without its ids: `/hvacs/gw-1/dhwCircuits` → `/hvacs//dhwCircuits`. */
const kindOf = (path: string) =>
  path
    .split('/')
    .map((segment, index) => (index % 2 ? segment : ''))
    .join('/');

/** Sends its requests while the run lasts and resolves when all of them are answered. */
export type Traffic = (clock: RunClock) => Promise<void>;

export const cycle = <T>(items: readonly T[], turn: number): T => items[turn % items.length] as T;

/** All partners together stay far below the concurrency that rings, however slowly this machine answers. */
const mostUnderWay = 6;

/**
 * Acts in the middle of each interval: partners do not wait for one another. If too many acts are under way, the machine is
 * behind, and the run stands still.
 */
export const steady =
  (everyMs: number, act: (turn: number) => Promise<unknown>, fromFraction = 0): Traffic =>
  async (clock) => {
    const firstMs = clock.lengthMs * fromFraction + everyMs / 2;
    const acts: Promise<unknown>[] = [];
    const underWay = new Set<Promise<unknown>>();
    for (let turn = 0; firstMs + turn * everyMs < clock.lengthMs; turn++) {
      if (!(await clock.until(firstMs + turn * everyMs))) break;
      if (underWay.size >= mostUnderWay) await clock.standStillFor(Promise.race(underWay));
      const acting = act(turn);
      acts.push(acting);
      // What fails is thrown when all is awaited; until then nobody listens.
      const ended: Promise<unknown> = acting.catch(() => undefined).finally(() => underWay.delete(ended));
      underWay.add(ended);
    }
    await Promise.all(acts);
  };

/** Keeps so many acts under way at once. */
export const surge =
  (width: number, act: (turn: number) => Promise<unknown>, fromFraction = 0): Traffic =>
  async (clock) => {
    await clock.until(clock.lengthMs * fromFraction);
    let turn = 0;
    const worker = async () => {
      while (!clock.isOver()) await act(turn++);
    };
    await Promise.all(Array.from({ length: width }, worker));
  };
