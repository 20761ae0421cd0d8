import { setTimeout as wait } from 'node:timers/promises';
import { ratePolicies } from '../../../lambdas/api/limits.ts';
import { type Client, type PartnerAnswer, requestOf } from '../../../local/dashboard-preview/partner-requests.ts';
import type { DemoCompany } from '../../../local/demo/demo-world.ts';
import { below } from '../../../test/support/random.ts';

/** The time of an answer. */
type Answered = { readonly atMs: number };
type Change = Answered & { readonly setpoint: number };
type Call = { readonly sentMs: number; readonly answeredMs: number };
type IssuedKey = Answered & { readonly keyId: string; readonly apiKey: string; revokedAtMs?: number };

/** More would leave no room for keys whose creation was answered and then lost. */
const keysAtOnce = 4;

const anyOf = <Value>(random: () => number, values: readonly Value[]): Value | undefined =>
  values[below(random, values.length)];

/**
 * A partner that constantly changes circuits, rotates keys, calls a path at its limit and reads its feed, and records it all.
 */
export const openPartner = (company: DemoCompany, random: () => number) => {
  const circuits = company.gateways
    .filter(({ gatewayId }) => gatewayId !== 'gw-1002')
    .flatMap(({ gatewayId, heatingCircuits }) =>
      heatingCircuits.map(({ circuitId }) => `/hvacs/${gatewayId}/heatingCircuits/${circuitId}`),
    );
  const changes = new Map<string, Change[]>(circuits.map((path) => [path, []]));
  const keys: IssuedKey[] = [];
  const admitted: Call[] = [];
  let cursor: string | undefined;
  let expiredCursors = 0;
  let events = 0;

  const change = async (client: Client) => {
    const path = anyOf(random, circuits) as string;
    const setpoint = 5 + below(random, 50) / 2;
    const request = requestOf(company, path, { method: 'PATCH', body: { roomSetpointCelsius: setpoint } });
    const { status } = await client.send(request);
    if (status === 202) changes.get(path)?.push({ setpoint, atMs: Date.now() });
  };
  const issueOrRevoke = async (client: Client) => {
    const old = anyOf(
      random,
      keys.filter(({ revokedAtMs }) => revokedAtMs === undefined),
    );
    const alive = keys.filter(({ revokedAtMs }) => revokedAtMs === undefined).length;
    if (!old || (alive < keysAtOnce && random() < 0.5)) {
      const { status, body } = await client.send(requestOf(company, '/api-keys', { method: 'POST' }));
      if (status !== 201) return;
      const { keyId, apiKey } = JSON.parse(body);
      keys.push({ keyId, apiKey, atMs: Date.now() });
    } else {
      const { status } = await client.send(requestOf(company, `/api-keys/${old.keyId}`, { method: 'DELETE' }));
      if (status === 204) old.revokedAtMs = Date.now();
    }
  };
  const askTooOften = async (client: Client) => {
    const sentMs = Date.now();
    const { status } = await client.send(requestOf(company, '/contract'));
    if (status === 200) admitted.push({ sentMs, answeredMs: Date.now() });
  };
  const readFeed = async (client: Client) => {
    const answer = await client.send(requestOf(company, `/events?after=${cursor ?? 'latest'}`));
    const body = answer.status === 200 || answer.status === 410 ? JSON.parse(answer.body) : {};
    if (answer.status === 410) expiredCursors++;
    events += body.items?.length ?? 0;
    cursor = body.nextCursor ?? body.oldestCursor ?? cursor;
  };

  return {
    circuits,
    changes: changes as ReadonlyMap<string, readonly Change[]>,
    keys: keys as readonly IssuedKey[],
    admitted: admitted as readonly Call[],
    feed: () => ({ cursor, expiredCursors, events }),
    /** Runs until it is aborted; later answers are ignored. */
    play: async (client: Client, { signal }: AbortController) => {
      const often = async (work: (client: Client) => Promise<void>, restMs: number) => {
        while (!signal.aborted) {
          await work(client);
          await wait(restMs, undefined, { signal }).catch(() => undefined);
        }
      };
      await Promise.all([often(change, 100), often(issueOrRevoke, 500), often(askTooOften, 50), often(readFeed, 500)]);
    },
    /** Returns the status of a call with the key. */
    statusOf: async (client: Client, apiKey: string): Promise<number> =>
      (await client.send(requestOf({ ...company, apiKey }, '/contract'))).status,
    readCircuit: async (client: Client, path: string): Promise<PartnerAnswer> => {
      for (;;) {
        const answer = await client.send(requestOf(company, path));
        if (answer.status !== 429) return answer;
        await wait(500);
      }
    },
  };
};

export type Partner = ReturnType<typeof openPartner>;

/** Returns the largest number of calls that the limit of a path admits in this time, if the bucket was full `times` times. */
export const mostIn = (spanMs: number, times: number): number => {
  const { burst, refillIntervalMs } = ratePolicies.general;
  return times * burst + Math.floor(spanMs / refillIntervalMs);
};
