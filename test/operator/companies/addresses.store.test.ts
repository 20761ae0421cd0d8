import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import type { StageConfig } from '../../../config/schema.ts';
import { resourcePolicy } from '../../../infra/api/admission.ts';
import { findCompany } from '../../../lambdas/data/contracts/companies.ts';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import { defaultKeyOptions } from '../../../lambdas/domain/api-key.ts';
import type { Drift } from '../../../operator/companies/drift.ts';
import { type OperatorOptions, operate, operateForJson } from '../../support/operator.ts';
import { gatewaysOf, readAudit } from '../../support/store.ts';
import { issueKey, onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** Deletes all onboarded companies. */
beforeEach(() => world.takeNewTables('Companies'));

const because = ['--reason', 'ticket 9'];
const [old, shared, fresh] = ['192.0.2.0/28', '198.51.100.7/32', '2001:db8:1::/48'];

/** A world with these companies and addresses in the configuration, and these addresses in the deployed policy. */
const stageOf = (
  companies: Readonly<Record<string, readonly string[]>>,
  deployed: readonly string[],
  webhookHosts?: readonly string[],
) => {
  const rows = Object.entries(companies).map(([companyId, allowedCidrs]) => ({
    companyId,
    name: 'A company',
    userId: 'owner',
    allowedCidrs,
    webhookHosts,
  }));
  const config = { ...loadStageConfig('local'), companies: rows } as unknown as StageConfig;
  const readPolicy = async () => resourcePolicy(deployed).toJSON();
  return { ...world, config, connection: { readPolicy } } satisfies OperatorOptions;
};

const kindsIn = ({ output }: { output: { drift: { kind: string }[] } }) => output.drift.map(({ kind }) => kind);
const check = (options: OperatorOptions) => operateForJson(['company', 'sync', '--check'], options);
const cidrsOf = async (companyId: string) => (await findCompany(world.store, companyId))?.allowedCidrs;

describe('company sync', () => {
  test('lists the keys that no longer work from any registered address', async () => {
    const { companyId } = await onboard(world.store, { allowedCidrs: [old, fresh] });
    const bound = await issueKey(world.store, companyId, startMs, { ...defaultKeyOptions, allowedCidrs: [old] });
    const { output } = await operateForJson(
      ['company', 'sync', ...because],
      stageOf({ [companyId]: [fresh] }, [old, fresh]),
    );
    expect(output.changes[0].differences).toContainEqual({
      what: `key ${bound.keyId}`,
      before: `works from ${old}`,
      after: 'works from no registered address',
    });
  });

  test('for an added address: deploy, then sync', async () => {
    const { companyId } = await onboard(world.store, { allowedCidrs: [old] });
    const wanted = { [companyId]: [old, fresh] };
    const before = await check(stageOf(wanted, [old]));
    expect([before.exit, kindsIn(before)]).toEqual(['drift', ['deploy-then-sync', 'policy-lacks']]);
    expect(before.output.drift[0].remedy).toBe(
      `Deploy first: npm run deploy -- --stage local, then company sync ${companyId}`,
    );
    const tooEarly = await operateForJson(['company', 'sync', ...because], stageOf(wanted, [old]));
    expect([tooEarly.exit, tooEarly.output.changes]).toEqual(['refused', []]);
    expect(await cidrsOf(companyId)).toEqual([old]);

    const synced = await operateForJson(['company', 'sync', ...because], stageOf(wanted, [old, fresh]));
    expect(synced).toMatchObject({ exit: 'ok', output: { changes: [{ companyId, outcome: 'changed' }], drift: [] } });
    expect(await cidrsOf(companyId)).toEqual([old, fresh]);
    expect(await readAudit(world.store, companyId)).toContainEqual(
      expect.objectContaining({
        operation: 'company sync',
        reason: 'ticket 9',
        before: { allowedCidrs: [old] },
        after: { allowedCidrs: [old, fresh] },
      }),
    );
    expect((await check(stageOf(wanted, [old, fresh]))).exit).toBe('ok');
  });

  test('for a removed address: sync, then deploy', async () => {
    const { companyId } = await onboard(world.store, { allowedCidrs: [old, fresh] });
    const wanted = { [companyId]: [old] };
    const before = await check(stageOf(wanted, [old, fresh]));
    expect(kindsIn(before)).toEqual(['sync', 'policy-surplus']);
    expect(before.output.drift[0].remedy).toMatch(/^company sync .*, then npm run deploy/);
    expect(before.output.drift[1].remedy).toMatch(new RegExp(`^first the remedies above for ${companyId}, then`));
    const synced = await operateForJson(['company', 'sync', companyId, ...because], stageOf(wanted, [old, fresh]));
    expect([synced.exit, kindsIn(synced)]).toEqual(['ok', ['policy-surplus']]);
    expect(synced.output.drift[0].remedy).toBe('npm run deploy -- --stage local');
    expect((await check(stageOf(wanted, [old]))).exit).toBe('ok');
  });

  test('for an address that a deployment has replaced, as that of a trial: sync alone', async () => {
    const { companyId } = await onboard(world.store, { allowedCidrs: [old] });
    const stage = stageOf({ [companyId]: [fresh] }, [fresh]);
    const before = await check(stage);
    expect(before.output.drift).toMatchObject([{ kind: 'sync', remedy: `company sync ${companyId}` }]);
    expect(await operateForJson(['company', 'sync', companyId, ...because], stage)).toMatchObject({ exit: 'ok' });
    expect((await check(stage)).exit).toBe('ok');
  });

  test('for a replaced address: two rounds, and the contract is unchanged until then', async () => {
    const { companyId } = await onboard(world.store, { allowedCidrs: [old] });
    const run = await operateForJson(['company', 'sync', ...because], stageOf({ [companyId]: [fresh] }, [old]));
    expect([run.exit, kindsIn(run)]).toEqual(['refused', ['two-rounds', 'policy-lacks', 'policy-surplus']]);
    expect(run.output.drift[0].remedy).toContain(`add ${old} to config/local.json again, with the new addresses`);
    expect(await cidrsOf(companyId)).toEqual([old]);
    // If another company keeps the old address in the policy, a deployment removes nothing.
    const other = await onboard(world.store, { allowedCidrs: [old] });
    const wanted = { [companyId]: [fresh], [other.companyId]: [old] };
    expect(kindsIn(await check(stageOf(wanted, [old])))).toEqual(['deploy-then-sync', 'policy-lacks']);
  });

  test('updates only the companies that need no deployment, each in its own transaction', async () => {
    const [one, two] = [
      await onboard(world.store, { allowedCidrs: [old] }),
      await onboard(world.store, { allowedCidrs: [old, shared] }),
    ];
    const wanted = { [one.companyId]: [old, fresh], [two.companyId]: [old] };
    const run = await operateForJson(['company', 'sync', ...because], stageOf(wanted, [old, shared]));
    expect(run.exit).toBe('refused');
    expect(run.output.changes).toMatchObject([{ companyId: two.companyId, outcome: 'changed' }]);
    expect([await cidrsOf(one.companyId), await cidrsOf(two.companyId)]).toEqual([[old], [old]]);
  });

  test('--check and --dry-run change nothing, and need no reason', async () => {
    const { companyId } = await onboard(world.store, { allowedCidrs: [old, fresh] });
    const options = stageOf({ [companyId]: [old] }, [old, fresh]);
    expect((await check(options)).output.changes).toEqual([]);
    const dryRun = await operateForJson(['company', 'sync', '--dry-run'], options);
    expect(dryRun).toMatchObject({ exit: 'ok', output: { changes: [{ outcome: 'would-change' }] } });
    expect(kindsIn(dryRun)).toEqual(['policy-surplus']);
    expect(await cidrsOf(companyId)).toEqual([old, fresh]);
    expect((await operate(['company', 'sync'], options)).exit).toBe('usage');
  });

  test('updates webhook hosts at once, even while addresses wait for a deployment', async () => {
    const { companyId } = await onboard(world.store, { allowedCidrs: [old], webhookHosts: ['old.test'] });
    const options = stageOf({ [companyId]: [old, fresh] }, [old], ['hooks.acme.test']);
    const before = await check(options);
    expect([before.exit, kindsIn(before)]).toEqual(['drift', ['deploy-then-sync', 'webhook-hosts', 'policy-lacks']]);
    expect(before.output.drift[1]).toMatchObject({
      what: 'its contract does not have the webhook hosts hooks.acme.test and still has the webhook hosts old.test',
      remedy: `company sync ${companyId}`,
    });
    const synced = await operateForJson(['company', 'sync', ...because], options);
    expect(kindsIn(synced)).toEqual(['deploy-then-sync', 'policy-lacks']);
    expect(await findCompany(world.store, companyId)).toMatchObject({
      allowedCidrs: [old],
      webhookHosts: ['hooks.acme.test'],
    });
    const without = stageOf({ [companyId]: [old] }, [old]);
    expect((await operateForJson(['company', 'sync', ...because], without)).exit).toBe('ok');
    expect((await findCompany(world.store, companyId))?.webhookHosts).toEqual([]);
  });

  test('compares blocks by their addresses, not by their notation', async () => {
    const { companyId } = await onboard(world.store, { allowedCidrs: ['192.0.2.8/29', '192.0.2.0/29'] });
    const run = await check(stageOf({ [companyId]: [old] }, ['192.0.2.0/29', '192.0.2.8/29']));
    expect(run).toMatchObject({ exit: 'ok', output: { drift: [] } });
  });

  test('lists companies only in tables or configuration with a remedy, except ended contracts', async () => {
    const { companyId } = await onboard(world.store, { allowedCidrs: [old] });
    await onboard(world.store, { allowedCidrs: [shared], state: 'ended' });
    const options = stageOf({ newcomer: [old] }, [old]);
    const { exit, output } = await check(options);
    expect([exit, output.drift]).toEqual([
      'drift',
      [
        expect.objectContaining({
          kind: 'not-configured',
          companyId,
          remedy: `contract end ${companyId} --all, or add it there`,
        }),
        expect.objectContaining({
          kind: 'not-onboarded',
          companyId: 'newcomer',
          remedy: expect.stringContaining('company onboard newcomer'),
        }),
      ],
    ]);
    for (const id of ['newcomer', companyId])
      expect((await operate(['company', 'sync', id, ...because], options)).exit).toBe('not-found');
  });

  test('reports contract addresses that the edge refuses as drift, even if configured', async () => {
    const { companyId } = await onboard(world.store, { allowedCidrs: [old, fresh] });
    const { stdout, exit } = await operate(
      ['company', 'sync', '--check'],
      stageOf({ [companyId]: [old, fresh] }, [old]),
    );
    expect(exit).toBe('drift');
    expect(stdout).toContain(`its contract has ${fresh}, the deployed policy does not`);
  });
});

test('company sync --check reports gateways of the named company only, and a sync does not change them', async () => {
  const [one, other] = [
    await onboard(world.store, { allowedCidrs: [old] }),
    await onboard(world.store, { allowedCidrs: [old] }),
  ];
  const ids = [one.companyId, other.companyId] as const;
  await grantGateway(world.store, partiesOf(one.companyId), 'gw-strange', startMs);
  const stage = stageOf(Object.fromEntries(ids.map((id) => [id, [old]])), [old]);
  const companies = stage.config.companies.map((company) => ({
    ...company,
    ...partiesOf(company.companyId),
    gatewayIds: ['gw-1'],
  }));
  const options = { ...stage, config: { ...stage.config, companies } };
  const sync = async (...argv: string[]) => {
    const { exit, output } = await operateForJson(['company', 'sync', ...argv], options);
    return { exit, drift: output.drift.map((each: Drift) => [each.companyId, each.kind]) };
  };
  const [drifting, drifted] = ids.map((id) => [id, 'gateways']);
  expect(await sync(one.companyId, '--check')).toEqual({ exit: 'drift', drift: [drifting, drifting] });
  expect(await sync('--check')).toMatchObject({ drift: expect.arrayContaining([drifting, drifted]) });
  expect(await sync(other.companyId, ...because)).toEqual({ exit: 'ok', drift: [drifted] });
  expect(await gatewaysOf(world.store, one.companyId)).toEqual(['gw-strange']);
});

describe('address check', () => {
  const conclude = async (address: string, options: OperatorOptions) =>
    (await operateForJson(['address', 'check', address], options)).output;

  test.each([
    [
      '192.0.2.7',
      [old],
      [old],
      [old],
      '192.0.2.7 passes the edge. Then acme is allowed; every other company is refused.',
    ],
    ['2001:db8:1::7', [fresh], [fresh], [fresh], 'passes the edge. Then acme is allowed'],
    [
      '192.0.2.7',
      [old],
      [old],
      [shared],
      'is refused at the edge, for everybody. The configuration has it for acme: npm run deploy',
    ],
    [
      '192.0.2.7',
      [shared],
      [old],
      [shared],
      'refused at the edge, for everybody. The contract of acme has it, but the configuration does not',
    ],
    ['203.0.113.9', [old], [old], [old], 'refused at the edge, for everybody. No company has registered it.'],
    [
      '192.0.2.7',
      [old],
      [shared],
      [old],
      'Then every company is refused, since no contract has it. The configuration has it for acme: company sync acme.',
    ],
  ])(
    '%s, configured %j, in the contract %j, deployed %j',
    async (address, configured, contract, deployed, expected) => {
      await onboard(world.store, { companyId: 'acme', allowedCidrs: contract });
      expect((await conclude(address, stageOf({ acme: configured }, deployed))).conclusion).toContain(expected);
    },
  );

  test('shows the blocks and the states', async () => {
    await onboard(world.store, { companyId: 'acme', allowedCidrs: [old], state: 'suspended' });
    await onboard(world.store, { companyId: 'globex', allowedCidrs: ['192.0.2.4/30'], state: 'ended' });
    const output = await conclude('192.0.2.5', stageOf({ acme: [old], newcomer: [old] }, [old]));
    expect(output).toMatchObject({
      edgeBlock: old,
      companies: [
        { companyId: 'acme', state: 'suspended', contractBlock: old, configuredBlock: old },
        { companyId: 'globex', state: 'ended', contractBlock: '192.0.2.4/30', configuredBlock: null },
        { companyId: 'newcomer', state: null, contractBlock: null, configuredBlock: old },
      ],
    });
    expect(output.conclusion).toBe(
      '192.0.2.5 passes the edge. Then acme is refused, as it is suspended; globex may only read its contract and manage ' +
        'its keys, as the contract has ended; every other company is refused. The configuration has it for ' +
        'newcomer, which has no contract: company onboard newcomer.',
    );
  });

  test.each(['192.0.2', '192.0.2.0/28', 'fe80::1%eth0', 'localhost'])('%s is not an address', async (text) => {
    const { exit, stderr } = await operate(['address', 'check', text], world);
    expect([exit, stderr]).toEqual(['usage', expect.stringContaining('<address> is not an address')]);
  });

  test('explains why a policy cannot be read', async () => {
    const connection = { readPolicy: async () => ({ Statement: [{ Effect: 'Allow' }] }) };
    const { exit, stderr } = await operate(['address', 'check', '192.0.2.7'], { ...world, connection });
    expect([exit, stderr]).toEqual([
      'error',
      expect.stringContaining('its statement 1 is not one that the stack writes'),
    ]);
  });
});
