import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { compileAllowlist } from '../../../config/allowlist.ts';
import { loadStageConfig } from '../../../config/load.ts';
import type { StageConfig } from '../../../config/schema.ts';
import { resourcePolicy } from '../../../infra/api/admission.ts';
import type { ConsumerName } from '../../../lambdas/api/background-functions.ts';
import type { TableName } from '../../../lambdas/api/tables.ts';
import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import { removeGateway } from '../../../lambdas/data/appliances/gateways.ts';
import { putCompany } from '../../../lambdas/data/contracts/companies.ts';
import { putContract } from '../../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import { defaultKeyOptions } from '../../../lambdas/domain/api-key.ts';
import { addMonths } from '../../../lambdas/domain/time.ts';
import { findAbsentGateways } from '../../../operator/commands/doctor/absent-gateways.ts';
import type { Account, Connection } from '../../../operator/connection/connection.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Mapping } from '../../../operator/integrations/integrations.ts';
import { factTimesAt, installGateway, installGrantedGateway } from '../../support/appliance.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { type OpenIntegrations, openIntegrations } from '../../support/operator-integrations.ts';
import { operatorActOn } from '../../support/store.ts';
import { putWebhook } from '../../support/webhooks.ts';
import { injectFault, issueKey, onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

const dayMs = 24 * 60 * 60 * 1000;
const keysRunOutMs = addMonths(startMs, 6);

/** Tables with one company and without faults. */
let world: Awaited<ReturnType<typeof openWorld>>;
let good: Onboarded;
let opened: OpenIntegrations;
beforeAll(async () => {
  opened = await openIntegrations();
  world = await openWorld();
  good = await onboard(world.store);
  return opened.close;
});

const local = loadStageConfig('local');

type Onboarded = Awaited<ReturnType<typeof onboard>>;

type Finding = { check: string; level: string; what: string; remedy: string | null };

type Circumstances = {
  readonly nowMs?: number;
  readonly account?: Account;
  /** The registration of each company in the configuration. */
  readonly gatewayIds?: readonly string[];
  readonly neighbours?: StageConfig['neighbours'];
  readonly monitoring?: StageConfig['monitoring'];
};

/** The configuration of a stage that matches its companies, except for what a test changes. */
const examine = async (
  onboarded: readonly Onboarded[],
  connection: Partial<Connection> = {},
  { nowMs = startMs, account = {}, gatewayIds, neighbours, monitoring = local.monitoring }: Circumstances = {},
) => {
  const companies = onboarded.map(({ company, contract: { userId } }) => ({ ...company, userId, gatewayIds }));
  const config = { ...local, companies, neighbours, monitoring } as unknown as StageConfig;
  const { exit, output } = await operateForJson(['doctor'], {
    ...world,
    config,
    connection: { integrations: opened.integrations, ...connection },
    nowMs,
    openAccount: async () => account,
  });
  const findings: Finding[] = output.findings;
  return { exit, findings, bad: findings.filter(({ level }) => level !== 'ok') };
};

/** Integrations on AWS, with policies that allow or refuse their neighbours. */
const integrationsOnAws = (
  states: Readonly<Partial<Record<ConsumerName, string>>>,
  allowed: readonly [portal: boolean, gatewayReports: boolean, requestedChanges: boolean],
) =>
  ({
    ...opened.integrations,
    readMappings: async () => Object.entries(states).map(([consumer, state]) => ({ consumer, state })),
    readNeighbourAccess: async () => [
      { neighbour: 'portal', to: 'bus of the portal', isAllowed: allowed[0] },
      { neighbour: 'gateway-backend', to: 'queue gatewayReports', isAllowed: allowed[1] },
      { neighbour: 'gateway-backend', to: 'queue requestedChanges', isAllowed: allowed[2] },
    ],
  }) as unknown as Connection['integrations'];

/** A store whose clock is ahead of this machine's by `aheadMs`; it returns whole seconds, rounded up. */
const storeAhead = (offsetMs: number, nowMs: number) => async () => nowMs + offsetMs + 500;

const somebody = ['arn:aws:iam::444455556666:root'];
const unreachable = { state: 'disabled', disabledAtMs: startMs, disabledBecause: 'unreachable' } as const;

describe('doctor', () => {
  test('finds nothing in a stage without faults, and shows what it has checked', async () => {
    const integrations = integrationsOnAws({}, [false, false, false]);
    const { exit, findings, bad } = await examine([good], { integrations });
    expect([exit, bad]).toEqual(['ok', []]);
    expect(findings.map(({ check }) => check)).toEqual([
      'clock',
      'tables',
      'policy',
      'addresses',
      'ip sets',
      'concurrency quota',
      'keys',
      'gateways',
      'absent gateways',
      'webhooks',
      'consumers',
      'dead letters',
      'neighbours',
    ]);
    expect(findings[5]?.what).toContain('not applicable');
  });

  test('finds nothing just within all limits', async () => {
    const { companyId } = good;
    for (const gatewayId of ['gw-1', 'gw-2']) {
      await installGateway(world.store, { gatewayId });
      await grantGateway(world.store, partiesOf(companyId), gatewayId, startMs);
    }
    await putWebhook(companyId);
    await putWebhook(companyId, { ...unreachable, disabledBecause: 'gone' });
    const ended = await onboard(world.store, { state: 'ended' });
    await putWebhook(ended.companyId, unreachable);
    const nowMs = keysRunOutMs - 15 * dayMs;
    const integrations = integrationsOnAws({ takePortalEvents: 'Enabled', takeGatewayReports: 'Updating' }, [
      false,
      true,
      true,
    ]);
    const { bad, findings } = await examine(
      [good],
      { integrations, readStoreTimeMs: storeAhead(1400, nowMs) },
      {
        nowMs,
        account: { readConcurrencyQuota: async () => 100 },
        gatewayIds: ['gw-1', 'gw-2'],
        neighbours: { portalPrincipals: [], gatewayBackendPrincipals: somebody },
      },
    );
    expect(bad).toEqual([]);
    expect(findings[0]?.what).toContain('1400 ms behind');
    const ahead = await examine([good], { readStoreTimeMs: storeAhead(-1400, startMs) });
    expect([ahead.exit, ahead.findings[0]?.what]).toEqual(['ok', expect.stringContaining('1400 ms ahead of')]);
  });

  test('warns of IP sets that are nearly full or wrong, or could refuse everybody without an alarm', async () => {
    const fill = [
      { family: 'IPV4', count: 27_000, capacity: 30_000 },
      { family: 'IPV6', count: 8_999, capacity: 10_000 },
    ] as const;
    const ipSets = { read: async () => [], readFill: async () => fill } as unknown as NonNullable<Connection['ipSets']>;
    const { fewestRequestsPer15Minutes: _, canaryCompanyId: __, ...monitoring } = local.monitoring;
    const { bad } = await examine([good], { ipSets });
    expect((await examine([good], { ipSets }, { monitoring })).bad).toEqual([
      ...bad,
      expect.objectContaining({ what: 'no alarm would go off if AWS WAF refused every partner' }),
    ]);
    expect(bad).toEqual([
      expect.objectContaining({ check: 'addresses', what: expect.stringContaining('do not have 127.0.0.1/32') }),
      expect.objectContaining({ check: 'ip sets', what: 'the IP sets for IPV4 hold 27000 of 30000 blocks' }),
    ]);
  });

  test('warns of upcoming faults, and shows what to do', async () => {
    const { companyId } = good;
    const { webhookId } = await putWebhook(companyId, unreachable);
    await opened.send('undelivered', 'one');
    await opened.send('requestedChanges/deadLetters', 'two', { groupId: 'gw-1' });
    const blocks = Array.from({ length: 415 }, (_, n) => `198.51.${n % 100}.${2 * Math.floor(n / 100) + 1}/32`);
    const addresses = ['127.0.0.1/32', '127.0.0.9/32'];
    const moved = { ...good, company: { ...good.company, allowedCidrs: addresses } };
    const allowlist = compileAllowlist([{ ...moved.company, allowedCidrs: [...addresses, ...blocks] }] as never);
    const nowMs = keysRunOutMs - 14 * dayMs;
    const { exit, bad } = await examine(
      [moved],
      {
        integrations: integrationsOnAws({}, [false, true, false]),
        readStoreTimeMs: storeAhead(-2600, nowMs),
        readPolicy: async () => resourcePolicy(allowlist).toJSON(),
      },
      {
        nowMs,
        account: { readConcurrencyQuota: async () => 10 },
        gatewayIds: ['gw-2', 'gw-3'],
        neighbours: { portalPrincipals: somebody, gatewayBackendPrincipals: somebody },
      },
    );
    await putWebhook(companyId, { webhookId });
    await opened.purge('undelivered');
    await opened.purge('requestedChanges/deadLetters');
    expect(exit).toBe('drift');
    expect(bad.map(({ check, what }) => [check, what])).toEqual([
      ['clock', expect.stringContaining('2600 ms ahead of')],
      ['policy', expect.stringMatching(/takes 7\d{3} of 8192 characters/)],
      ['addresses', expect.stringContaining(companyId)],
      ['addresses', expect.stringContaining('198.51.')],
      ['concurrency quota', 'the account has 10 concurrent executions, config/local.json says 100'],
      ['keys', expect.stringContaining('in 14 days')],
      ['gateways', `${companyId}: its contract does not cover gw-3`],
      ['gateways', `${companyId}: its contract covers gw-1, which the configuration does not name`],
      ['webhooks', expect.stringContaining(`${webhookId} of ${companyId}`)],
      ['dead letters', 'dead letters in undelivered: 1'],
      ['dead letters', 'dead letters in requestedChanges: 1'],
      ['neighbours', expect.stringContaining('the bus of the portal allows nobody')],
      ['neighbours', expect.stringContaining('the queue requestedChanges allows nobody')],
    ]);
    const remediesOf = (wanted: string) => bad.filter(({ check }) => check === wanted).map(({ remedy }) => remedy);
    expect(remediesOf('addresses')[0]).toBe(`company sync ${companyId}`);
    expect(remediesOf('concurrency quota')).toEqual([expect.stringContaining('write 10')]);
    expect(remediesOf('gateways')).toEqual([
      expect.stringContaining('gateway grant'),
      `gateway revoke ${companyId} gw-1 --user ${partiesOf(companyId).userId}, or change the configuration`,
    ]);
    expect(remediesOf('webhooks')).toEqual([expect.stringContaining(`webhook enable ${companyId} ${webhookId}`)]);
    expect(remediesOf('dead letters')).toContain('integration dead list undelivered');
    expect(new Set(bad.map(({ level }) => level))).toEqual(new Set(['warning']));
  });

  test('reports faults as errors', async () => {
    const tableName = (table: TableName) => world.store.tableName(table) + (table === 'KeyNotices' ? '-gone' : '');
    injectFault(world, ({ action, input }) =>
      action === 'GetItem' && input.TableName === world.store.tableName('Appliances') ? 'deny' : undefined,
    );
    const { exit, bad } = await examine(
      [good],
      {
        store: { ...world.store, tableName },
        integrations: integrationsOnAws({ takePortalEvents: 'Disabled', takeGatewayReports: 'Updating' }, [
          true,
          true,
          true,
        ]),
        readStoreTimeMs: storeAhead(2600, keysRunOutMs),
        readPolicy: async () => undefined,
      },
      { nowMs: keysRunOutMs },
    );
    expect(exit).toBe('error');
    expect(bad.map(({ check, level, what }) => [check, level, what])).toEqual([
      ['clock', 'warning', expect.stringContaining('2600 ms behind')],
      ['tables', 'error', expect.stringContaining('Appliances does not respond (AccessDenied')],
      ['tables', 'error', expect.stringContaining('KeyNotices does not respond (ResourceNotFoundException')],
      ['policy', 'error', expect.stringContaining('no resource policy')],
      ['addresses', 'error', expect.stringContaining('no resource policy')],
      ['keys', 'error', expect.stringContaining('expired at 2036-09-10T12:00:00Z')],
      ['consumers', 'error', expect.stringContaining('takePortalEvents is not invoked')],
    ]);
  });

  test('finds a consumer that reads a former stream of its table, and one that could not process its records', async () => {
    const streamOf = async (table: TableName) =>
      (await world.store.send(new DescribeTableCommand({ TableName: world.store.tableName(table) }))).Table
        ?.LatestStreamArn;
    const mappings: Mapping[] = [
      {
        consumer: 'relayRequestedChanges',
        state: 'Enabled',
        sourceArn: 'arn:of-before',
        lastResult: 'No records processed',
      },
      {
        consumer: 'recordContractEvents',
        state: 'Enabled',
        sourceArn: await streamOf('Contracts'),
        lastResult: 'PROBLEM: Function call failed',
      },
      { consumer: 'recordKeyNotices', state: 'Enabled', sourceArn: await streamOf('KeyNotices'), lastResult: 'OK' },
    ];
    const integrations = { ...opened.integrations, readMappings: async () => mappings };
    const { bad } = await examine([good], { integrations });
    expect(bad.filter(({ check }) => check === 'consumers')).toMatchObject([
      {
        level: 'error',
        what: expect.stringMatching(/^relayRequestedChanges reads arn:of-before, and not the stream of Appliances/),
        remedy: expect.stringMatching(/^npm run deploy -- --stage .* --reconnect-streams/),
      },
      { level: 'warning', what: expect.stringContaining('PROBLEM: Function call failed') },
    ]);
  });

  test('treats a key as valid until the time of its expiry', async () => {
    const { exit, bad } = await examine([good], {}, { nowMs: keysRunOutMs - 1 });
    expect([exit, bad.map(({ what }) => what)]).toEqual(['drift', [expect.stringContaining('in 0 days')]]);
  });

  test('checks only the account before the stage is deployed, and says so', async () => {
    const connect = async () => {
      throw new OperatorError('not-found', 'There is no stack PartnerApi-prod in this account and region.');
    };
    const openAccount = async () => ({ readConcurrencyQuota: async () => 10 });
    const { exit, output } = await operateForJson(['doctor'], { ...world, connect, openAccount });
    expect(exit).toBe('drift');
    expect(output.findings).toMatchObject([
      { check: 'stack', level: 'warning', what: 'the stage is not deployed yet' },
      { check: 'concurrency quota', level: 'warning', what: expect.stringContaining('10 concurrent executions') },
    ]);
  });

  test('warns of ten valid keys and of none, but not after the contract has ended', async () => {
    await world.takeNewTables('Companies', 'Contracts');
    const full = await onboard(world.store, { keys: 10 });
    const none = await onboard(world.store);
    await operate(['key', 'revoke', none.companyId, none.key.keyId, '--yes', '--reason', 'x'], world);
    const ended = await onboard(world.store, { state: 'ended', nowMs: startMs - 400 * dayMs });
    const { exit, bad } = await examine([full, none, ended]);
    expect(exit).toBe('drift');
    expect(bad.map(({ what }) => what)).toEqual([
      `${full.companyId} has 10 valid keys and cannot create another`,
      `${none.companyId} has no key`,
    ]);
  });

  test('lists keys that work from no registered address, and companies that cannot create a key', async () => {
    const own = await openWorld();
    const { store } = own;
    const one = await onboard(store);
    const { companyId, key } = one;
    const bound = { ...defaultKeyOptions, label: 'Nightly', allowedCidrs: ['127.0.0.1/32'] };
    const { keyId } = await issueKey(store, companyId, startMs, bound);
    await putCompany(store, { ...one.company, allowedCidrs: ['127.0.0.2/32'] });
    const keysFound = async () => {
      const { output } = await operateForJson(['doctor'], {
        ...own,
        connection: { integrations: opened.integrations },
      });
      return (output.findings as Finding[]).filter(({ check }) => check === 'keys').map(({ what }) => what);
    };
    const stranded = `key ${keyId} (Nightly) of ${companyId} does not work from any registered address`;
    expect(await keysFound()).toEqual([stranded]);
    await deleteApiKey(store, operatorActOn(companyId), key.keyId);
    expect(await keysFound()).toEqual([stranded, `no valid key of ${companyId} can create another`]);
  });

  test('lists granted gateways that are not described or removed, except of ended contracts', async () => {
    await world.takeNewTables('Companies', 'Contracts');
    const [one, other, ended] = [await onboard(world.store), await onboard(world.store), await onboard(world.store)];
    for (const { companyId } of [one, ended])
      for (const gatewayId of ['gw-never', 'gw-gone'])
        await grantGateway(world.store, partiesOf(companyId), gatewayId, startMs);
    await installGrantedGateway(world.store, other.companyId);
    const { gatewayId } = await installGateway(world.store, { gatewayId: 'gw-gone' });
    await removeGateway(world.store, gatewayId, factTimesAt(startMs));
    await putContract(world.store, { ...ended.contract, state: 'ended' });
    const { exit, bad, findings } = await examine([one, other]);
    expect(exit).toBe('drift');
    expect(bad).toEqual([
      {
        check: 'absent gateways',
        level: 'warning',
        what: `${one.companyId}: its contracts cover gw-gone, gw-never, not described yet or removed: each request for it is 404 gateway-not-found`,
        remedy: expect.stringContaining(`gateway revoke ${one.companyId} gw-`),
      },
    ]);
    expect(findings).toHaveLength(13);
  });

  test('checks a limited number of contracts, and says so', async () => {
    await world.takeNewTables('Companies', 'Contracts');
    const { companyId, contract } = await onboard(world.store);
    const grant = { grantedAtMs: startMs, receivedAtMs: startMs };
    const gateways = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`gw-many-${n}`, grant]));
    for (let n = 0; n < 5; n++) await putContract(world.store, { ...contract, userId: `many-${n}`, gateways });
    const tooMany = await onboard(world.store);
    await grantGateway(world.store, partiesOf(tooMany.companyId), 'gw-beyond', startMs);
    const { absent, isComplete } = await findAbsentGateways(world.store, [companyId, tooMany.companyId]);
    expect([absent.length, isComplete]).toEqual([1250, false]);
    const all = await findAbsentGateways(world.store, [tooMany.companyId]);
    expect(all).toMatchObject({ absent: [{ gatewayId: 'gw-beyond' }], count: 1, isComplete: true });
  });

  test('explains its exit codes in the help', async () => {
    const { stdout } = await operate(['doctor', '--help'], world);
    expect(stdout).toContain('1  error: a finding is an error');
    expect(stdout).toContain('2  drift: a finding is a warning, and no finding is an error');
  });
});
