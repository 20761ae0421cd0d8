import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { compileAllowlist } from '../../../config/allowlist.ts';
import { loadStageConfig } from '../../../config/load.ts';
import type { StageConfig } from '../../../config/schema.ts';
import { resourcePolicy } from '../../../infra/api/admission.ts';
import type { TableName } from '../../../lambdas/api/tables.ts';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import { addMonths } from '../../../lambdas/domain/time.ts';
import type { Account, Connection } from '../../../operator/connection/connection.ts';
import { OperatorError } from '../../../operator/error.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { type OpenSeams, openSeams } from '../../support/operator-seams.ts';
import { putWebhook } from '../../support/webhooks.ts';
import { injectFault, onboard, openWorld, startMs } from '../../support/world.ts';

const dayMs = 24 * 60 * 60 * 1000;
const keysRunOutMs = addMonths(startMs, 6);

/** Tables with one company in them, in good order. */
let world: Awaited<ReturnType<typeof openWorld>>;
let good: Contract;
let opened: OpenSeams;
beforeAll(async () => {
  opened = await openSeams();
  return opened.close;
});
beforeEach(async () => {
  world = await openWorld();
  ({ contract: good } = await onboard(world.store));
});

type Finding = { check: string; level: string; what: string; remedy: string | null };

type Circumstances = {
  readonly nowMs?: number;
  readonly account?: Account;
  /** What the configuration names for each company. */
  readonly gatewayIds?: readonly string[];
  readonly neighbours?: StageConfig['neighbours'];
};

/** Of a stage that is configured as the contracts are, except for what a test says. */
const examine = async (
  contracts: readonly Contract[],
  connection: Partial<Connection> = {},
  { nowMs = startMs, account = {}, gatewayIds, neighbours }: Circumstances = {},
) => {
  const companies = contracts.map((contract) => ({ ...contract, gatewayIds }));
  const config = { ...loadStageConfig('local'), companies, neighbours } as unknown as StageConfig;
  const { exit, output } = await operateForJson(['doctor'], {
    ...{ ...world, config, connection: { seams: opened.seams, ...connection }, nowMs },
    openAccount: async () => account,
  });
  const findings: Finding[] = output.findings;
  return { exit, findings, bad: findings.filter(({ level }) => level !== 'ok') };
};

describe('doctor', () => {
  test('finds nothing where all is well, and says what it has looked at', async () => {
    const { exit, findings, bad } = await examine([good]);
    expect([exit, bad]).toEqual(['ok', []]);
    expect(findings.map(({ check }) => check)).toEqual([
      'clock',
      'tables',
      'policy',
      'addresses',
      'concurrency quota',
      'keys',
      'gateways',
      'webhooks',
      'consumers',
      'dead letters',
      'neighbours',
    ]);
    expect(findings[4]?.what).toContain('not applicable');
  });

  test('tells of gateways that a contract covers and the configuration does not name, and of those that it lacks', async () => {
    const { companyId } = good;
    for (const gatewayId of ['gw-1', 'gw-2']) await grantGateway(world.store, companyId, gatewayId, startMs);
    expect((await examine([good], {}, { gatewayIds: ['gw-1', 'gw-2'] })).exit).toBe('ok');
    expect(await examine([good], {}, { gatewayIds: ['gw-2', 'gw-3'] })).toMatchObject({
      exit: 'drift',
      bad: [
        { what: `${companyId}: its contract does not cover gw-3`, remedy: expect.stringContaining('gateway grant') },
        {
          what: `${companyId}: its contract covers gw-1, which the configuration does not name`,
          remedy: `gateway revoke ${companyId} gw-1, or change the configuration`,
        },
      ],
    });
    expect((await examine([good], {}, {})).exit).toBe('ok');
  });

  test('tells of webhooks that were given up, and not of others or of those of an ended contract', async () => {
    const { companyId } = good;
    const unreachable = { state: 'disabled', disabledAtMs: startMs, disabledBecause: 'unreachable' } as const;
    await putWebhook(companyId);
    await putWebhook(companyId, { ...unreachable, disabledBecause: 'gone' });
    expect((await examine([good])).exit).toBe('ok');
    const { webhookId } = await putWebhook(companyId, unreachable);
    const ended = await onboard(world.store, { state: 'ended' });
    await putWebhook(ended.companyId, unreachable);
    const { bad } = await examine([good]);
    expect(bad.filter(({ check }) => check === 'webhooks')).toEqual([
      {
        ...{ check: 'webhooks', level: 'warning', what: expect.stringContaining(`${webhookId} of ${companyId}`) },
        remedy: expect.stringContaining(`webhook enable ${companyId} ${webhookId}`),
      },
    ]);
  });

  test.each([
    [-2600, 'drift', 'ahead of'],
    [2600, 'drift', 'behind'],
    [-1400, 'ok', 'ahead of'],
    [1400, 'ok', 'behind'],
  ])('a store whose clock is %i ms off', async (offsetMs, expected, word) => {
    // Its time is told in whole seconds, rounded up.
    const readStoreTimeMs = async () => startMs + offsetMs + 500;
    const { exit, findings } = await examine([good], { readStoreTimeMs });
    expect([exit, findings[0]?.what]).toEqual([expected, expect.stringContaining(`${Math.abs(offsetMs)} ms ${word}`)]);
  });

  test('tells of a table that is not there, and of one that may not be read', async () => {
    const tableName = (table: TableName) => world.store.tableName(table) + (table === 'KeyNotices' ? '-gone' : '');
    expect(await examine([good], { store: { ...world.store, tableName } })).toMatchObject({
      exit: 'error',
      bad: [
        { check: 'tables', what: expect.stringContaining('KeyNotices does not answer (ResourceNotFoundException') },
      ],
    });
    injectFault(world, ({ action, input }) =>
      action === 'GetItem' && input.TableName === world.store.tableName('Appliances') ? 'deny' : undefined,
    );
    expect((await examine([good])).bad).toMatchObject([
      { level: 'error', what: expect.stringContaining('Appliances does not answer (AccessDenied') },
    ]);
  });

  test('tells of a policy that is nearly full, and of one that cannot be read', async () => {
    const many = {
      ...good,
      allowedCidrs: [
        '127.0.0.1/32',
        ...Array.from({ length: 415 }, (_, n) => `198.51.${n % 100}.${2 * Math.floor(n / 100) + 1}/32`),
      ],
    };
    const readPolicy = async () => resourcePolicy(compileAllowlist([many])).toJSON();
    expect((await examine([good], { readPolicy })).bad[0]).toMatchObject({
      check: 'policy',
      level: 'warning',
      what: expect.stringMatching(/takes 7\d{3} of 8192 characters/),
    });
    const { exit, bad } = await examine([good], { readPolicy: async () => undefined });
    expect(exit).toBe('error');
    expect(bad.map(({ check, what }) => [check, what.includes('no resource policy')])).toEqual([
      ['policy', true],
      ['addresses', true],
    ]);
  });

  test('looks at the account alone before the stage is deployed, and says so', async () => {
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

  test('tells of messages that could not be taken or handed on', async () => {
    await opened.send('undelivered', 'one');
    await opened.send('requestedChanges/deadLetters', 'two', 'gw-1');
    expect(await examine([good])).toMatchObject({
      exit: 'drift',
      bad: [
        { check: 'dead letters', what: 'dead letters in undelivered: 1', remedy: 'seam dead list undelivered' },
        { check: 'dead letters', what: 'dead letters in requestedChanges: 1' },
      ],
    });
    await opened.purge('undelivered');
    await opened.purge('requestedChanges/deadLetters');
  });

  test('tells of a consumer that is not called', async () => {
    const readMappings = async () => [
      { consumer: 'takePortalEvents', state: 'Disabled' } as const,
      { consumer: 'takeGatewayReports', state: 'Updating' } as const,
    ];
    expect(await examine([good], { seams: { ...opened.seams, readMappings } })).toMatchObject({
      exit: 'error',
      bad: [{ check: 'consumers', what: expect.stringContaining('takePortalEvents is not called') }],
    });
  });

  test('tells of policies that let nobody in, if the configuration names somebody', async () => {
    const readNeighbourAccess = async () => [
      { neighbour: 'portal', to: 'bus of the portal', isAllowed: false } as const,
      { neighbour: 'gateway-backend', to: 'queue gatewayReports', isAllowed: true } as const,
      { neighbour: 'gateway-backend', to: 'queue requestedChanges', isAllowed: false } as const,
    ];
    const seams = { ...opened.seams, readNeighbourAccess };
    const somebody = ['arn:aws:iam::444455556666:root'];
    const withNeighbours = async (portalPrincipals: string[], gatewayBackendPrincipals: string[]) =>
      (await examine([good], { seams }, { neighbours: { portalPrincipals, gatewayBackendPrincipals } })).bad.map(
        ({ what }) => what,
      );
    expect(await withNeighbours(somebody, somebody)).toEqual([
      expect.stringContaining('the bus of the portal lets nobody in'),
      expect.stringContaining('the queue requestedChanges lets nobody in'),
    ]);
    expect(await withNeighbours([], somebody)).toHaveLength(1);
    expect((await examine([good], { seams })).exit).toBe('ok');
  });

  test('tells of drift with the remedy of company sync --check', async () => {
    const moved = { ...good, allowedCidrs: ['127.0.0.1/32', '127.0.0.9/32'] };
    expect(await examine([moved])).toMatchObject({
      exit: 'drift',
      bad: [{ check: 'addresses', remedy: `company sync ${good.companyId}` }],
    });
  });

  test('tells of a concurrency quota that is not the configured one', async () => {
    expect((await examine([good], {}, { account: { readConcurrencyQuota: async () => 100 } })).exit).toBe('ok');
    const { exit, bad } = await examine([good], {}, { account: { readConcurrencyQuota: async () => 10 } });
    expect(exit).toBe('drift');
    expect(bad).toMatchObject([
      {
        what: 'the account has 10 concurrent executions, config/local.json says 100',
        remedy: expect.stringContaining('write 10'),
      },
    ]);
  });

  test.each([
    [15 * dayMs, 'ok', undefined],
    [14 * dayMs, 'drift', 'in 14 days'],
    [1, 'drift', 'in 0 days'],
    [0, 'error', 'ran out at 2036-09-10T12:00:00Z'],
  ])('a last key with %i ms left', async (leftMs, expected, words) => {
    const { exit, bad } = await examine([good], {}, { nowMs: keysRunOutMs - leftMs });
    expect(exit).toBe(expected);
    expect(bad.map(({ what }) => what)).toEqual(words ? [expect.stringContaining(words)] : []);
  });

  test('tells of ten valid keys and of none; an ended contract needs none', async () => {
    const full = await onboard(world.store, { keys: 10 });
    const none = await onboard(world.store);
    await operate(['key', 'revoke', none.companyId, none.key.keyId, '--yes', '--reason', 'x'], world);
    const ended = await onboard(world.store, { state: 'ended', nowMs: startMs - 400 * dayMs });
    const { exit, bad } = await examine([good, full.contract, none.contract, ended.contract]);
    expect(exit).toBe('drift');
    expect(bad.map(({ what }) => what)).toEqual([
      `${full.companyId} has 10 valid keys and cannot make another`,
      `${none.companyId} has no key`,
    ]);
  });

  test('says in its help how it ends', async () => {
    const { stdout } = await operate(['doctor', '--help'], world);
    expect(stdout).toContain('1  error: a finding is an error');
    expect(stdout).toContain('2  drift: a finding is a warning, none is an error');
  });
});
