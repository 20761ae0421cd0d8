import { randomUUID } from 'node:crypto';
import { ratePolicies } from '../../lambdas/api/limits.ts';
import { companyIn, type Demo, type DemoCompany } from '../demo/demo-world.ts';
import { type Client, gatewayRequestsOf, generalReadsOf, refusedRequestsOf, requestOf } from './partner-requests.ts';
import { steady, surge, type Traffic } from './traffic.ts';

export type World = { readonly demo: Demo; readonly client: Client };

/**
 * Sends about thirty requests a second of all companies and kinds, or `timesFewer` times fewer, each kind slowly enough to stay
 * below its rate limit.
 */
export const mixedTraffic = ({ demo, client }: World, timesFewer = 1): Traffic[] => {
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
    ...lists.map(([everyMs, requests]) => steady(everyMs * timesFewer, (turn) => client.send(cycle(requests, turn)))),
    // Follows the feed as a partner would, and often enough that the feed's alarm always has data.
    steady(800, () => client.send(requestOf(acme, '/events?limit=1'))),
    // Two at once: the warm-up starts only one process of these functions, so the second call shows a cold start.
    steady(3000, () => Promise.all([renewKey(client, acme), renewKey(client, acme)])),
  ];
};

/** Sends fewer requests, so that a scenario that does not depend on their number ends sooner. */
export const calmTraffic = (world: World): Traffic[] => mixedTraffic(world, 4);

const impatientCompanyId = 'globex';

/** Plays a partner whose polling loop lacks its pause: it requests one path many times faster than allowed. */
export const impatientPartner = ({ demo, client }: World, fromFraction: number): Traffic => {
  const company = companyIn(demo, impatientCompanyId);
  return steady(60, () => client.send(requestOf(company, '/contract')), fromFraction);
};

/** Sends a hundred requests a second, so that a window has enough of them to judge their p99. */
export const manyRequests = (world: World): Traffic[] => Array.from({ length: 6 }, () => impatientPartner(world, 0));

/** Keeps `width` concurrent requests running, over everything that the company may read. */
export const flood = ({ demo, client }: World, width: number, fromFraction: number): Traffic => {
  const reads = gatewayRequestsOf(companyIn(demo, 'acme'), 'GET');
  return surge(width, (turn) => client.send(cycle(reads, turn)), fromFraction);
};

/** Creates a key and deletes it again; does nothing more if the creation is refused. */
const renewKey = async (client: Client, company: DemoCompany): Promise<void> => {
  const renewal = { method: 'POST', headers: { 'idempotency-key': randomUUID() } };
  const { status, body } = await client.send(requestOf(company, '/api-keys', renewal));
  if (status !== 201) return;
  await client.send(requestOf(company, `/api-keys/${JSON.parse(body).keyId}`, { method: 'DELETE' }));
};

/** Calls every function, most of them twice concurrently, so that their processes run before a scenario begins. */
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

/** Removes the ids from a path: `/hvacs/gw-1/dhwCircuits` → `/hvacs//dhwCircuits`. */
const kindOf = (path: string) =>
  path
    .split('/')
    .map((segment, index) => (index % 2 ? segment : ''))
    .join('/');

const cycle = <T>(items: readonly T[], turn: number): T => items[turn % items.length] as T;
