import { randomUUID } from 'node:crypto';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TableName } from '../../../lambdas/api/tables.ts';
import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import {
  findApiKey,
  keyItemKey,
  listApiKeys,
  readTakenSlots,
  slotItemKey,
} from '../../../lambdas/data/api-keys/api-keys.ts';
import { auditPut } from '../../../lambdas/data/audit.ts';
import { contractKey, findContract, grantKey, putContract } from '../../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import { findWebhook, webhookKey } from '../../../lambdas/data/webhooks/webhooks.ts';
import type { NewKey, StoredApiKey } from '../../../lambdas/domain/api-key.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { readAllGrants } from '../../../operator/companies/grants.ts';
import { readOnboardingStep } from '../../../operator/companies/onboarding.ts';
import { putGateway } from '../../support/appliance.ts';
import { call, registerWebhook } from '../../support/call.ts';
import { campaign, provenTest } from '../../support/campaign.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { withPointInTimeRecovery } from '../../support/point-in-time.ts';
import { readAudit } from '../../support/store.ts';
import { issueKey, onboard, openWorld, startMs } from '../../support/world.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The second that is restored to, and the present of the operator. */
const to = startMs;
const nowMs = startMs + 3 * 60 * minuteMs;
const at = ['--to', toTimestamp(to)];
const because = ['--yes', '--reason', 'ticket 9'];
const window = { earliestMs: startMs - 35 * dayMs, latestMs: nowMs - 5 * minuteMs };

let world: Awaited<ReturnType<typeof openWorld>>;
let store: Store;
let stackName: string;
beforeAll(async () => {
  world = await openWorld();
  store = withPointInTimeRecovery(world.store, window);
});
beforeEach(() => {
  stackName = `PartnerApi-${randomUUID()}`;
});

const options = () => ({ store, nowMs, connection: { stackName } });
const restore = (...argv: string[]) => operateForJson(['restore', ...argv], options());
const operateAt = (minutes: number, ...argv: string[]) =>
  operate([...argv, ...because], { ...options(), nowMs: to + minutes * minuteMs });
const deleteRow = (table: TableName, Key: Record<string, string>) =>
  store.send(new DeleteCommand({ TableName: store.tableName(table), Key }));
const actAt = (minutes: number, companyId: string, actorKey: NewKey | undefined) => ({
  companyId,
  nowMs: to + minutes * minuteMs,
  requestId: randomUUID(),
  operation: 'deleteApiKey',
  actorKey: actorKey ?? null,
});
const statusOf = async (apiKey: string) => (await call('getOwnApiKey', { apiKey })).status;
const restoreNow = async () => expect((await restore('start', ...at, ...because)).exit).toBe('ok');

describe('restore start', () => {
  test('restores every table with history under a name with its second, says what is next, and is on record', async () => {
    const { exit, output, stderr } = await restore('start', ...at, ...because);
    expect([exit, output.outcome]).toEqual(['ok', 'changed']);
    expect(output.tables.map(({ restoredTable }: { restoredTable: string }) => restoredTable).sort()).toEqual(
      ['ApiKeys', 'Appliances', 'AuditLog', 'Contracts', 'Webhooks'].map(
        (name) => `${stackName}-restored-${name}-20360310T120000Z`,
      ),
    );
    expect(stderr).toContain('restore status --to 2036-03-10T12:00:00Z');
    expect(await readAudit(store, stackName)).toEqual([
      expect.objectContaining({ operation: 'restore start', reason: 'ticket 9', operator: 'local:tester' }),
    ]);
    const listed = await operateForJson(['audit', 'list', '--restores'], options());
    expect(listed.output.entries).toMatchObject([{ operation: 'restore start', companyId: stackName }]);
  });

  test('a second time starts nothing, and after a break starts what is absent', async () => {
    await restoreNow();
    expect((await restore('start', ...at, ...because)).output.outcome).toBe('unchanged');
    await store.send(new DeleteTableCommand({ TableName: `${stackName}-restored-AuditLog-20360310T120000Z` }));
    expect((await restore('status', ...at)).exit).toBe('drift');
    expect((await restore('start', ...at, ...because)).output.outcome).toBe('changed');
    expect(await restore('status', ...at)).toMatchObject({ exit: 'ok', output: { isReady: true } });
  });

  test.each([
    ['in the future', nowMs + 1000, 'usage', 'is in the future'],
    ['later than the tables can', nowMs - minuteMs, 'refused', 'can be restored to 2036-03-10T14:55:00Z at the latest'],
    ['before the history', to - 36 * dayMs, 'refused', 'can be restored to 2036-02-04T12:00:00Z at the earliest'],
  ])('refuses a second %s, for all tables', async (_, second, exit, expected) => {
    const run = await restore('start', '--to', toTimestamp(second), ...because);
    expect([run.exit, run.stderr]).toEqual([exit, expect.stringContaining(expected)]);
    const { output } = await restore('status', '--to', toTimestamp(second));
    expect(new Set(output.tables.map(({ status }: { status: string }) => status))).toEqual(new Set(['absent']));
  });

  test('starts none where one table is gone, and says where to read on', async () => {
    await world.takeNewTables();
    await store.send(new DeleteTableCommand({ TableName: store.tableName('Contracts') }));
    const { exit, stderr } = await restore('start', ...at, ...because);
    expect([exit, stderr]).toEqual(['refused', expect.stringMatching(/Contracts is deleted .*docs\/restore\.md/)]);
    expect((await restore('status', ...at)).output.tables[0].status).toBe('absent');
  });

  test.each(['2036-03-10', '2036-02-30T12:00:00Z', '2036-03-10T12:00:00.5Z', 'yesterday'])(
    'takes no "%s"',
    async (text) => {
      expect((await restore('status', '--to', text)).exit).toBe('usage');
    },
  );

  test('says so where the store keeps no history', async () => {
    const { exit, stderr } = await operate(['restore', 'start', ...at, ...because], {
      ...options(),
      store: world.store,
    });
    expect([exit, stderr]).toEqual(['refused', expect.stringContaining('keeps no history')]);
  });
});

describe('restore copy', () => {
  beforeEach(() => world.takeNewTables());

  test('brings lost rows of all tables back, so that partners can call again', async () => {
    const { companyId, key, contract } = await onboard(store);
    await operateAt(-1, 'gateway', 'grant', companyId, 'gw-1');
    await putGateway(store, { gatewayId: 'gw-1', connectivity: 'online', lastSeenAtMs: to, blocks: {} } as never);
    const webhook = await registerWebhook(store, companyId);
    const [audited] = await readAudit(store, companyId);
    await restoreNow();

    const { slot } = (await findApiKey(store, companyId, key.keyId)) ?? { slot: -1 };
    await deleteRow('ApiKeys', keyItemKey(key));
    await deleteRow('ApiKeys', slotItemKey(companyId, slot));
    await deleteRow('Contracts', contractKey(companyId));
    await deleteRow('Contracts', grantKey(companyId, 'gw-1'));
    await deleteRow('Appliances', { gatewayId: 'gw-1', sk: 'GATEWAY' });
    await deleteRow('AuditLog', { subject: companyId, sk: String(audited?.sk) });
    await deleteRow('Webhooks', webhookKey(companyId, webhook.webhookId));
    expect(await statusOf(key.apiKey)).toBe(401);

    const planned = await restore('copy', ...at, '--dry-run');
    expect(planned.output).toMatchObject({ outcome: 'would-change' });
    expect(await statusOf(key.apiKey)).toBe(401);
    const { output, exit } = await restore('copy', ...at, ...because);
    expect([exit, output.outcome]).toEqual(['ok', 'changed']);
    expect(Object.fromEntries(output.tables.map((each: Copied) => [each.table, each.copied]))).toEqual({
      AuditLog: 1,
      Contracts: 2,
      ApiKeys: 1,
      Appliances: 1,
      Webhooks: 1,
    });
    expect(await findWebhook(store, companyId, webhook.webhookId)).toEqual(webhook);
    expect(await statusOf(key.apiKey)).toBe(200);
    expect(await findContract(store, companyId)).toEqual(contract);
    expect(await readAllGrants(store, companyId)).toEqual(['gw-1']);
    expect((await readTakenSlots(store, companyId, nowMs)).map(({ keyId }) => keyId)).toEqual([key.keyId]);
    expect((await readAudit(store, companyId)).map(({ sk }) => sk)).toContain(audited?.sk);
    expect((await restore('copy', ...at, ...because)).output.outcome).toBe('unchanged');
  });

  type Copied = { readonly table: string; readonly copied: number; readonly left: readonly { readonly why: string }[] };
  const ofTable = (output: { tables: Copied[] }, table: string) => output.tables.find((each) => each.table === table);

  test('puts back what was changed off the record, and leaves what was changed on it', async () => {
    const { companyId, contract } = await onboard(store, { name: 'Before' });
    await restoreNow();
    await operateAt(10, 'company', 'suspend', companyId);
    const suspended = await findContract(store, companyId);
    await putContract(store, { ...contract, ...suspended, name: 'Spoiled', allowedCidrs: ['0.0.0.0/0'] });
    await restore('copy', ...at, ...because);
    expect(await findContract(store, companyId)).toEqual(suspended);
  });

  test('puts a spoiled key right, and keeps the day of its last use', async () => {
    const { companyId, key } = await onboard(store);
    await restoreNow();
    expect(await statusOf(key.apiKey)).toBe(200);
    await store.send(
      new UpdateCommand({
        TableName: store.tableName('ApiKeys'),
        Key: keyItemKey(key),
        UpdateExpression: 'SET #hash = :spoiled, lastUsedOn = :today',
        ExpressionAttributeNames: { '#hash': 'hash' },
        ExpressionAttributeValues: { ':spoiled': new Uint8Array(32), ':today': '2036-03-11' },
      }),
    );
    expect(await statusOf(key.apiKey)).toBe(401);
    await restore('copy', ...at, ...because);
    expect(await findApiKey(store, companyId, key.keyId)).toMatchObject({ lastUsedOn: '2036-03-11' });
    expect(await statusOf(key.apiKey)).toBe(200);
  });

  test('never brings a key, a gateway or rights back that were taken away on record', async () => {
    const { companyId, keys } = await onboard(store, { keys: 2 });
    const [kept, gone] = keys;
    await operateAt(-1, 'gateway', 'grant', companyId, 'gw-1');
    await restoreNow();
    await deleteApiKey(store, actAt(5, companyId, kept), gone?.keyId ?? '');
    // A row has the time at which its request began: one that showed the key again may stand behind the deletion.
    const repeat = { ...actAt(5.001, companyId, kept), operation: 'createApiKey repeat' };
    await transact(store, { audit: auditPut(store, repeat, { keyId: gone?.keyId ?? '' }) });
    await operateAt(6, 'gateway', 'revoke', companyId, 'gw-1');
    await operateAt(7, 'contract', 'end', companyId);
    await operateAt(8, 'consent', 'withdraw', companyId);
    await deleteRow('Contracts', contractKey(companyId));

    const { output } = await restore('copy', ...at, ...because);
    expect(await findApiKey(store, companyId, gone?.keyId ?? '')).toBeUndefined();
    expect(await statusOf(gone?.apiKey ?? '')).toBe(401);
    expect(ofTable(output, 'ApiKeys')?.left.map(({ why }) => why)).toEqual(['deleted on record']);
    expect(await readAllGrants(store, companyId)).toEqual([]);
    expect(await findContract(store, companyId)).toMatchObject({ state: 'ended', acceptedConsentVersion: null });
    expect((await restore('reconcile', ...at, '--check')).output.changes).toEqual([]);
  });

  test('leaves an onboarding that was under way at that second: it has to be run again', async () => {
    const step = { companyId: `newcomer${process.pid}`, sk: 'ONBOARDING' };
    await store.send(new PutCommand({ TableName: store.tableName('Contracts'), Item: { ...step, step: 'x' } }));
    await restoreNow();
    await deleteRow('Contracts', step);
    await restore('copy', ...at, ...because);
    expect(await readOnboardingStep(store, step.companyId)).toBeUndefined();
    expect(await readAudit(store, step.companyId)).toEqual([]);
  });

  test('never makes an eleventh valid key, and finds another place for one whose place is taken', async () => {
    const { companyId, keys } = await onboard(store, { keys: 9 });
    await restoreNow();
    const [lost, also] = keys;
    for (const key of [lost, also]) {
      const { slot } = (await findApiKey(store, companyId, key?.keyId ?? '')) ?? { slot: -1 };
      await deleteRow('ApiKeys', keyItemKey(key as NewKey));
      await deleteRow('ApiKeys', slotItemKey(companyId, slot));
    }
    await issueKey(store, companyId, to + minuteMs);
    await issueKey(store, companyId, to + minuteMs);
    const { output } = await restore('copy', ...at, ...because);
    const again = await restore('copy', ...at, ...because);
    const taken = await readTakenSlots(store, companyId, nowMs);
    expect([taken.length, new Set(taken.map(({ keyId }) => keyId)).size]).toEqual([10, 10]);
    expect(ofTable(output, 'ApiKeys')?.copied).toBe(1);
    expect(ofTable(again.output, 'ApiKeys')?.copied).toBe(0);
    expect(ofTable(again.output, 'ApiKeys')?.left.map(({ why }) => why)).toEqual(['ten other keys are valid']);
  });

  provenTest('by two operators at once puts each row back once', campaign, async () => {
    const { companyId, keys } = await onboard(store, { keys: 10 });
    await restoreNow();
    for (const key of keys) {
      const { slot } = (await findApiKey(store, companyId, key.keyId)) ?? { slot: -1 };
      await deleteRow('ApiKeys', keyItemKey(key));
      await deleteRow('ApiKeys', slotItemKey(companyId, slot));
    }
    const runs = await Promise.all([1, 2].map(() => restore('copy', ...at, ...because)));
    expect(runs.map(({ exit }) => exit)).toEqual(['ok', 'ok']);
    expect((await readTakenSlots(store, companyId, nowMs)).length).toBe(10);
    const copies = (await readAudit(store, companyId)).filter(({ operation }) => operation === 'restore copy');
    expect(copies.map(({ keyId }) => keyId).sort()).toEqual(keys.map(({ keyId }) => keyId).sort());
  });

  test('changes no row of the audit log, and tells which differ', async () => {
    const { companyId } = await onboard(store);
    await restoreNow();
    const [row] = await readAudit(store, companyId);
    const changed = { ...row, reason: 'another' };
    await store.send(new PutCommand({ TableName: store.tableName('AuditLog'), Item: changed }));
    const { output } = await restore('copy', ...at, ...because);
    expect(ofTable(output, 'AuditLog')?.left.map(({ why }) => why)).toEqual(['differs, and is kept']);
    expect(await readAudit(store, companyId)).toEqual([changed]);
  });

  type Company = Awaited<ReturnType<typeof onboard>>;
  const spoilKey = ({ key }: Company) =>
    store.send(
      new UpdateCommand({
        TableName: store.tableName('ApiKeys'),
        Key: keyItemKey(key),
        UpdateExpression: 'SET #hash = :spoiled',
        ExpressionAttributeNames: { '#hash': 'hash' },
        ExpressionAttributeValues: { ':spoiled': new Uint8Array(32) },
      }),
    );
  const loseKey = ({ key }: Company) => deleteRow('ApiKeys', keyItemKey(key));
  const gateway = (companyId: string, connectivity: string) =>
    putGateway(store, { gatewayId: companyId, connectivity, lastSeenAtMs: to, blocks: {} } as never);

  test.each<[string, TableName, (of: Company) => Promise<unknown>, (of: Company) => Promise<unknown>]>([
    [
      'a lost contract that somebody makes anew',
      'Contracts',
      ({ companyId }) => deleteRow('Contracts', contractKey(companyId)),
      ({ contract }) => putContract(store, { ...contract, name: 'Meanwhile' }),
    ],
    [
      'a lost appliance that reports',
      'Appliances',
      ({ companyId }) => deleteRow('Appliances', { gatewayId: companyId, sk: 'GATEWAY' }),
      ({ companyId }) => gateway(companyId, 'offline'),
    ],
    ['a spoiled key that is deleted', 'ApiKeys', spoilKey, loseKey],
  ])('leaves to others what they change at the same moment: %s', async (_, table, lose, changeMeanwhile) => {
    const company = await onboard(store);
    await gateway(company.companyId, 'online');
    await restoreNow();
    await lose(company);
    let after: unknown;
    const send = async (command: object, ...rest: never[]) => {
      if (command instanceof TransactWriteCommand && after === undefined) {
        await changeMeanwhile(company);
        after = await rowsIn(table);
      }
      return store.send(command as never, ...rest);
    };
    const { output } = await operateForJson(['restore', 'copy', ...at, ...because], {
      ...options(),
      store: { ...store, send: send as Store['send'] },
    });
    expect(ofTable(output, table)).toMatchObject({ copied: 0, left: [{ why: 'changed meanwhile; run again' }] });
    expect(await rowsIn(table)).toEqual(after);
  });
  const rowsIn = async (table: TableName) =>
    (await store.send(new ScanCommand({ TableName: store.tableName(table) }))).Items;

  test('leaves a key deleted that its company deletes while the copy runs', async () => {
    const { companyId, keys } = await onboard(store, { keys: 2 });
    const [kept, gone] = keys;
    await restoreNow();
    await deleteRow('Contracts', contractKey(companyId));
    let scans = 0;
    const send = async (command: object, ...rest: never[]) => {
      // Within the copy itself, after the plan and its reading of the record.
      if (command instanceof ScanCommand && String(command.input.TableName).includes('-ApiKeys-') && ++scans === 2)
        await deleteApiKey(store, actAt(5, companyId, kept), gone?.keyId ?? '');
      return store.send(command as never, ...rest);
    };
    const { output } = await operateForJson(['restore', 'copy', ...at, ...because], {
      ...options(),
      store: { ...store, send: send as Store['send'] },
    });
    expect([scans, output.outcome]).toEqual([2, 'changed']);
    expect(await findApiKey(store, companyId, gone?.keyId ?? '')).toBeUndefined();
  });

  provenTest(
    'fills the empty tables of a new stack, and heeds a record that was restored to a later second',
    campaign,
    async () => {
      const { companyId, contract, keys } = await onboard(store, { keys: 10 });
      const [kept, gone] = keys;
      await operateAt(-1, 'gateway', 'grant', companyId, ...Array.from({ length: 60 }, (_, index) => `gw-${index}`));
      await restoreNow();
      await deleteApiKey(store, actAt(5, companyId, kept), gone?.keyId ?? '');
      await store.send(new DeleteTableCommand({ TableName: `${stackName}-restored-AuditLog-20360310T120000Z` }));
      await restoreNow();
      const record = await readAudit(store, companyId);
      await world.takeNewTables();

      expect((await restore('copy', ...at, ...because)).output.outcome).toBe('changed');
      expect(await findContract(store, companyId)).toEqual(contract);
      expect((await readAllGrants(store, companyId)).length).toBe(60);
      expect(await statusOf(kept?.apiKey ?? '')).toBe(200);
      expect(await statusOf(gone?.apiKey ?? '')).toBe(401);
      expect(await readAudit(store, companyId)).toEqual(expect.arrayContaining(record));
      expect((await restore('copy', ...at, ...because)).output.outcome).toBe('unchanged');
      expect((await restore('reconcile', ...at, '--check')).exit).toBe('ok');
    },
  );

  test('waits for all tables', async () => {
    const { exit, stderr } = await restore('copy', ...at, ...because);
    expect([exit, stderr]).toEqual(['not-found', expect.stringContaining('restore start --to 2036-03-10T12:00:00Z')]);
  });
});

describe('restore reconcile', () => {
  beforeEach(() => world.takeNewTables());

  /** Brings rows of the restored tables back as they were, as whoever adopts those tables does. */
  const adoptRow = async (table: TableName, Key: Record<string, string>) => {
    const TableName = `${stackName}-restored-${table}-20360310T120000Z`;
    const { Item } = await store.send(new GetCommand({ TableName, Key }));
    await store.send(new PutCommand({ TableName: store.tableName(table), Item }));
  };

  const revived = async () => {
    const company = await onboard(store, { keys: 2, allowedCidrs: ['127.0.0.0/8'] });
    const { companyId, keys } = company;
    const [kept, gone] = keys;
    await operateAt(-1, 'gateway', 'grant', companyId, 'gw-1');
    await restoreNow();
    const { slot } = (await findApiKey(store, companyId, gone?.keyId ?? '')) ?? { slot: -1 };
    await deleteApiKey(store, actAt(5, companyId, kept), gone?.keyId ?? '');
    await operateAt(6, 'gateway', 'revoke', companyId, 'gw-1');
    await operateAt(7, 'consent', 'withdraw', companyId);
    await operateAt(8, 'company', 'suspend', companyId);
    const before = await findContract(store, companyId);
    for (const key of [keyItemKey(gone as NewKey), slotItemKey(companyId, slot)]) await adoptRow('ApiKeys', key);
    for (const key of [contractKey(companyId), grantKey(companyId, 'gw-1')]) await adoptRow('Contracts', key);
    return { ...company, kept, gone, before };
  };

  test('takes away again what was taken away on record: deleted keys, gateways, consent, a suspended company', async () => {
    const { companyId, gone, kept, before } = await revived();
    expect(await statusOf(gone?.apiKey ?? '')).toBe(200);

    const check = await restore('reconcile', ...at, '--check');
    expect([check.exit, check.output.hasLaterRecord, check.output.changes.length]).toEqual(['drift', true, 1]);
    expect(await statusOf(gone?.apiKey ?? '')).toBe(200);

    const { exit, output } = await restore('reconcile', ...at, ...because);
    expect(exit).toBe('ok');
    expect(output.changes[0].differences.map(({ what }: { what: string }) => what).sort()).toEqual(
      [
        ...[
          'acceptanceReceivedAt',
          'acceptedAt',
          'acceptedConsentVersion',
          'consentBeganAt',
          'consentBeganClaimedAt',
          'consentChangedAt',
          'consentClaimedAt',
        ],
        ...['consentedSince', 'gateway gw-1', `key ${gone?.keyId}`, 'state'],
      ].sort(),
    );
    expect(await findApiKey(store, companyId, gone?.keyId ?? '')).toBeUndefined();
    expect((await readTakenSlots(store, companyId, nowMs)).map(({ keyId }) => keyId)).toEqual([kept?.keyId]);
    expect(await readAllGrants(store, companyId)).toEqual([]);
    expect(await findContract(store, companyId)).toEqual(before);
    expect(await restore('reconcile', ...at, '--check')).toMatchObject({ exit: 'ok', output: { changes: [] } });
  });

  test('broken off or run twice at once, ends in the same', async () => {
    const { companyId, before } = await revived();
    await Promise.all([1, 2].map(() => restore('reconcile', ...at, ...because)));
    await restore('reconcile', ...at, ...because);
    expect(await findContract(store, companyId)).toEqual(before);
    expect(await readAllGrants(store, companyId)).toEqual([]);
    expect((await restore('reconcile', ...at, '--check')).exit).toBe('ok');
  });

  test('gives nothing: it lists what was given on record and is not there, with the command for it', async () => {
    const { companyId, key } = await onboard(store, { state: 'suspended', acceptedConsentVersion: 2 });
    await restoreNow();
    await operateAt(1, 'company', 'resume', companyId);
    await operateAt(2, 'gateway', 'grant', companyId, 'gw-7');
    await operateAt(3, 'consent', 'accept', companyId);
    await operateAt(4, 'key', 'issue', companyId);
    const { keys } = await listApiKeys(store, companyId, 10);
    const issued = keys.find(({ keyId }) => keyId !== key.keyId);
    await adoptRow('Contracts', contractKey(companyId));
    await deleteRow('Contracts', grantKey(companyId, 'gw-7'));
    await deleteRow('ApiKeys', keyItemKey(issued as StoredApiKey));

    const { exit, output } = await restore('reconcile', ...at, ...because);
    expect([exit, output.changes]).toEqual(['ok', []]);
    expect(output.given.map(({ command }: { command: string }) => command)).toEqual([
      `company resume ${companyId}`,
      `consent accept ${companyId}`,
      `gateway grant ${companyId} gw-7`,
      `key issue ${companyId}`,
    ]);
    expect(await findContract(store, companyId)).toMatchObject({ state: 'suspended', acceptedConsentVersion: 2 });
  });

  test('an act that was undone on record since is not repeated', async () => {
    const { companyId } = await onboard(store);
    await restoreNow();
    await operateAt(1, 'company', 'suspend', companyId);
    await operateAt(2, 'company', 'resume', companyId);
    await operateAt(3, 'gateway', 'grant', companyId, 'gw-1');
    await operateAt(4, 'gateway', 'revoke', companyId, 'gw-1');
    await operateAt(5, 'gateway', 'grant', companyId, 'gw-1');
    expect((await restore('reconcile', ...at, '--check')).output).toMatchObject({ changes: [], given: [] });
  });

  test('says plainly if nothing is on record since, and what to do then', async () => {
    await onboard(store);
    await restoreNow();
    const { stderr, output } = await restore('reconcile', ...at, '--check');
    expect(output.hasLaterRecord).toBe(false);
    expect(stderr).toMatch(/no row after 2036-03-10T12:00:00Z.*each company should replace its keys/);
  });
});
