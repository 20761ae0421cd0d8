import { randomUUID } from 'node:crypto';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TableName } from '../../../lambdas/api/tables.ts';
import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import {
  findApiKey,
  keyItemKey,
  listApiKeys,
  readTakenSlots,
  slotItemKey,
} from '../../../lambdas/data/api-keys/api-keys.ts';
import { companyKey, findCompany } from '../../../lambdas/data/contracts/companies.ts';
import { contractKey, findContract } from '../../../lambdas/data/contracts/contracts.ts';
import { ownersKey } from '../../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import type { NewKey } from '../../../lambdas/domain/api-key.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { call } from '../../support/call.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import {
  because,
  dayMs,
  loseRow,
  minuteMs,
  operateAt,
  partnerActAt,
  presentMs,
  putRow,
  restore,
  restoredNameOf,
  restoreNow,
  takeNewStack,
  theStage,
  toStart,
} from '../../support/restore.ts';
import { gatewaysOf, readAudit } from '../../support/store.ts';
import { onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let store: Store;
beforeAll(async () => {
  world = await openWorld();
  ({ store } = world);
});

let asked = 0;

/** A minute after the last time, so that no rate limit applies. */
const statusOf = async (apiKey = '') =>
  (await call('getOwnApiKey', { apiKey, nowMs: startMs + asked++ * minuteMs })).status;

describe('restore start', () => {
  test('restores all tables with history under names with the second, with next step and audit row', async () => {
    await takeNewStack();
    const { exit, output, stderr } = await restore('start', ...toStart, ...because);
    expect([exit, output.outcome]).toEqual(['ok', 'changed']);
    expect(output.tables.map(({ restoredTable }: { restoredTable: string }) => restoredTable).sort()).toEqual(
      ['ApiKeys', 'Appliances', 'AuditLog', 'Companies', 'Contracts', 'Webhooks'].map(
        (name) => `${theStage().connection.stackName}-restored-${name}-20360310T120000Z`,
      ),
    );
    expect(stderr).toContain('restore status --to 2036-03-10T12:00:00Z');
    expect(await readAudit(store, theStage().connection.stackName)).toEqual([
      expect.objectContaining({ operation: 'restore start', reason: 'ticket 9', operator: 'local:tester' }),
    ]);
    const listed = await operateForJson(['audit', 'list', '--restores'], theStage());
    expect(listed.output.entries).toMatchObject([
      { operation: 'restore start', companyId: theStage().connection.stackName },
    ]);
  });

  test('starts nothing a second time, and after an interruption starts the absent tables', async () => {
    expect((await restore('start', ...toStart, ...because)).output.outcome).toBe('unchanged');
    await store.send(new DeleteTableCommand({ TableName: restoredNameOf('AuditLog') }));
    expect((await restore('status', ...toStart)).exit).toBe('drift');
    const copy = await restore('copy', ...toStart, ...because);
    expect([copy.exit, copy.stderr]).toEqual([
      'not-found',
      expect.stringContaining('restore start --to 2036-03-10T12:00:00Z'),
    ]);
    expect((await restore('start', ...toStart, ...because)).output.outcome).toBe('changed');
    expect(await restore('status', ...toStart)).toMatchObject({ exit: 'ok', output: { isReady: true } });
  });

  test.each([
    ['in the future', presentMs + 1000, 'usage', 'is in the future'],
    [
      'later than the latest restorable time',
      presentMs - minuteMs,
      'refused',
      'can be restored to 2036-03-10T14:55:00Z at the latest',
    ],
    ['before the history', startMs - 36 * dayMs, 'refused', 'can be restored to 2036-02-04T12:00:00Z at the earliest'],
  ])('refuses a second %s, for all tables', async (_, second, exit, expected) => {
    const run = await restore('start', '--to', toTimestamp(second), ...because);
    expect([run.exit, run.stderr]).toEqual([exit, expect.stringContaining(expected)]);
    const { output } = await restore('status', '--to', toTimestamp(second));
    expect(new Set(output.tables.map(({ status }: { status: string }) => status))).toEqual(new Set(['absent']));
  });

  test('starts none if one table is deleted, and names the documentation', async () => {
    const tableName: Store['tableName'] = (table) => (table === 'Contracts' ? randomUUID() : store.tableName(table));
    const second = ['--to', toTimestamp(startMs - 1000)];
    const { exit, stderr } = await operate(['restore', 'start', ...second, ...because], {
      ...theStage(),
      store: { ...theStage().store, tableName },
    });
    expect([exit, stderr]).toEqual(['refused', expect.stringMatching(/Contracts is deleted .*docs\/restore\.md/)]);
    expect((await restore('status', ...second)).output.tables[0].status).toBe('absent');
  });

  test.each(['2036-03-10', '2036-02-30T12:00:00Z', '2036-03-10T12:00:00', 'yesterday'])(
    'takes no "%s"',
    async (text) => {
      expect((await restore('status', '--to', text)).exit).toBe('usage');
    },
  );

  test('reports that the store keeps no history', async () => {
    const { exit, stderr } = await operate(['restore', 'start', ...toStart, ...because], {
      ...theStage(),
      store: world.store,
    });
    expect([exit, stderr]).toEqual(['refused', expect.stringContaining('keeps no history')]);
  });
});

describe('restore reconcile', () => {
  /** Writes rows of the restored tables back unchanged, like an operator who adopts those tables. */
  const adoptRow = async (table: TableName, Key: Record<string, string>) => {
    const { Item = {} } = await store.send(new GetCommand({ TableName: restoredNameOf(table), Key }));
    await putRow(table, Item);
  };

  let early: Awaited<ReturnType<typeof restore>>;
  let deprived: Awaited<ReturnType<typeof onboard>>;
  const readState = async (companyId: string) => [
    await findCompany(store, companyId),
    await findContract(store, partiesOf(companyId)),
  ];
  let before: Awaited<ReturnType<typeof readState>>;
  let adoptDeprived: () => Promise<void>;
  let gifted: Awaited<ReturnType<typeof onboard>>;

  beforeAll(async () => {
    await takeNewStack();
    deprived = await onboard(store, { keys: 2, allowedCidrs: ['127.0.0.0/8'] });
    await operateAt(-1, 'gateway', 'grant', deprived.companyId, 'gw-1');
    gifted = await onboard(store, { state: 'suspended', acceptedConsentVersion: 2 });
    const undone = await onboard(store);
    await restoreNow();
    // The audit rows of a copy say nothing about what happened since.
    await loseRow('Companies', companyKey(undone.companyId));
    await restore('copy', ...toStart, ...because);
    early = await restore('reconcile', ...toStart, '--check');

    const { companyId, keys } = deprived;
    const [_kept, gone] = keys;
    const { slot } = (await findApiKey(store, companyId, gone?.keyId ?? '')) ?? { slot: -1 };
    await deleteApiKey(store, partnerActAt(5, companyId, 'deleteApiKey'), gone?.keyId ?? '');
    await operateAt(6, 'gateway', 'revoke', companyId, 'gw-1');
    await operateAt(7, 'consent', 'withdraw', companyId);
    await operateAt(8, 'company', 'suspend', companyId);
    before = await readState(companyId);
    adoptDeprived = async () => {
      for (const key of [keyItemKey(gone as NewKey), slotItemKey(companyId, slot)]) await adoptRow('ApiKeys', key);
      await adoptRow('Companies', companyKey(companyId));
      await adoptRow('Contracts', contractKey(partiesOf(companyId)));
      await adoptRow('Appliances', ownersKey(companyId, 'gw-1'));
    };

    await operateAt(1, 'company', 'resume', gifted.companyId);
    await operateAt(2, 'gateway', 'grant', gifted.companyId, 'gw-7');
    await operateAt(3, 'consent', 'accept', gifted.companyId);
    await operateAt(4, 'key', 'issue', gifted.companyId);
    const issued = (await listApiKeys(store, gifted.companyId, 10)).keys;
    await adoptRow('Companies', companyKey(gifted.companyId));
    await adoptRow('Contracts', contractKey(partiesOf(gifted.companyId)));
    await loseRow('Appliances', ownersKey(gifted.companyId, 'gw-7'));
    for (const key of issued) if (key.keyId !== gifted.key.keyId) await loseRow('ApiKeys', keyItemKey(key));

    await operateAt(1, 'company', 'suspend', undone.companyId);
    await operateAt(2, 'company', 'resume', undone.companyId);
    await operateAt(3, 'gateway', 'grant', undone.companyId, 'gw-1');
    await operateAt(4, 'gateway', 'revoke', undone.companyId, 'gw-1');
    await operateAt(5, 'gateway', 'grant', undone.companyId, 'gw-1');
  });

  test('says if there is no audit row since, and what to do then', () => {
    expect(early.output.hasLaterRecord).toBe(false);
    expect(early.stderr).toMatch(/no row after 2036-03-10T12:00:00Z.*each company should replace its keys/);
  });

  test('revokes again, and lists grants, according to the audit log, except what was undone since', async () => {
    const { companyId, keys } = deprived;
    const [kept, gone] = keys;
    await adoptDeprived();
    expect(await statusOf(gone?.apiKey)).toBe(200);

    const check = await restore('reconcile', ...toStart, '--check');
    expect([check.exit, check.output.hasLaterRecord, check.output.changes.length]).toEqual(['drift', true, 1]);
    expect(await statusOf(gone?.apiKey)).toBe(200);

    const { exit, output } = await restore('reconcile', ...toStart, ...because);
    const changedIn = (id: string): string[] =>
      output.changes
        .filter((change: { companyId: string }) => change.companyId === id)
        .flatMap(({ differences }: { differences: { what: string }[] }) => differences.map(({ what }) => what));
    expect([exit, output.changes.length]).toEqual(['ok', 1]);
    expect(changedIn(companyId).sort()).toEqual(
      [
        'acceptanceReceivedAt',
        'acceptedAt',
        'acceptedConsentVersion',
        'consentBeganAt',
        'consentBeganClaimedAt',
        'consentChangedAt',
        'consentClaimedAt',
        'consentGivenSince',
        'consentedSince',
        'gateway gw-1',
        `key ${gone?.keyId}`,
        'state',
      ].sort(),
    );
    expect(await findApiKey(store, companyId, gone?.keyId ?? '')).toBeUndefined();
    expect((await readTakenSlots(store, companyId, presentMs)).map(({ keyId }) => keyId)).toEqual([kept?.keyId]);
    expect(await gatewaysOf(store, companyId)).toEqual([]);
    expect(await readState(companyId)).toEqual(before);

    expect(output.given.map(({ command }: { command: string }) => command)).toEqual([
      `company resume ${gifted.companyId}`,
      `consent accept ${gifted.companyId} --user ${gifted.contract.userId}`,
      `gateway grant ${gifted.companyId} gw-7 --user ${gifted.contract.userId}`,
      `key issue ${gifted.companyId}`,
    ]);
    const asRestored = [{ state: 'suspended' }, { acceptedConsentVersion: 2 }];
    expect(await readState(gifted.companyId)).toMatchObject(asRestored);
    expect(await restore('reconcile', ...toStart, '--check')).toMatchObject({ exit: 'ok', output: { changes: [] } });
  });

  test('interrupted, or run twice at once, has the same result', async () => {
    await adoptDeprived();
    await Promise.all([1, 2].map(() => restore('reconcile', ...toStart, ...because)));
    await restore('reconcile', ...toStart, ...because);
    expect(await readState(deprived.companyId)).toEqual(before);
    expect(await gatewaysOf(store, deprived.companyId)).toEqual([]);
    expect((await restore('reconcile', ...toStart, '--check')).exit).toBe('ok');
  });
});
