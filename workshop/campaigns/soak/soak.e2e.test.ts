import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { doneOutcomes } from '../../../lambdas/api/inbound-events/inbound-event.ts';
import { queueNames, queuesWithDeadLetters } from '../../../lambdas/api/queues.ts';
import { circuitItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import type { Parties } from '../../../lambdas/domain/contract.ts';
import { mixedTraffic, warmUp } from '../../../local/dashboard-preview/demo-traffic.ts';
import { type Client, createClient } from '../../../local/dashboard-preview/partner-requests.ts';
import { startRunClock } from '../../../local/dashboard-preview/run-clock.ts';
import { steady } from '../../../local/dashboard-preview/traffic.ts';
import { companyIn } from '../../../local/demo/demo-world.ts';
import type { Connection } from '../../../operator/connection/connection.ts';
import { connectToLocalRun } from '../../../operator/connection/local.ts';
import { readDepth } from '../../../operator/integrations/integrations.ts';
import { expectDocumentedAt } from '../../../test/support/api-document.ts';
import { readStored } from '../../../test/support/appliance.ts';
import { proven, size, timer } from '../../../test/support/campaign.ts';
import { randomNumbers } from '../../../test/support/random.ts';
import { readAudit, readGrantTimes } from '../../../test/support/store.ts';
import { eventually } from '../../../test/support/time.ts';
import { gatewayIds, type IntegrationTraffic, killConsumer, openIntegrationTraffic } from './integration-traffic.ts';
import { errorLinesIn, expectFlatMemory, startServing, watchMemory } from './serving.ts';

const seconds = size({ test: 0, prove: 45, full: 900 });
const leastKills = size({ test: 0, prove: 1, full: 100 });
const killEveryMs = 3000;
const offline = 'gw-1002';

test(
  'requests and events while consumers are killed: answers as documented, none lost or applied twice, memory stays flat',
  proven,
  async ({ annotate }) => {
    const random = randomNumbers();
    const { demo, pid, directory } = await startServing();
    const connection = await connectToLocalRun(directory);
    onTestFinished(connection.close);
    const client = createClient(demo);
    onTestFinished(client.close);
    const partner = openPartner(client);
    const company = companyIn(demo, 'initech');
    const neighbours = JSON.parse(readFileSync(join(directory, 'integrations.json'), 'utf8'));
    const traffic = await openIntegrationTraffic(neighbours, {
      integrations: connection.integrations,
      company,
      random,
    });
    onTestFinished(traffic.close);

    await warmUp({ demo, client: partner.client });
    let kills = 0;
    const hasTime = timer(seconds);
    const clock = startRunClock(seconds * 1000, () => kills === 0 || hasTime());
    const memory = watchMemory(pid, clock);
    await Promise.all(
      [
        ...mixedTraffic({ demo, client: partner.client }),
        steady(200, traffic.report),
        steady(500, traffic.install),
        steady(killEveryMs, async () => void (killConsumer(pid, random) && kills++)),
      ].map((play) => play(clock)),
    ).finally(clock.stop);
    const used = memory.stop();

    await eventually(() => expectEmptyQueues(connection), 1000);
    await expectAllStored(connection, traffic, company);
    const outcomes = outcomesByEvent(directory);
    expect(traffic.eventIds.filter((id) => !outcomes.has(id))).toEqual([]);
    const twice = [...outcomes].filter(([, each]) => each.filter((outcome) => outcome === 'applied').length > 1);
    expect(twice).toEqual([]);
    for (const { method: _, body, ...change } of partner.changes.values())
      await eventually(async () => {
        const answer = await client.send(change);
        expect(JSON.parse(answer.body)).toMatchObject({ state: 'confirmed', ...JSON.parse(body ?? '') });
      });

    const figures = [
      `at most ${seconds} s`,
      `${client.sent()} requests`,
      `${traffic.eventIds.length} events`,
      `${partner.changes.size} circuits changed`,
      `${kills} kills`,
    ];
    await annotate(`${figures.join(', ')}, 0 lost, 0 applied twice: ${JSON.stringify(partner.outcomes)}`);
    await annotate(`MB per process, second third and last: ${JSON.stringify(used)}`);
    expect(partner.unexpected.slice(0, 20), errorLinesIn(directory)).toEqual([]);
    expect(partner.changes.size).toBeGreaterThan(0);
    expect(kills, errorLinesIn(directory)).toBeGreaterThanOrEqual(leastKills);
    expectFlatMemory(used);
  },
);

type PartnerRequest = Parameters<Client['send']>[0];

/** A client that checks every answer against the API document, and remembers the accepted change of each circuit. */
const openPartner = (client: Client) => {
  const outcomes: Record<string, number> = {};
  const unexpected: string[] = [];
  const changes = new Map<string, PartnerRequest>();
  const send = async (request: PartnerRequest) => {
    const { method = 'GET', path } = request;
    const answer = await client.send(request);
    const { status, headers } = answer;
    // A change for an offline gateway stays pending.
    if (method === 'PATCH' && status === 202 && !path.includes(offline)) changes.set(path, request);
    try {
      const body = answer.body ? JSON.parse(answer.body) : undefined;
      const outcome = status < 400 ? String(status) : body.code;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      expect(status).toBeLessThan(500);
      expectDocumentedAt(method, path, { status, headers, body });
    } catch (error) {
      const { message, actual } = error as Error & { actual?: unknown };
      unexpected.push(`${method} ${path}: ${status} ${message} ${JSON.stringify(actual)}`);
    }
    return answer;
  };
  return { client: { ...client, send }, outcomes, unexpected, changes };
};

/** No queue has waiting, delayed or in-flight messages, and no message was given up. */
const expectEmptyQueues = async ({ integrations }: Connection): Promise<void> => {
  const queues = [...queueNames, ...queuesWithDeadLetters.map((name) => `${name}/deadLetters` as const)] as const;
  const others = ['undelivered', 'relayFailures'] as const;
  const depths = await Promise.all(
    [...queues, ...others].map(async (name) => [name, await readDepth(integrations, name)] as const),
  );
  expect(depths.filter(([, { waiting, delayed, inFlight }]) => waiting + delayed + inFlight > 0)).toEqual([]);
};

/** Expects the state that the last events reported, and exactly one audit row for every applied change of a grant. */
const expectAllStored = async (
  { store }: Connection,
  { temperatures, grants }: IntegrationTraffic,
  parties: Parties,
) => {
  for (const gatewayId of gatewayIds) {
    const circuit = await readStored(store, circuitItemKey(gatewayId, 'heating', 'hc1'));
    // A short run may have sent no event about a gateway.
    expect(circuit?.reported ?? {}).toEqual(
      temperatures.has(gatewayId)
        ? expect.objectContaining({ roomTemperatureCelsius: temperatures.get(gatewayId) })
        : {},
    );
    const { grantedAtMs, ownerGrantedAtMs } = await readGrantTimes(store, parties, gatewayId);
    const isGranted = grants.get(gatewayId) ?? false;
    expect([gatewayId, grantedAtMs !== undefined, ownerGrantedAtMs !== undefined]).toEqual([
      gatewayId,
      isGranted,
      isGranted,
    ]);
  }
  const rows = await readAudit(store, parties.companyId);
  const ids = rows.filter(({ operation }) => String(operation).startsWith('portal.')).map(({ requestId }) => requestId);
  expect(ids.length).toBe(new Set(ids).size);
};

/** Returns the logged outcomes of each event, one per completed handling; a killed consumer logs none. */
const outcomesByEvent = (directory: string): Map<string, string[]> => {
  const outcomes = new Map<string, string[]>();
  for (const consumer of ['takePortalEvents', 'takeGatewayReports']) {
    const lines = readFileSync(join(directory, 'logs', `PartnerApi-local-${consumer}.log`), 'utf8').split('\n');
    for (const line of lines.filter((each) => each.startsWith('{'))) {
      const { eventId = '', eventIds = [eventId], outcome } = readLine(line);
      if (outcome !== undefined && doneOutcomes.some((each) => each === outcome))
        for (const id of eventIds) outcomes.set(id, [...(outcomes.get(id) ?? []), outcome]);
    }
  }
  return outcomes;
};

/** A killed process may leave an incomplete line. */
const readLine = (line: string): { eventId?: string; eventIds?: readonly string[]; outcome?: string } => {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
};
