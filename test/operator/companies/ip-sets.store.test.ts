import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import type { StageConfig } from '../../../config/schema.ts';
import { policyOf } from '../../../infra/api/admission.ts';
import { findCompany } from '../../../lambdas/data/contracts/companies.ts';
import { changeContract } from '../../../lambdas/data/contracts/contracts.ts';
import type { IpSets } from '../../../operator/connection/ip-sets.ts';
import { campaign, size } from '../../support/campaign.ts';
import { openIpSets } from '../../support/ip-sets.ts';
import { type OperatorOptions, operate, operateForJson } from '../../support/operator.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let waf: Awaited<ReturnType<typeof openIpSets>>;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  await world.takeNewTables('Companies');
  waf = await openIpSets();
});
afterEach(() => waf.close());

/** Used by one test, and by one run of it. Only the companies need separate tables per run. */
let newcomer = '';
beforeEach(() => {
  newcomer = `newcomer${randomUUID().slice(0, 8)}`;
});

const because = ['--reason', 'ticket 9'];
const [old, shared, fresh] = ['192.0.2.0/28', '198.51.100.7/32', '2001:db8:1::/48'];

/** A world with these companies and addresses in the configuration, in which AWS WAF has the allowlist. */
const stageOf = (companies: Readonly<Record<string, readonly string[]>>, ipSets: IpSets = waf.connect()) => {
  const rows = Object.entries(companies).map(([companyId, allowedCidrs]) => ({
    companyId,
    name: 'A company',
    userId: 'owner',
    allowedCidrs,
  }));
  const config = { ...loadStageConfig('local'), allowlist: 'waf', companies: rows } as unknown as StageConfig;
  return { ...world, config, connection: { readPolicy: async () => policyOf(config).toJSON(), ipSets } };
};

const sync = (options: OperatorOptions, ...more: string[]) =>
  operateForJson(['company', 'sync', ...because, ...more], options);
const check = (options: OperatorOptions) => operateForJson(['company', 'sync', '--check'], options);
const kindsIn = ({ output }: { output: { drift: { kind: string }[] } }) => output.drift.map(({ kind }) => kind);
const heldBlocks = async () => (await waf.connect().read()).toSorted();
const cidrsOf = async (companyId: string) => (await findCompany(world.store, companyId))?.allowedCidrs;

/** Records what the company has registered at each change of the IP sets. */
const watched = (companyId: string) => {
  const ipSets = waf.connect();
  const seen: [change: string, cidrs: readonly string[], registered: readonly string[] | undefined][] = [];
  const watch = (change: 'add' | 'remove') => async (cidrs: readonly string[]) => {
    if (cidrs.length > 0) seen.push([change, cidrs, await cidrsOf(companyId)]);
    await ipSets[change](cidrs);
  };
  return { seen, ipSets: { ...ipSets, add: watch('add'), remove: watch('remove') } };
};

describe('company sync, if AWS WAF has the allowlist', () => {
  test('admits an address before the company has it, and removes it after, without a deployment', async () => {
    const { companyId } = await onboard(world.store, { allowedCidrs: [old] });
    await sync(stageOf({ [companyId]: [old] }));
    const { ipSets, seen } = watched(companyId);
    const run = await sync(stageOf({ [companyId]: [fresh] }, ipSets));
    expect(run).toMatchObject({ exit: 'ok', output: { changes: [{ companyId, outcome: 'changed' }], drift: [] } });
    expect(seen).toEqual([
      ['add', [fresh], [old]],
      // A concurrent run that does not know the company yet may have removed it.
      ['add', [fresh], [fresh]],
      ['remove', [old], [fresh]],
    ]);
    expect([waf.lets('192.0.2.1'), waf.lets('2001:db8:1::1')]).toEqual([false, true]);
  });

  test('keeps addresses that another company has registered too', async () => {
    const [one, two] = [
      await onboard(world.store, { allowedCidrs: [old, shared] }),
      await onboard(world.store, { allowedCidrs: [shared] }),
    ];
    await sync(stageOf({ [one.companyId]: [old], [two.companyId]: [shared] }));
    expect(await heldBlocks()).toEqual([old, shared]);
  });

  test('corrects empty or wrong IP sets; --check and --dry-run only report them', async () => {
    const { companyId } = await onboard(world.store, { allowedCidrs: [old] });
    const options = stageOf({ [companyId]: [old] });
    await waf.connect().add([shared]);
    const before = await check(options);
    expect([before.exit, kindsIn(before)]).toEqual(['drift', ['ip-sets-lack', 'ip-sets-surplus']]);
    expect(before.output.drift.map(({ what }: { what: string }) => what)).toEqual([
      `the IP sets do not have ${old}, which are registered`,
      `the IP sets have ${shared}, which no company has registered`,
    ]);
    await sync(options, '--dry-run');
    expect(await heldBlocks()).toEqual([shared]);
    expect(await sync(options)).toMatchObject({ output: { ipSets: { added: [old], removed: [shared] }, drift: [] } });
    expect([(await check(options)).exit, await heldBlocks()]).toEqual(['ok', [old]]);
  });

  test('removes a company that has left once the configuration does not list it any more', async () => {
    const { companyId, contract } = await onboard(world.store, { allowedCidrs: [old] });
    const auditContext = { companyId, nowMs: startMs, requestId: 'r', operation: 'contract end', actorKey: null };
    await changeContract(world.store, auditContext, contract, { state: 'ended' });
    await sync(stageOf({ [companyId]: [old] }));
    expect(await heldBlocks()).toEqual([old]);
    await sync(stageOf({}));
    expect(await heldBlocks()).toEqual([]);
  });

  test('recognizes IPv6 addresses that AWS WAF returns in the long notation', async () => {
    await waf.close();
    waf = await openIpSets({ ipv6Addresses: ['2001:0db8:0001:0000:0000:0000:0000:0000/48'] });
    const { companyId } = await onboard(world.store, { allowedCidrs: [fresh] });
    expect(kindsIn(await check(stageOf({ [companyId]: [fresh] })))).toEqual([]);
  });

  test('admits a company that was onboarded while an older list was applied', async () => {
    const ipSets = waf.connect();
    // Another operator is about to onboard it.
    await ipSets.add([old]);
    const meanwhile = stageOf({ [newcomer]: [old] });
    const remove = async (cidrs: readonly string[]) => {
      expect((await operate(['company', 'onboard', newcomer, ...because], meanwhile)).exit).toBe('ok');
      await ipSets.remove(cidrs);
    };
    const run = await sync(stageOf({}, { ...ipSets, remove: once(remove, ipSets.remove) }));
    expect(run.output.ipSets).toEqual({ added: [old], removed: [old] });
    expect(await heldBlocks()).toEqual([old]);
  });

  const writers = size({ test: 4, prove: 8, full: 24 });

  test('concurrent syncs never remove an address that another one has admitted', campaign, async () => {
    const blockOf = (index: number, version: number) => `198.51.${index}.${version}/32`;
    const companies = await Promise.all(
      Array.from({ length: writers }, (_, index) => onboard(world.store, { allowedCidrs: [blockOf(index, 1)] })),
    );
    const wanted = Object.fromEntries(companies.map(({ companyId }, index) => [companyId, [blockOf(index, 2)]]));
    const runs = await Promise.all(
      companies.map(({ companyId }) => operateForJson(['company', 'sync', companyId, ...because], stageOf(wanted))),
    );
    expect(runs.map(({ exit, stderr }) => [exit, stderr])).toEqual(companies.map(() => ['ok', '']));
    expect(await heldBlocks()).toEqual(Object.values(wanted).flat().toSorted());
  });
});

test('company set does the same for registrations in the store, and keeps addresses of other companies', async () => {
  const { companyId } = await onboard(world.store, { allowedCidrs: [old] });
  await onboard(world.store, { allowedCidrs: [shared] });
  const config = {
    ...loadStageConfig('local'),
    allowlist: 'waf',
    registrations: 'store',
    companies: [],
  } as StageConfig;
  const options = {
    ...world,
    config,
    connection: { ipSets: waf.connect(), readPolicy: async () => policyOf(config).toJSON() },
  };
  await sync(options);
  const set = (...change: string[]) => operate(['company', 'set', companyId, ...change, ...because], options);
  await set('--add-addresses', `${fresh},${shared}`);
  expect(await heldBlocks()).toEqual([old, shared, fresh]);
  await set('--remove-addresses', `${old},${shared}`);
  expect(await heldBlocks()).toEqual([shared, fresh]);
  expect((await check(options)).exit).toBe('ok');
});

describe('company onboard, if AWS WAF has the allowlist', () => {
  const onboardIt = (options: OperatorOptions) => operate(['company', 'onboard', newcomer, ...because], options);

  test('admits the addresses before the company exists', async () => {
    const { ipSets, seen } = watched(newcomer);
    expect(await onboardIt(stageOf({ [newcomer]: [old, fresh] }, ipSets))).toMatchObject({ exit: 'ok' });
    expect(seen).toEqual([
      ['add', [old, fresh], undefined],
      ['add', [old, fresh], [old, fresh]],
    ]);
    expect(await heldBlocks()).toEqual([old, fresh]);
  });

  test('removes the addresses of a failed onboarding', async () => {
    const ipSets = waf.connect();
    const add = async (cidrs: readonly string[]) => {
      await ipSets.add(cidrs);
      if (cidrs.length > 0) await onboard(world.store, { companyId: newcomer, allowedCidrs: [shared] });
    };
    const failed = await onboardIt(stageOf({ [newcomer]: [old] }, { ...ipSets, add: once(add, ipSets.add) }));
    expect(failed.exit).toBe('conflict');
    expect(await heldBlocks()).toEqual([]);
  });
});

/** Sends the first call to one client, and all others to another. */
const once = <Call extends (...parameters: never[]) => unknown>(first: Call, others: Call): Call => {
  let calls = 0;
  return ((...parameters: never[]) => (calls++ === 0 ? first : others)(...parameters)) as Call;
};

test('address check uses the IP sets, and names the remedy', async () => {
  const { companyId } = await onboard(world.store, { allowedCidrs: [old] });
  const options = stageOf({ [companyId]: [old] });
  const checked = () => operateForJson(['address', 'check', '192.0.2.1'], options);
  expect((await checked()).output).toMatchObject({
    edge: 'ip-sets',
    edgeBlock: null,
    conclusion: expect.stringContaining(`${companyId} has registered it: company sync.`),
  });
  await sync(options);
  expect((await checked()).output).toMatchObject({ edgeBlock: old, conclusion: expect.stringContaining('is allowed') });
});

test('a policy without addresses is a fault if there are no IP sets', async () => {
  const { connection, ...options } = stageOf({ acme: [old] });
  const run = await check({ ...options, connection: { readPolicy: connection.readPolicy } });
  expect([run.exit, run.stderr]).toEqual(['error', expect.stringContaining('every address passes the edge')]);
});

describe('IP sets', () => {
  const blocks = (count: number) =>
    Array.from({ length: count }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}/32`);

  test('hold 10,000 blocks each, then use the next set; if all are full, the error names the remedy', async () => {
    await waf.close();
    waf = await openIpSets({ ipv4Sets: 2 });
    const ipSets = waf.connect();
    await ipSets.add(blocks(15_000));
    expect(await ipSets.readFill()).toEqual([
      { family: 'IPV4', count: 15_000, capacity: 20_000 },
      { family: 'IPV6', count: 0, capacity: 10_000 },
    ]);
    await expect(ipSets.add(blocks(20_001))).rejects.toThrow('The IP sets for IPV4 are full: each takes 10000 blocks.');
    await ipSets.remove(blocks(20_000));
    expect(await ipSets.read()).toEqual([]);
  });
});
