import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { loadStageConfig } from '../../config/load.ts';
import { ratePolicies } from '../../lambdas/api/limits.ts';
import { circuitItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { type FeedStart, readFeed } from '../../lambdas/data/feed/read.ts';
import { isWhole, type StoredEvent } from '../../lambdas/domain/feed-event.ts';
import { connectNeighbours } from '../../local/connections.ts';
import { type Client, createClient, requestOf } from '../../local/dashboard-preview/partner-requests.ts';
import { type BackendQueues, connectToQueues } from '../../local/demo/appliances/backend-queues.ts';
import { companyIn, type DemoCompany } from '../../local/demo/demo-world.ts';
import { type LocalService, startLocalService } from '../../local/service.ts';
import { gatewayReport } from '../../simulator/gateway-report.ts';
import { median, quantile } from './store.ts';

const samples = 20;
/** The first calls start the processes of the functions. */
const warmUps = 4;

type Scene = {
  readonly service: LocalService;
  readonly queues: BackendQueues;
  readonly client: Client;
  readonly company: DemoCompany;
};
type Place = { readonly gatewayId: string; readonly circuitId: string };

/**
 * Measures latencies over the queues of the local run: from a report until a partner reads it, from a change until it is sent.
 */
export const measureIntegrations = async (): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'integrations-'));
  const service = await startLocalService({ port: 0, directory, isWithoutBackend: true });
  const { region, gatewayBackend } = connectNeighbours(service.served, loadStageConfig('local'));
  const queues = connectToQueues({ region, ...gatewayBackend });
  const client = createClient(service.demo);
  const scene = { service, queues, client, company: companyIn(service.demo, 'acme') };

  const reportedMs = await inTurn(scene, timeReport);
  const changedMs = await inTurn(scene, timeChange);
  const eventMs = await inTurn(scene, timeEvent);
  client.close();
  queues.close();
  await service.close();
  rmSync(directory, { recursive: true });

  console.log(
    `The queues of the local run, ${samples} messages of each kind, one after the other (budget 1000 ms, to the feed 2000 ms)`,
  );
  print('report sent -> GET shows it', reportedMs);
  print('202 -> message on the queue', changedMs);
  print('202 -> event in the feed', eventMs);
  console.log('');
};

const print = (name: string, durationsMs: readonly number[]): void => {
  const [p50, p90, longest] = [median(durationsMs), quantile(durationsMs, 0.9), Math.max(...durationsMs)].map((value) =>
    value.toFixed(0),
  );
  console.log(`  ${name.padEnd(39)} median ${p50} ms, p90 ${p90} ms, longest ${longest} ms`);
};

/** Takes the heating circuits in turn, since each has its own rate limits. */
const inTurn = async (
  scene: Scene,
  time: (scene: Scene, place: Place, sample: number) => Promise<number>,
): Promise<number[]> => {
  const places = scene.company.gateways.flatMap(({ gatewayId, heatingCircuits }) =>
    heatingCircuits.map(({ circuitId }) => ({ gatewayId, circuitId })),
  );
  const durationsMs: number[] = [];
  for (let sample = 0; sample < warmUps + samples; sample++) {
    durationsMs.push(await time(scene, places[sample % places.length] as Place, sample));
    await wait(ratePolicies.gateway.refillIntervalMs / places.length);
  }
  return durationsMs.slice(warmUps);
};

/** Polls the store until it has the report, since a partner's rate limit is too low, and then reads it once as a partner. */
const timeReport = async ({ service, queues, client, company }: Scene, place: Place, sample: number) => {
  const { gatewayId, circuitId } = place;
  const roomTemperatureCelsius = 15 + sample / 10;
  const settings = { operationMode: 'auto', roomSetpointCelsius: 21, activeTimeProgramId: '1' } as const;
  const reported = { ...settings, roomTemperatureCelsius, supplyTemperatureCelsius: 38 };
  const startedAt = performance.now();
  await queues.send([
    gatewayReport('circuit.reported.v1', gatewayId, { family: 'heating', circuitId, reported }, Date.now()),
  ]);
  const read = new GetCommand({
    TableName: service.store.tableName('Appliances'),
    Key: circuitItemKey(gatewayId, 'heating', circuitId),
    ConsistentRead: true,
  });
  while ((await service.store.send(read)).Item?.reported.roomTemperatureCelsius !== roomTemperatureCelsius)
    await wait(5);
  const { status, body } = await client.send(requestOf(company, pathOf(place)));
  const durationMs = performance.now() - startedAt;
  if (status !== 200 || JSON.parse(body).roomTemperatureCelsius !== roomTemperatureCelsius)
    throw new Error(`The report of ${roomTemperatureCelsius} degrees does not show: ${status} ${body}`);
  return durationMs;
};

const timeChange = async ({ queues, client, company }: Scene, place: Place, sample: number) => {
  const body = { roomSetpointCelsius: 15 + sample / 2 };
  const answer = await client.send(requestOf(company, pathOf(place), { method: 'PATCH', body }));
  const acceptedAt = performance.now();
  if (answer.status !== 202) throw new Error(`The change was answered with ${answer.status}: ${answer.body}`);
  const { version } = JSON.parse(answer.body);
  for (;;) {
    const { changes, done } = await queues.receive(AbortSignal.timeout(60_000));
    const durationMs = performance.now() - acceptedAt;
    await done();
    const isIt = ({ subject, data }: (typeof changes)[number]) =>
      subject === place.gatewayId &&
      'circuitId' in data.item &&
      data.item.circuitId === place.circuitId &&
      data.version === version;
    if (changes.some(isIt)) return durationMs;
  }
};

/** Polls the store until it has the event, since a partner's rate limit is too low. */
const timeEvent = async ({ service, client, company }: Scene, place: Place, sample: number) => {
  const read = (start: FeedStart) => readFeed(service.store, company.companyId, { start, limit: 100 }, Date.now());
  const { next } = pageIn(await read('latest'));
  const body = { roomSetpointCelsius: 29 - sample / 2 };
  const answer = await client.send(requestOf(company, pathOf(place), { method: 'PATCH', body }));
  const acceptedAt = performance.now();
  if (answer.status !== 202) throw new Error(`The change was answered with ${answer.status}: ${answer.body}`);
  const { version } = JSON.parse(answer.body);
  const isIt = (event: StoredEvent) =>
    isWhole(event) &&
    event.resource === pathOf(place) &&
    (event.data as { readonly version?: number }).version === version;
  while (!pageIn(await read(next)).events.some(isIt)) await wait(5);
  return performance.now() - acceptedAt;
};

const pageIn = (page: Awaited<ReturnType<typeof readFeed>>) => {
  if (page.outcome !== 'page') throw new Error('The cursor has expired.');
  return page;
};

const pathOf = ({ gatewayId, circuitId }: Place): string => `/hvacs/${gatewayId}/heatingCircuits/${circuitId}`;
