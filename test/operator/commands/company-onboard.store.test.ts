import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Company } from '../../../config/company.ts';
import { loadStageConfig } from '../../../config/load.ts';
import type { StageConfig } from '../../../config/schema.ts';
import { listApiKeys, readTakenSlots } from '../../../lambdas/data/api-keys/api-keys.ts';
import { findCompany } from '../../../lambdas/data/contracts/companies.ts';
import { findContract, unopenedContract } from '../../../lambdas/data/contracts/contracts.ts';
import { maxGrantsAtOnce } from '../../../lambdas/data/contracts/grants.ts';
import { generateKey, isSameKey, parseKey } from '../../../lambdas/domain/api-key.ts';
import { noConsent } from '../../../lambdas/domain/consent.ts';
import { openedByOperator } from '../../../lambdas/domain/contract.ts';
import { call } from '../../support/call.ts';
import { campaign, proven, size } from '../../support/campaign.ts';
import { type OperatorOptions, operate, operateForJson, temporaryDirectory } from '../../support/operator.ts';
import { killedAt, overtakenBy, readAudit } from '../../support/store.ts';
import { openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

let companies = 0;

/** A company of the configuration that is not onboarded yet. */
const configure = (gatewayCount: number) => {
  const companyId = `new${process.pid}x${companies++}`;
  const company = {
    companyId,
    name: 'A new company',
    userId: `owner-of-${companyId}`,
    allowedCidrs: ['127.0.0.1/32'],
    webhookHosts: ['hooks.acme.test'],
    gatewayIds: Array.from({ length: gatewayCount }, (_, index) => `gw-${companyId}-${1000 + index}`),
  } satisfies Company;
  const config: StageConfig = { ...loadStageConfig('local'), companies: [company] };
  const directory = temporaryDirectory();
  const options: OperatorOptions = { ...world, config, directory };
  return { ...company, directory, options, file: join(directory, `${companyId}.local.key`) };
};

type Configured = ReturnType<typeof configure>;

const commandFor = ({ companyId }: Configured) => ['company', 'onboard', companyId, '--reason', 'contract 42 signed'];

/** Expects the complete company, once, and nothing else. */
const expectWhole = async (configured: Configured) => {
  const { companyId, name, userId, allowedCidrs, webhookHosts, gatewayIds, file } = configured;
  const apiKey = readFileSync(file, 'utf8').trim();
  const presented = parseKey(apiKey);
  const company = { companyId, name, state: 'active', allowedCidrs, webhookHosts };
  expect(await findCompany(world.store, companyId)).toEqual(company);
  expect(await findContract(world.store, partiesOf(companyId))).toEqual({
    companyId,
    userId,
    ...openedByOperator(unopenedContract({ companyId, userId }), startMs),
    gateways: Object.fromEntries(gatewayIds.map((gatewayId) => [gatewayId, expect.anything()])),
    ...noConsent,
    erasedAtMs: null,
    removeAt: null,
  });
  const { keys } = await listApiKeys(world.store, companyId, 100);
  expect(keys.length).toBe(1);
  expect(presented && isSameKey(presented, keys[0])).toBe(true);
  const slots = await readTakenSlots(world.store, companyId, startMs);
  expect(slots.map(({ keyId }) => keyId)).toEqual([presented?.keyId]);
  const onRecord = (await readAudit(world.store, companyId)).map((row) => row.keyId ?? row.gatewayId ?? row.userId);
  expect(onRecord.toSorted()).toEqual([presented?.keyId, userId, ...gatewayIds].toSorted());
  expect((await call('getContract', { apiKey })).body).toMatchObject({ companyId, userId });
};

test.each([
  ['no gateway', 0, 2],
  ['as many gateways as fit into a transaction', maxGrantsAtOnce, 3],
  ['one more', maxGrantsAtOnce + 1, 4],
])(
  '%s creates the complete company; repeated, it changes nothing and shows where the key is',
  async (_, gatewayCount, count) => {
    const company = configure(gatewayCount);
    world.proxy.begin();
    const { exit, output } = await operateForJson(commandFor(company), company.options);
    expect(exit).toBe('ok');
    expect(output).toMatchObject({ outcome: 'changed', keyFile: company.file, expiresAt: '2036-09-10T12:00:00Z' });
    expect(world.proxy.exchanges.filter(({ action }) => action === 'TransactWriteItems').length).toBe(count);
    expect(statSync(company.file).mode & 0o777).toBe(0o600);
    const again = await operateForJson(commandFor(company), company.options);
    expect([again.exit, again.output.outcome, again.output.keyFile]).toEqual(['ok', 'unchanged', company.file]);
    await expectWhole(company);
  },
);

describe('if the process is killed and the command is run again', () => {
  test.each(size({ test: [3], prove: [3, 60] }))(
    'before every store call and after every write, with %i gateways: the result is the same',
    campaign,
    async (gateways) => {
      const counted = configure(gateways);
      const counter = killedAt(world.store, Number.POSITIVE_INFINITY, true);
      await operate(commandFor(counted), { ...counted.options, store: counter });
      expect(counter.calls.length).toBeGreaterThanOrEqual(4);
      for (const [ordinal, name] of counter.calls.entries())
        for (const isCallMade of name === 'TransactWriteCommand' ? [false, true] : [false]) {
          const company = configure(gateways);
          const killed = killedAt(world.store, ordinal, isCallMade);
          expect((await operate(commandFor(company), { ...company.options, store: killed })).exit).toBe('error');
          const { exit, output } = await operateForJson(commandFor(company), company.options);
          expect([exit, output.keyFile]).toEqual(['ok', company.file]);
          await expectWhole(company);
        }
    },
  );

  test('between creating the file and writing to it', async () => {
    const company = configure(1);
    writeFileSync(company.file, '', { mode: 0o600 });
    expect((await operate(commandFor(company), company.options)).exit).toBe('ok');
    await expectWhole(company);
  });
});

test(
  'of two operators who onboard one company concurrently, one succeeds, and the other keeps no key',
  proven,
  async () => {
    for (let round = 0; round < 10; round++) {
      const company = configure(round % 2 === 0 ? 3 : 30);
      const directories = [company.directory, temporaryDirectory()];
      const runs = await Promise.all(
        directories.map((directory) => operate(commandFor(company), { ...company.options, directory })),
      );
      expect(runs.map(({ exit }) => exit).toSorted(), runs.map(({ stderr }) => stderr).join()).toEqual([
        'conflict',
        'ok',
      ]);
      const files = directories.flatMap((directory) => readdirSync(directory).map((file) => join(directory, file)));
      expect(files.length).toBe(1);
      await expectWhole({ ...company, file: files[0] ?? '' });
    }
  },
);

test('an operator overtaken by one with another configuration changes nothing of the company', async () => {
  const company = configure(30);
  const [configured] = company.options.config?.companies ?? [];
  const other = { ...configured, gatewayIds: company.gatewayIds.map((id) => `${id}-other`) } as Company;
  const config = { ...company.options.config, companies: [other] } as StageConfig;
  const store = overtakenBy(world.store, () => operate(commandFor(company), company.options));
  const overtaken = { store, config, directory: temporaryDirectory() };
  expect((await operate(commandFor(company), overtaken)).exit).toBe('conflict');
  expect(readdirSync(overtaken.directory)).toEqual([]);
  await expectWhole(company);
});

test('a dry run shows the planned changes', async () => {
  const company = configure(3);
  const { output } = await operateForJson([...commandFor(company), '--dry-run'], company.options);
  expect([output.outcome, output.keyFile]).toEqual(['would-change', null]);
  expect(output.differences).toContainEqual({ what: 'gateways', before: null, after: company.gatewayIds.join(', ') });
});

describe('refusals', () => {
  test('a company that is not in the configuration', async () => {
    const company = configure(1);
    const { exit, stderr } = await operate(['company', 'onboard', 'stranger', '--reason', 'x'], company.options);
    expect(exit).toBe('not-found');
    expect(stderr).toContain('is not in config/local.json');
  });

  test('a company that was onboarded with another key', async () => {
    const company = configure(1);
    await operate(commandFor(company), company.options);
    rmSync(company.file);
    const { exit, stderr } = await operate(commandFor(company), company.options);
    expect(exit).toBe('conflict');
    expect(stderr).toContain(`key issue ${company.companyId}`);
    expect(existsSync(company.file)).toBe(false);
  });

  test.each([
    ['another company’s key', generateKey('globex', startMs).apiKey, 0o600, 'holds a key of globex'],
    ['something else', 'notes', 0o600, 'holds no API key'],
    ['a key that others can read', undefined, 0o644, 'others on this machine can read'],
  ])('a file with %s', async (_, content, mode, expected) => {
    const company = configure(1);
    writeFileSync(company.file, content ?? generateKey(company.companyId, startMs).apiKey, { mode });
    const { exit, stderr } = await operate(commandFor(company), company.options);
    expect([exit, stderr]).toEqual(['refused', expect.stringContaining(expected)]);
    expect(await findContract(world.store, partiesOf(company.companyId))).toBeUndefined();
  });
});

test('--show-key shows the key once on the terminal, and keeps no file', async () => {
  const company = configure(1);
  const shown = await operate([...commandFor(company), '--show-key'], { ...company.options, isTerminal: true });
  const [apiKey = ''] = /xHCSAPI_\S+/.exec(shown.stderr) ?? [];
  expect(shown.stderr.split(apiKey).length).toBe(2);
  expect(shown.stdout).not.toContain('xHCSAPI_');
  expect(readdirSync(company.directory)).toEqual([]);
  expect((await call('getContract', { apiKey })).status).toBe(200);

  const next = configure(1);
  const refused = await operate([...commandFor(next), '--show-key'], next.options);
  expect([refused.exit, refused.stderr]).toEqual(['usage', expect.stringContaining('needs a terminal')]);
});
