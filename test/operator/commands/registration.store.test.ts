import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Company } from '../../../config/company.ts';
import { loadStageConfig } from '../../../config/load.ts';
import { type StageConfig, stageConfig } from '../../../config/schema.ts';
import { policyOf } from '../../../infra/api/admission.ts';
import { maxWebhookHosts } from '../../../lambdas/api/limits.ts';
import { findCompany, putCompany } from '../../../lambdas/data/contracts/companies.ts';
import { defaultKeyOptions } from '../../../lambdas/domain/api-key.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { programName } from '../../../operator/cli/program.ts';
import { call } from '../../support/call.ts';
import { openIpSets } from '../../support/ip-sets.ts';
import { operate, operateForJson, operatorFault, temporaryDirectory } from '../../support/operator.ts';
import { readAudit } from '../../support/store.ts';
import { issueKey, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const inFile = loadStageConfig('local');
const inStore: StageConfig = { ...inFile, allowlist: 'waf', registrations: 'store', companies: [] };
const because = ['--reason', 'ticket 9'];

describe('a company that registers from a file', () => {
  const directory = temporaryDirectory();
  const registration = (companyId: string): Company => ({
    companyId,
    name: 'A new company',
    userId: `owner-of-${companyId}`,
    allowedCidrs: ['127.0.0.1/32'],
    gatewayIds: [`gw-of-${companyId}`],
  });

  const onboardFrom = (companyId: string, content: string | undefined, config = inStore) => {
    const file = join(directory, 'registration.json');
    if (content !== undefined) writeFileSync(file, content);
    const named = content === undefined ? [] : ['--registration', file];
    return operate(['company', 'onboard', companyId, ...named, ...because], { ...world, config, directory });
  };

  test('is onboarded like one in the configuration, without being in it', async () => {
    const { exit, stderr } = await onboardFrom('filed', JSON.stringify(registration('filed')));
    expect([exit, stderr]).toEqual(['ok', expect.any(String)]);
    const { output } = await operateForJson(['contract', 'show', 'filed'], { ...world, config: inStore });
    expect(output).toMatchObject({ userId: 'owner-of-filed', gatewayIds: ['gw-of-filed'] });
    expect(await readAudit(world.store, 'filed')).toContainEqual(
      expect.objectContaining({
        operation: 'company onboard',
        reason: 'ticket 9',
        after: expect.objectContaining({ name: 'A new company', allowedCidrs: ['127.0.0.1/32'] }),
      }),
    );
  });

  test.each([
    ['no file', undefined, 'Add --registration <file>'],
    ['no JSON', 'xHCSAPI_secret', 'is not JSON'],
    ['another company', JSON.stringify(registration('another')), 'registers another, not refused'],
    ['no block', JSON.stringify({ ...registration('refused'), allowedCidrs: ['192.0.2.1'] }), 'write 192.0.2.1/32'],
    ['no address', JSON.stringify({ ...registration('refused'), allowedCidrs: [] }), 'allowedCidrs is empty'],
  ])('is refused with the fault in the file: %s', async (_, content, sentence) => {
    const { exit, stderr } = await onboardFrom('refused', content);
    expect([exit, stderr]).toEqual(['usage', expect.stringContaining(sentence)]);
    expect(stderr).not.toContain('secret');
    expect(await findCompany(world.store, 'refused')).toBeUndefined();
  });

  test('is refused if the configuration lists the companies', async () => {
    const content = JSON.stringify(registration('refused'));
    const { exit, stderr } = await onboardFrom('refused', content, loadStageConfig('local'));
    expect([exit, stderr]).toEqual(['usage', expect.stringContaining('Leave out --registration')]);
  });
});

describe('company set', () => {
  const [removed, added] = ['127.0.0.0/29', '127.0.0.4/32'];
  const set = (companyId: string, ...options: string[]) =>
    operateForJson(['company', 'set', companyId, ...options, ...because], { ...world, config: inStore });

  test('adds and removes addresses and hosts from the next request on, with an audit row', async () => {
    const allowedCidrs = ['127.0.0.1/32', '2001:db8::/48'];
    const { companyId, key } = await onboard(world.store, { allowedCidrs });
    await putCompany(world.store, { ...(await registered(companyId)), webhookHosts: ['a.test', 'b.test'] });
    const codeOf = async () => (await call('getContract', { apiKey: key.apiKey })).body.code;
    expect(await codeOf()).toBeUndefined();
    const hosts = ['--add-webhook-hosts', 'b.test,c.test', '--remove-webhook-hosts', 'a.test'];
    const { output } = await set(companyId, '--add-addresses', added, '--remove-addresses', '127.0.0.1/32', ...hosts);
    expect(output.outcome).toBe('changed');
    const after = { allowedCidrs: ['2001:db8::/48', added], webhookHosts: ['b.test', 'c.test'] };
    expect(await registered(companyId)).toMatchObject(after);
    expect(await codeOf()).toBe('source-address-not-allowed');
    expect(
      (await readAudit(world.store, companyId)).find(({ operation }) => operation === 'company set'),
    ).toMatchObject({
      reason: 'ticket 9',
      before: { allowedCidrs, webhookHosts: ['a.test', 'b.test'] },
      after,
    });
  });

  test.each<[string, string[], string[], string[]]>([
    [
      'removing a block keeps the other addresses of a wider one',
      ['127.0.0.0/30'],
      ['--remove-addresses', '127.0.0.2/31'],
      ['127.0.0.0/31'],
    ],
    [
      'removing a wider block removes all blocks in it',
      ['127.0.0.1/32', '127.0.1.1/32'],
      ['--remove-addresses', removed],
      ['127.0.1.1/32'],
    ],
    ['an address that another block holds is there', [removed], ['--add-addresses', added], [removed]],
    ['what is added counts', [removed], ['--remove-addresses', removed, '--add-addresses', added], [added]],
  ])('treats addresses as a set: %s', async (_, allowedCidrs, options, expected) => {
    const { companyId } = await onboard(world.store, { allowedCidrs });
    await set(companyId, ...options);
    expect((await registered(companyId)).allowedCidrs).toEqual(expected);
  });

  test('removes the last address of a company only after it has left', async () => {
    const { companyId } = await onboard(world.store);
    const last = ['--remove-addresses', '127.0.0.1/32'];
    const early = await set(companyId, ...last);
    expect([early.exit, early.stderr]).toEqual(['refused', expect.stringContaining(`contract end ${companyId} --all`)]);
    await operate(['contract', 'end', companyId, '--all', '--yes', ...because], world);
    expect((await set(companyId, ...last)).exit).toBe('ok');
    expect((await registered(companyId)).allowedCidrs).toEqual([]);
    expect((await set(companyId, '--name', 'Still known')).exit).toBe('ok');
  });

  test('refuses more hosts than a company may have', async () => {
    const { companyId, company } = await onboard(world.store);
    const webhookHosts = Array.from({ length: maxWebhookHosts }, (_, index) => `h${index}.test`);
    await putCompany(world.store, { ...company, webhookHosts });
    expect(await set(companyId, '--add-webhook-hosts', 'one.more.test')).toMatchObject({
      exit: 'refused',
      stderr: expect.stringContaining(`more than ${maxWebhookHosts} webhook hosts`),
    });
  });

  test('refuses values that the configuration refuses', async () => {
    const { exit, stderr } = await set('acme', '--add-addresses', '192.0.2.1/28', '--add-webhook-hosts', 'https://x');
    expect(exit).toBe('usage');
    expect(stderr).toContain('--add-addresses is "192.0.2.1/28", which has host bits set; write 192.0.2.0/28.');
    expect(stderr).toContain('--add-webhook-hosts is not a valid host name');
  });

  test('lists the keys that no longer work from any registered address', async () => {
    const { companyId } = await onboard(world.store, { allowedCidrs: ['127.0.0.1/32', '127.0.0.8/31'] });
    const bound = async (label: string | null, ...allowedCidrs: string[]) =>
      (await issueKey(world.store, companyId, startMs, { ...defaultKeyOptions, label, allowedCidrs })).keyId;
    const stranded = await bound('Nightly', '127.0.0.8/32', '127.0.0.9/32');
    const other = await bound(null, '127.0.0.9/32');
    await bound(null, '127.0.0.9/32', '127.0.0.1/32');
    const differencesFor = async (...change: string[]) =>
      (await operateForJson(['company', 'set', companyId, ...change, ...because], { ...world, config: inStore })).output
        .differences;
    const lost = [
      {
        what: `key ${stranded} (Nightly)`,
        before: 'works from 127.0.0.8/32, 127.0.0.9/32',
        after: 'works from no registered address',
      },
      { what: `key ${other}`, before: 'works from 127.0.0.9/32', after: 'works from no registered address' },
    ];
    const remove = ['--remove-addresses', '127.0.0.8/31'];
    for (const planned of [['--dry-run'], []]) {
      const [addresses, ...keys] = await differencesFor(...remove, ...planned);
      expect(addresses).toMatchObject({ what: 'allowedCidrs', after: ['127.0.0.1/32'] });
      expect(keys).toHaveLength(2);
      expect(keys).toEqual(expect.arrayContaining(lost));
    }
    // The keys already work from no registered address.
    expect(await differencesFor('--add-addresses', '127.0.0.4/32')).toHaveLength(1);
  });

  test('changes only the name of a company that the configuration lists', async () => {
    const { companyId } = await onboard(world.store);
    const setThere = (...options: string[]) => operate(['company', 'set', companyId, ...options, ...because], world);
    expect(await setThere('--add-addresses', added)).toMatchObject({
      exit: 'refused',
      stderr: expect.stringContaining('config/local.json'),
    });
    expect((await setThere('--name', 'Another')).exit).toBe('ok');
  });
});

const registered = async (companyId: string) => {
  const company = await findCompany(world.store, companyId);
  if (!company) throw new Error(`${companyId} was not onboarded.`);
  return company;
};

test('registrations after a restored second come back with the commands that reconcile lists', async () => {
  const own = await openWorld();
  const { companyId, company } = await onboard(own.store);
  const options = { ...own, config: inStore, nowMs: startMs + 60_000 };
  const added = ['--add-addresses', '127.0.0.6/31', '--add-webhook-hosts', 'a.test,b.test'];
  await operate(['company', 'set', companyId, ...added, ...because], options);
  const recorded = await findCompany(own.store, companyId);
  await putCompany(own.store, company);

  const reconcile = ['restore', 'reconcile', '--to', toTimestamp(startMs), '--check'];
  const { given } = (await operateForJson(reconcile, options)).output;
  expect(given.length).toBe(2);
  for (const { command } of given) await operate([...command.split(' '), ...because], options);
  expect(await findCompany(own.store, companyId)).toEqual(recorded);
});

test('the page about it has valid command lines', () => {
  const page = readFileSync('docs/registrations.md', 'utf8');
  const lines = [...page.matchAll(new RegExp(`^ *npx ${programName} (.+)$`, 'gm'))].map(([, line = '']) => line);
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) expect(operatorFault(line), line).toBeUndefined();
});

test('registrations move from file to store, change there, and export to a matching file', async () => {
  const own = await openWorld();
  const waf = await openIpSets();
  onTestFinished(() => waf.close());
  const operateWith = (config: StageConfig, ...commandLine: string[]) =>
    operateForJson(commandLine, {
      ...own,
      config,
      connection: { ipSets: waf.connect(), readPolicy: async () => policyOf(config).toJSON() },
    });
  const [first, second] = [await onboard(own.store), await onboard(own.store, { allowedCidrs: ['127.0.0.2/32'] })];
  const gone = await onboard(own.store, { state: 'ended' });
  const listed = [first, second, gone].map(({ company: { companyId, name, allowedCidrs } }) => ({
    companyId,
    name,
    allowedCidrs: [...allowedCidrs],
  }));
  const withList = (companies: Company[]): StageConfig => ({ ...inFile, allowlist: 'waf', companies });
  await operateWith(withList(listed), 'company', 'sync', ...because);
  const expectInLine = async (config: StageConfig) =>
    expect(await operateWith(config, 'company', 'sync', '--check')).toMatchObject({
      exit: 'ok',
      output: { drift: [] },
    });
  await expectInLine(withList(listed));
  await expectInLine(inStore);

  const set = (companyId: string, ...options: string[]) =>
    operateWith(inStore, 'company', 'set', companyId, ...options, ...because);
  await set(first.companyId, '--add-addresses', '127.0.0.7/32', '--add-webhook-hosts', 'hooks.acme.test');
  await set(gone.companyId, '--remove-addresses', '127.0.0.1/32');
  await expectInLine(inStore);
  expect(['127.0.0.1', '127.0.0.2', '127.0.0.7', '127.0.0.8'].map(waf.lets)).toEqual([true, true, true, false]);

  const { output } = await operateWith(inStore, 'company', 'export');
  const { companies } = stageConfig.parse({ ...inFile, monitoring, ...output });
  expect(companies.map(({ companyId }) => companyId).sort()).toEqual([first.companyId, second.companyId].sort());
  expect(companies).toContainEqual({
    companyId: first.companyId,
    name: first.company.name,
    allowedCidrs: ['127.0.0.1/32', '127.0.0.7/32'],
    webhookHosts: ['hooks.acme.test'],
  });
  await expectInLine(withList(companies));
});

const { canaryCompanyId: _, ...monitoring } = inFile.monitoring;
