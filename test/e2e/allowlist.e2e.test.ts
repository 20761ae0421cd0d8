import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from 'serve-stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import type { Allowlist, StageConfig } from '../../config/schema.ts';
import { type Bundles, bundleHandlers } from '../../infra/functions/bundle.ts';
import { connectToLocalRun } from '../../operator/connection/local.ts';
import { appWith } from '../infra/synthesized.ts';
import { proven, size } from '../support/campaign.ts';
import { expectProblem } from '../support/contract.ts';
import { operate, temporaryDirectory } from '../support/operator.ts';
import { companyOf, openService, type Service } from '../support/service.ts';

const local = loadStageConfig('local');
const companies = local.companies.filter(({ userId }) => userId !== undefined);

/** The configuration of the local stage, with one company more. */
const configFor = (...allowedCidrs: string[]): StageConfig => ({
  ...local,
  companies: [...companies, { companyId: 'newcomer', name: 'Newcomer', allowedCidrs }],
});
const [first, moved] = [configFor('127.0.0.9/32'), configFor('127.0.0.10/32')];

let bundles: Bundles;
let service: Service;
beforeAll(async () => {
  if (!size({ test: false, prove: true })) return;
  ({ bundles } = await bundleHandlers(temporaryDirectory()));
  service = await openService({ assembly: await deploymentWith('waf') });
});
afterAll(() => service?.close());

const deployments = new Map<Allowlist, string>();

/** Synthesizes the local stage with this kind of allowlist; returns the directory of the assembly. */
const deploymentWith = async (allowlist: Allowlist): Promise<string> => {
  const synthesized = deployments.get(allowlist);
  if (synthesized) return synthesized;
  const { directory } = (await appWith({ ...moved, allowlist }, { stage: 'local', bundles })).synth();
  deployments.set(allowlist, directory);
  return directory;
};

const deploy = async (allowlist: Allowlist): Promise<void> => service.local.swapStack(await deploymentWith(allowlist));

const directory = temporaryDirectory();

/** Runs a command of the operator's program with the given configuration. */
const operateWith = (config: StageConfig, ...commandLine: string[]) => {
  const { directory: run, local: served } = service;
  return operate(commandLine, { store: served.store, config, directory, connect: () => connectToLocalRun(run) });
};

const because = ['--reason', 'ticket 9'];

test(
  'with AWS WAF, a company is onboarded, moved and refused without a deployment; a repeat does nothing',
  proven,
  async () => {
    const refusals: Exchange[] = [];
    service.local.served.telemetry.on('exchange', (exchange) => {
      if (exchange.answered?.status === 403) refusals.push(exchange);
    });
    const ask = (sourceIp: string, apiKey?: string) =>
      service.send({ path: '/api-keys/me', sourceIp, ...(apiKey && { apiKey }) });
    expect((await ask('127.0.0.1', companyOf(service, 'acme').apiKey)).status).toBe(200);
    expectProblem(await ask('127.0.0.9'), ['source-address-not-allowed']);

    const onboarded = await operateWith(first, 'company', 'onboard', 'newcomer', ...because);
    expect(onboarded.exit, onboarded.stderr).toBe('ok');
    const apiKey = readFileSync(join(directory, 'newcomer.local.key'), 'utf8').trim();
    expect((await ask('127.0.0.9', apiKey)).status).toBe(200);

    const synced = await operateWith(moved, 'company', 'sync', 'newcomer', ...because);
    expect(synced.exit, synced.stderr).toBe('ok');
    expectProblem(await ask('127.0.0.9', apiKey), ['source-address-not-allowed']);
    expect((await ask('127.0.0.10', apiKey)).status).toBe(200);

    await deploy('waf');
    expect((await ask('127.0.0.10', apiKey)).status).toBe(200);
    expectProblem(await ask('127.0.0.9', apiKey), ['source-address-not-allowed']);
    // No function receives these requests, so they do not count as served in the alarms on few requests and on the canary.
    expect(refusals.map(({ error, integration }) => [error?.type, integration])).toEqual(
      refusals.map(() => ['WAF_FILTERED', undefined]),
    );
    expect(refusals).toHaveLength(3);
  },
);

test('the migration from AWS WAF and back rejects no partner and admits no stranger', proven, async () => {
  const { apiKey } = companyOf(service, 'acme');
  const statuses = { partner: new Set<number>(), stranger: new Set<number>() };
  let isOver = false;
  const probe = async (who: keyof typeof statuses, sourceIp: string) => {
    while (!isOver) statuses[who].add((await service.send({ path: '/contract', apiKey, sourceIp })).status);
  };
  const probing = Promise.all([probe('partner', '127.0.0.1'), probe('stranger', '127.0.0.3')]);
  const check = () => operateWith(moved, 'company', 'sync', '--check');

  await deploy('policy');
  expect((await check()).exit).toBe('ok');
  await deploy('prepare-waf');
  expect((await check()).stdout).toContain('the IP sets do not have');
  expect((await operateWith(moved, 'company', 'sync', ...because)).exit).toBe('ok');
  expect((await check()).exit).toBe('ok');
  await deploy('waf');
  expect((await check()).exit).toBe('ok');
  isOver = true;
  await probing;
  // The partner may also reach its own rate limit.
  expect([...statuses.partner].filter((status) => status !== 429)).toEqual([200]);
  expect([...statuses.stranger]).toEqual([403]);
});
