import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { clientConfigOf } from 'serve-stack/dynamodb';
import { expect, onTestFinished } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { readAllPages } from '../../../lambdas/data/store/reads.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { createSimulatedAppliance } from '../../../lambdas/sandbox/appliances/simulated-appliance.ts';
import type { Client } from '../../../local/dashboard-preview/partner-requests.ts';
import { connectToQueues } from '../../../local/demo/appliances/backend-queues.ts';
import { startSimulation } from '../../../local/demo/appliances/simulation.ts';
import { companyIn, demoAppliances } from '../../../local/demo/demo-world.ts';
import { campaign, playRounds, provenTest } from '../../../test/support/campaign.ts';
import { below, randomNumbers } from '../../../test/support/random.ts';
import { eventually } from '../../../test/support/time.ts';
import { mostIn, openPartner, type Partner } from './partners.ts';
import { openRegions, type Region } from './regions.ts';
import { type ReplicatedTable, type Side, startReplication } from './replication.ts';

provenTest(
  'after a region loss: no loss beyond the lag, no key comes back, one more burst, readers are told',
  campaign,
  async (context) => {
    const random = randomNumbers();
    const { regions, world, tables, endpoint } = await openRegions(onTestFinished);
    let lagMs = 500;
    const replication = startReplication(endpoint, tables, { lagMs: () => lagMs, random });
    onTestFinished(replication.stop);
    const partner = openPartner(companyIn({ ...regions[0].served, companies: world.companies }, 'acme'), random);
    const appliances = demoAppliances(loadStageConfig('local'));
    const simulated = world.appliances.flatMap((state) => {
      const appliance = appliances.find(({ gatewayId }) => gatewayId === state.gatewayId);
      return appliance ? [createSimulatedAppliance(appliance, state)] : [];
    });
    const startBackend = ({ neighbours }: Region) => {
      const { region, gatewayBackend } = neighbours();
      const queues = connectToQueues({ region, ...gatewayBackend });
      return startSimulation({ appliances: simulated, queues, print: () => undefined });
    };
    await replication.settle();

    let serving: Side = 0;
    let backend = startBackend(regions[serving]);
    const seen = { changes: 0, revocations: 0, held: 0 };
    let lostMs = 0;
    const takeoversAtMs: number[] = [];
    /** The periods whose answers may be lost with a region. */
    const uncertain: { readonly fromMs: number; toMs: number }[] = [];
    const isCertain = (atMs: number) => !uncertain.some(({ fromMs, toMs }) => atMs > fromMs && atMs < toMs);
    const rounds = await playRounds(context, { test: 1, seconds: 60, full: 40 }, async (_, index) => {
      const [from, to] = [regions[serving], regions[1 - serving] as Region];
      const { client } = to;
      lagMs = 100 + below(random, 1500);
      const before = new AbortController();
      const playing = partner.play(from.client, before).catch(() => undefined);
      await wait(2000 + below(random, 4000));
      // On a slow machine no feed may have been read yet, and only a partner with a cursor learns that it has expired.
      await eventually(() => expect(partner.feed().cursor).toBeDefined());

      // The region is lost: it reaches no tables, and no client reaches it.
      before.abort();
      from.served.injectStoreFault({ kind: 'down' });
      from.served.pauseMappings(true);
      const { atMs, held } = await replication.lose(serving);
      await Promise.all([playing, backend.stop()]);
      const safeMs = atMs - lagMs;
      const stretch = { fromMs: safeMs, toMs: Number.POSITIVE_INFINITY };
      uncertain.push(stretch);

      // The plan of docs/region-loss.md.
      to.configure({ isStandby: false, takeovers: index + 1 });
      await expectOk(to, ['region', 'take-over']);
      await expectOk(to, ['restore', 'reconcile', '--to', toTimestamp(Math.floor(atMs / 1000) * 1000 - 60_000)]);
      await to.deploy();
      backend = startBackend(to);

      await expectChangesKept(partner, client, isCertain);
      await expectKeysKept(partner, client, isCertain);
      const isCounted = (answeredMs = 0) => answeredMs > lostMs && answeredMs <= safeMs;
      seen.changes += [...partner.changes.values()].flat().filter((change) => isCounted(change.atMs)).length;
      seen.revocations += partner.keys.filter(({ revokedAtMs }) => isCounted(revokedAtMs)).length;
      lostMs = atMs;
      takeoversAtMs.push(atMs);
      seen.held += held;
      const { expiredCursors } = partner.feed();
      stretch.toMs = Date.now();
      const after = new AbortController();
      const playingOn = partner.play(client, after);
      await eventually(() => expect(partner.feed().expiredCursors).toBe(expiredCursors + 1));
      const { events } = partner.feed();
      await eventually(() => expect(partner.feed().events).toBeGreaterThan(events));

      // The region returns as a standby, with the writes that it had kept.
      from.configure({ isStandby: true });
      await from.deploy();
      from.served.injectStoreFault(undefined);
      const relayed = await from.countRelayed();
      await replication.giveBack(serving);
      after.abort();
      await playingOn;
      await expectConfirmed(partner, client, isCertain);
      // Appliances report all the time, and the comparison needs both regions to stand still.
      backend.pause(true);
      await eventually(async () => {
        await replication.settle();
        await expectSame(endpoint, tables);
      });
      backend.pause(false);
      expect(await from.countRelayed()).toBe(relayed);
      await expectKeysKept(partner, client, isCertain);
      expect((await from.client.send({ path: '/contract', sourceIp: '127.0.0.1' })).status).toBe(429);
      serving = (1 - serving) as Side;
    });
    await backend.stop();
    expectLimitKept(partner, takeoversAtMs);
    await context.annotate(
      `${rounds} take-overs, ${seen.changes} changes and ${seen.revocations} revocations answered more than the lag before: 0 lost; ${seen.held} younger writes came late`,
    );
  },
);

const expectOk = async (region: Region, argv: readonly string[]) => {
  const { exit, stderr } = await region.operate(argv);
  expect(exit, stderr).toBe('ok');
};

/** Returns the setpoints of the last certain change and of later ones; undefined if no change is certain. */
const expectedSetpoints = (partner: Partner, path: string, isCertain: (atMs: number) => boolean) => {
  const changes = partner.changes.get(path) ?? [];
  const last = changes.findLastIndex(({ atMs }) => isCertain(atMs));
  return last < 0 ? undefined : changes.slice(last).map(({ setpoint }) => setpoint);
};

/** Each circuit has the setpoint of the last certain change or of a later one. */
const expectChangesKept = async (partner: Partner, client: Client, isCertain: (atMs: number) => boolean) => {
  for (const path of partner.circuits) {
    const expected = expectedSetpoints(partner, path, isCertain);
    if (!expected) continue;
    const { status, body } = await partner.readCircuit(client, path);
    expect(status, body).toBe(200);
    expect(expected, path).toContain(JSON.parse(body).roomSetpointCelsius);
  }
};

/**
 * The appliances confirm the changes in the serving region. Changes that were lost with the other region are sent to no
 * appliance.
 */
const expectConfirmed = async (partner: Partner, client: Client, isCertain: (atMs: number) => boolean) => {
  for (const path of partner.circuits)
    await eventually(async () => {
      const { body } = await partner.readCircuit(client, path);
      expect(JSON.parse(body)).toMatchObject({ state: 'confirmed' });
      const expected = expectedSetpoints(partner, path, isCertain);
      if (expected) expect(expected, path).toContain(JSON.parse(body).roomSetpointCelsius);
    }, 500);
};

/** A key whose creation is certain is valid, and a key whose deletion is certain is not. */
const expectKeysKept = async (partner: Partner, client: Client, isCertain: (atMs: number) => boolean) => {
  for (const { keyId, apiKey, atMs, revokedAtMs } of partner.keys) {
    const status = await partner.statusOf(client, apiKey);
    if (revokedAtMs !== undefined && isCertain(revokedAtMs)) expect([keyId, status]).toEqual([keyId, 401]);
    else if (revokedAtMs === undefined && isCertain(atMs)) expect([200, 429], keyId).toContain(status);
  }
};

/** In no period does the limit admit more than allowed, plus one burst for each take-over in the period. */
const expectLimitKept = ({ admitted }: Partner, takeoversAtMs: readonly number[]) => {
  const within = (from: number, to: number) => takeoversAtMs.filter((atMs) => atMs >= from && atMs <= to).length;
  const exceeded = admitted.flatMap((first, index) =>
    admitted.slice(index).flatMap(({ answeredMs }, count) => {
      const most = mostIn(answeredMs - first.sentMs, 1 + within(first.sentMs, answeredMs));
      return count + 1 > most ? [{ admitted: count + 1, most, ms: answeredMs - first.sentMs }] : [];
    }),
  );
  expect(admitted.length).toBeGreaterThan(0);
  expect(exceeded).toEqual([]);
};

/** Both regions hold the same items. */
const expectSame = async (endpoint: string, tables: readonly ReplicatedTable[]) => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(clientConfigOf(endpoint)));
  const read = async (TableName: string) => {
    const items = await readAllPages((after) =>
      client.send(new ScanCommand({ TableName, ConsistentRead: true, ExclusiveStartKey: after })),
    );
    return items
      .filter((item) => item.markedAtMs === undefined)
      .map(textOf)
      .toSorted();
  };
  for (const {
    names: [one, other],
  } of tables)
    expect(await read(one), other).toEqual(await read(other));
  client.destroy();
};

/** Returns equal texts for values that differ only in the order of their properties. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part) ? Object.entries(part).toSorted() : part,
  );
