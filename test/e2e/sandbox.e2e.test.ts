import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import type { StageConfig } from '../../config/schema.ts';
import { connectToLocalRun } from '../../operator/connection/local.ts';
import { proven, size } from '../support/campaign.ts';
import { openStage } from '../support/open-stage.ts';
import { operateForJson, temporaryDirectory } from '../support/operator.ts';
import type { Service } from '../support/service.ts';

const { neighbours: _, ...local } = loadStageConfig('local');
const config: StageConfig = {
  ...local,
  allowlist: 'waf',
  registrations: 'store',
  companies: [],
  simulatedHomes: 2,
};

let service: Service;
beforeAll(async () => {
  if (!size({ test: false, prove: true })) return;
  service = await openStage(config);
});
afterAll(() => service?.close());

const directory = temporaryDirectory();

/** Runs the operator's program on the running sandbox. */
const operate = (...commandLine: string[]) =>
  operateForJson([...commandLine, '--reason', 'a partner tries the API'], {
    store: service.local.store,
    config,
    directory,
    nowMs: Date.now(),
    connect: () => connectToLocalRun(service.directory),
  });

const gatewayId = 'sim-acme-1';

/** Sends a request of the company for the owner of its first home, and again after a 429. */
const request = async (apiKey: string, method: string, path: string, body?: object) => {
  for (;;) {
    const answer = await service.send({
      method,
      path: `/hvacs/${gatewayId}${path}`,
      apiKey,
      rawHeaders: ['x-user-id', 'sim-owner-acme-1', ...(body ? ['content-type', 'application/json'] : [])],
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.status !== 429) return answer;
    await wait(Number(answer.headers['retry-after']) * 1000);
  }
};

/** Repeats a GET until its body is as expected; the time-out of the test ends a test that waits in vain. */
const until = async (
  apiKey: string,
  path: string,
  isExpected: (answer: Awaited<ReturnType<typeof request>>) => boolean,
) => {
  for (;;) {
    const answer = await request(apiKey, 'GET', path);
    if (isExpected(answer)) return answer;
    await wait(1000);
  }
};

test('a company of a sandbox reads its simulated homes, and they fulfil its changes', proven, async () => {
  const registration = join(directory, 'acme.json');
  writeFileSync(registration, JSON.stringify({ companyId: 'acme', name: 'Acme', allowedCidrs: ['127.0.0.1/32'] }));
  const { output } = await operate('company', 'onboard', 'acme', '--registration', registration);
  const apiKey = readFileSync(output.keyFile, 'utf8').trim();
  await service.runSchedules();

  const isDone = ({ status }: { readonly status: number }) => status === 200;
  await until(apiKey, '/heatingCircuits/hc1', isDone);

  const requested = await request(apiKey, 'PATCH', '/heatingCircuits/hc1', { roomSetpointCelsius: 18.5 });
  expect(requested).toMatchObject({ status: 202, body: { state: 'pending' } });
  const confirmed = await until(apiKey, '/heatingCircuits/hc1', ({ body }) => body.state === 'confirmed');
  expect(confirmed.body).toMatchObject({ roomSetpointCelsius: 18.5 });

  expect(await operate('sandbox', 'control', 'offline', gatewayId)).toMatchObject({ exit: 'ok' });
  await until(apiKey, '', ({ body }) => body.connectivity === 'offline');
  await request(apiKey, 'PATCH', '/heatingCircuits/hc1', { roomSetpointCelsius: 22 });
  expect(await operate('sandbox', 'control', 'online', gatewayId)).toMatchObject({ exit: 'ok' });
  await until(
    apiKey,
    '/heatingCircuits/hc1',
    ({ body }) => body.roomSetpointCelsius === 22 && body.state === 'confirmed',
  );
});
