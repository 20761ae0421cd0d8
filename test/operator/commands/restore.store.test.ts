import { randomUUID } from 'node:crypto';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
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
import { auditPut } from '../../../lambdas/data/audit.ts';
import { contractKey, findContract, grantKey, putContract } from '../../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import { findWebhook, webhookKey } from '../../../lambdas/data/webhooks/webhooks.ts';
import type { NewKey } from '../../../lambdas/domain/api-key.ts';
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

/** Empty tables of a stack of which nothing is restored yet. */
const takeNewStack = async () => {
  await world.takeNewTables();
  stackName = `PartnerApi-${randomUUID()}`;
};

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
const statusOf = async (apiKey = '') => (await call('getOwnApiKey', { apiKey })).status;
const restoreNow = async () => expect((await restore('start', ...at, ...because)).exit).toBe('ok');

type Company = Awaited<ReturnType<typeof onboard>>;

/** Loses a key with its slot. */
const loseKey = async (companyId: string, key: NewKey | undefined) => {
  const { slot } = (await findApiKey(store, companyId, key?.keyId ?? '')) ?? { slot: -1 };
  await deleteRow('ApiKeys', keyItemKey(key as NewKey));
  await deleteRow('ApiKeys', slotItemKey(companyId, slot));
};

describe('restore start', () => {
  beforeAll(takeNewStack);

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
    expect((await restore('start', ...at, ...because)).output.outcome).toBe('unchanged');
    await store.send(new DeleteTableCommand({ TableName: `${stackName}-restored-AuditLog-20360310T120000Z` }));
    expect((await restore('status', ...at)).exit).toBe('drift');
    const copy = await restore('copy', ...at, ...because);
    expect([copy.exit, copy.stderr]).toEqual([
      'not-found',
      expect.stringContaining('restore start --to 2036-03-10T12:00:00Z'),
    ]);
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
    const tableName: Store['tableName'] = (table) => (table === 'Contracts' ? randomUUID() : store.tableName(table));
    const second = ['--to', toTimestamp(to - 1000)];
    const { exit, stderr } = await operate(['restore', 'start', ...second, ...because], {
      ...options(),
      store: { ...store, tableName },
    });
    expect([exit, stderr]).toEqual(['refused', expect.stringMatching(/Contracts is deleted .*docs\/restore\.md/)]);
    expect((await restore('status', ...second)).output.tables[0].status).toBe('absent');
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
  type Copied = { readonly table: string; readonly copied: number; readonly left: { what: string; why: string }[] };
  type Run = Awaited<ReturnType<typeof restore>>;

  /** What happens to rows of its own once they are restored, perhaps while they are copied, and what is so in the end. */
  type Scene = {
    readonly since: () => Promise<unknown>;
    readonly meanwhile?: () => Promise<unknown>;
    readonly inTheEnd: () => Promise<unknown>;
  };

  let planned: Run;
  let copied: Run;
  let copiedAgain: Run;

  const ofTable = ({ output }: Run, table: string): Copied =>
    output.tables.find((each: Copied) => each.table === table);
  const whyLeft = (run: Run, table: string, id = '') =>
    ofTable(run, table).left.flatMap(({ what, why }) => (what.includes(id) ? [why] : []));

  const scenes: Readonly<Record<string, () => Promise<Scene>>> = {
    'brings lost rows of all tables back, so that partners can call again': async () => {
      const { companyId, key, contract } = await onboard(store);
      await operateAt(-1, 'gateway', 'grant', companyId, 'gw-1');
      await putGateway(store, { gatewayId: 'gw-1', connectivity: 'online', lastSeenAtMs: to, blocks: {} } as never);
      const webhook = await registerWebhook(store, companyId);
      const [audited] = await readAudit(store, companyId);
      return {
        since: async () => {
          await loseKey(companyId, key);
          await deleteRow('Contracts', contractKey(companyId));
          await deleteRow('Contracts', grantKey(companyId, 'gw-1'));
          await deleteRow('Appliances', { gatewayId: 'gw-1', sk: 'GATEWAY' });
          await deleteRow('AuditLog', { subject: companyId, sk: String(audited?.sk) });
          await deleteRow('Webhooks', webhookKey(companyId, webhook.webhookId));
        },
        meanwhile: async () => expect(await statusOf(key.apiKey)).toBe(401),
        inTheEnd: async () => {
          expect(await findWebhook(store, companyId, webhook.webhookId)).toEqual(webhook);
          expect(await statusOf(key.apiKey)).toBe(200);
          expect(await findContract(store, companyId)).toEqual(contract);
          expect(await readAllGrants(store, companyId)).toEqual(['gw-1']);
          expect((await readTakenSlots(store, companyId, nowMs)).map(({ keyId }) => keyId)).toEqual([key.keyId]);
          expect((await readAudit(store, companyId)).map(({ sk }) => sk)).toContain(audited?.sk);
        },
      };
    },
    'puts back what was changed off the record, and leaves what was changed on it': async () => {
      const { companyId, contract } = await onboard(store, { name: 'Before' });
      let suspended: Awaited<ReturnType<typeof findContract>>;
      return {
        since: async () => {
          await operateAt(10, 'company', 'suspend', companyId);
          suspended = await findContract(store, companyId);
          await putContract(store, { ...contract, ...suspended, name: 'Spoiled', allowedCidrs: ['0.0.0.0/0'] });
        },
        inTheEnd: async () => expect(await findContract(store, companyId)).toEqual(suspended),
      };
    },
    'never brings a key, a gateway or rights back that were taken away on record': async () => {
      const { companyId, keys } = await onboard(store, { keys: 2 });
      const [kept, gone] = keys;
      const keyId = gone?.keyId ?? '';
      await operateAt(-1, 'gateway', 'grant', companyId, 'gw-2');
      return {
        since: async () => {
          await deleteApiKey(store, actAt(5, companyId, kept), keyId);
          // A row has the time at which its request began: one that showed the key again may stand behind the deletion.
          const repeat = { ...actAt(5.001, companyId, kept), operation: 'createApiKey repeat' };
          await transact(store, { audit: auditPut(store, repeat, { keyId }) });
          await operateAt(6, 'gateway', 'revoke', companyId, 'gw-2');
          await operateAt(7, 'contract', 'end', companyId);
          await operateAt(8, 'consent', 'withdraw', companyId);
          await deleteRow('Contracts', contractKey(companyId));
        },
        inTheEnd: async () => {
          expect(await findApiKey(store, companyId, keyId)).toBeUndefined();
          expect(await statusOf(gone?.apiKey)).toBe(401);
          expect(whyLeft(copied, 'ApiKeys', keyId)).toEqual(['deleted on record']);
          expect(await readAllGrants(store, companyId)).toEqual([]);
          const ended = { state: 'ended', acceptedConsentVersion: null };
          expect(await findContract(store, companyId)).toMatchObject(ended);
        },
      };
    },
    'leaves a key deleted that its company deletes while the copy runs': async () => {
      const { companyId, keys } = await onboard(store, { keys: 2 });
      const [kept, gone] = keys;
      const keyId = gone?.keyId ?? '';
      return {
        since: async () => undefined,
        meanwhile: () => deleteApiKey(store, actAt(5, companyId, kept), keyId),
        inTheEnd: async () => expect(await findApiKey(store, companyId, keyId)).toBeUndefined(),
      };
    },
    'leaves an onboarding that was under way at that second: it has to be run again': async () => {
      const step = { companyId: `newcomer${process.pid}`, sk: 'ONBOARDING' };
      await store.send(new PutCommand({ TableName: store.tableName('Contracts'), Item: { ...step, step: 'x' } }));
      return {
        since: () => deleteRow('Contracts', step),
        inTheEnd: async () => {
          expect(await readOnboardingStep(store, step.companyId)).toBeUndefined();
          expect(await readAudit(store, step.companyId)).toEqual([]);
        },
      };
    },
    'never makes an eleventh valid key, and finds another place for one whose place is taken': async () => {
      const { companyId, keys } = await onboard(store, { keys: 9 });
      const lost = keys.slice(0, 2);
      return {
        since: async () => {
          for (const key of lost) await loseKey(companyId, key);
          await issueKey(store, companyId, to + minuteMs);
          await issueKey(store, companyId, to + minuteMs);
        },
        inTheEnd: async () => {
          const taken = await readTakenSlots(store, companyId, nowMs);
          expect([taken.length, new Set(taken.map(({ keyId }) => keyId)).size]).toEqual([10, 10]);
          expect(whyLeft(copiedAgain, 'ApiKeys', companyId)).toEqual(['ten other keys are valid']);
        },
      };
    },
    'changes no row of the audit log, and tells which differ': async () => {
      const { companyId } = await onboard(store);
      const [row] = await readAudit(store, companyId);
      const changed = { ...row, reason: 'another' };
      return {
        since: () => store.send(new PutCommand({ TableName: store.tableName('AuditLog'), Item: changed })),
        inTheEnd: async () => {
          expect(whyLeft(copied, 'AuditLog')).toEqual(['differs, and is kept']);
          expect(await readAudit(store, companyId)).toEqual([changed]);
        },
      };
    },
  };

  /** Acts within the copy itself, when it reads the keys, after the plan and its reading of the record. */
  const actingMeanwhile = (act: () => Promise<unknown>): Store => {
    let scans = 0;
    const send = async (command: object, ...rest: never[]) => {
      const isOfKeys = command instanceof ScanCommand && String(command.input.TableName).includes('-ApiKeys-');
      if (isOfKeys && ++scans === 2) await act();
      return store.send(command as never, ...rest);
    };
    return { ...store, send: send as Store['send'] };
  };

  const playAll = async () => {
    await takeNewStack();
    const opened = await Promise.all(Object.entries(scenes).map(async ([name, open]) => [name, await open()] as const));
    await restoreNow();
    for (const [, { since }] of opened) await since();
    planned = await restore('copy', ...at, '--dry-run');
    const overtaken = actingMeanwhile(async () => {
      for (const [, { meanwhile }] of opened) await meanwhile?.();
    });
    const argv = ['restore', 'copy', ...at, ...because];
    copied = await operateForJson(argv, { ...options(), store: overtaken });
    copiedAgain = await restore('copy', ...at, ...because);
    return Object.fromEntries(opened);
  };
  let played: Readonly<Record<string, Scene>>;
  beforeAll(async () => {
    played = await playAll();
  });

  test.each(Object.keys(scenes))('%s', async (name) => void (await played[name]?.inTheEnd()));

  test('says what it would copy, and what it has copied; what is there again is in line with the record', async () => {
    expect(planned.output.outcome).toBe('would-change');
    expect([copied.exit, copied.output.outcome]).toEqual(['ok', 'changed']);
    expect(Object.fromEntries(copied.output.tables.map((each: Copied) => [each.table, each.copied]))).toEqual({
      AuditLog: 1,
      Contracts: 4,
      ApiKeys: 2,
      Appliances: 1,
      Webhooks: 1,
    });
    expect(copiedAgain.output.outcome).toBe('unchanged');
    expect((await restore('reconcile', ...at, '--check')).output.changes).toEqual([]);
  });

  provenTest('by two operators at once puts each row back once', campaign, async () => {
    await takeNewStack();
    const { companyId, keys } = await onboard(store, { keys: 10 });
    await restoreNow();
    for (const key of keys) await loseKey(companyId, key);
    const runs = await Promise.all([1, 2].map(() => restore('copy', ...at, ...because)));
    expect(runs.map(({ exit }) => exit)).toEqual(['ok', 'ok']);
    expect((await readTakenSlots(store, companyId, nowMs)).length).toBe(10);
    const copies = (await readAudit(store, companyId)).filter(({ operation }) => operation === 'restore copy');
    expect(copies.map(({ keyId }) => keyId).sort()).toEqual(keys.map(({ keyId }) => keyId).sort());
  });

  provenTest(
    'fills the empty tables of a new stack, and heeds a record that was restored to a later second',
    campaign,
    async () => {
      await takeNewStack();
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
});

describe('restore reconcile', () => {
  /** Brings rows of the restored tables back as they were, as whoever adopts those tables does. */
  const adoptRow = async (table: TableName, Key: Record<string, string>) => {
    const TableName = `${stackName}-restored-${table}-20360310T120000Z`;
    const { Item } = await store.send(new GetCommand({ TableName, Key }));
    await store.send(new PutCommand({ TableName: store.tableName(table), Item }));
  };

  let early: Awaited<ReturnType<typeof restore>>;
  let deprived: Company;
  let before: Awaited<ReturnType<typeof findContract>>;
  let adoptDeprived: () => Promise<void>;
  let gifted: Company;

  beforeAll(async () => {
    await takeNewStack();
    deprived = await onboard(store, { keys: 2, allowedCidrs: ['127.0.0.0/8'] });
    await operateAt(-1, 'gateway', 'grant', deprived.companyId, 'gw-1');
    gifted = await onboard(store, { state: 'suspended', acceptedConsentVersion: 2 });
    const undone = await onboard(store);
    await restoreNow();
    early = await restore('reconcile', ...at, '--check');

    const { companyId, keys } = deprived;
    const [kept, gone] = keys;
    const { slot } = (await findApiKey(store, companyId, gone?.keyId ?? '')) ?? { slot: -1 };
    await deleteApiKey(store, actAt(5, companyId, kept), gone?.keyId ?? '');
    await operateAt(6, 'gateway', 'revoke', companyId, 'gw-1');
    await operateAt(7, 'consent', 'withdraw', companyId);
    await operateAt(8, 'company', 'suspend', companyId);
    before = await findContract(store, companyId);
    adoptDeprived = async () => {
      for (const key of [keyItemKey(gone as NewKey), slotItemKey(companyId, slot)]) await adoptRow('ApiKeys', key);
      for (const key of [contractKey(companyId), grantKey(companyId, 'gw-1')]) await adoptRow('Contracts', key);
    };
    await adoptDeprived();

    await operateAt(1, 'company', 'resume', gifted.companyId);
    await operateAt(2, 'gateway', 'grant', gifted.companyId, 'gw-7');
    await operateAt(3, 'consent', 'accept', gifted.companyId);
    await operateAt(4, 'key', 'issue', gifted.companyId);
    const issued = (await listApiKeys(store, gifted.companyId, 10)).keys;
    await adoptRow('Contracts', contractKey(gifted.companyId));
    await deleteRow('Contracts', grantKey(gifted.companyId, 'gw-7'));
    for (const key of issued) if (key.keyId !== gifted.key.keyId) await deleteRow('ApiKeys', keyItemKey(key));

    await operateAt(1, 'company', 'suspend', undone.companyId);
    await operateAt(2, 'company', 'resume', undone.companyId);
    await operateAt(3, 'gateway', 'grant', undone.companyId, 'gw-1');
    await operateAt(4, 'gateway', 'revoke', undone.companyId, 'gw-1');
    await operateAt(5, 'gateway', 'grant', undone.companyId, 'gw-1');
  });

  test('says plainly if nothing is on record since, and what to do then', () => {
    expect(early.output.hasLaterRecord).toBe(false);
    expect(early.stderr).toMatch(/no row after 2036-03-10T12:00:00Z.*each company should replace its keys/);
  });

  test('takes away again what was taken away on record, and lists what was given; what was undone since is neither', async () => {
    const { companyId, keys } = deprived;
    const [kept, gone] = keys;
    expect(await statusOf(gone?.apiKey)).toBe(200);

    const check = await restore('reconcile', ...at, '--check');
    expect([check.exit, check.output.hasLaterRecord, check.output.changes.length]).toEqual(['drift', true, 1]);
    expect(await statusOf(gone?.apiKey)).toBe(200);

    const { exit, output } = await restore('reconcile', ...at, ...because);
    expect([exit, output.changes.length]).toEqual(['ok', 1]);
    expect(output.changes[0].differences.map(({ what }: { what: string }) => what).sort()).toEqual(
      [
        'acceptanceReceivedAt',
        'acceptedAt',
        'acceptedConsentVersion',
        'consentBeganAt',
        'consentBeganClaimedAt',
        'consentChangedAt',
        'consentClaimedAt',
        'consentedSince',
        'gateway gw-1',
        `key ${gone?.keyId}`,
        'state',
      ].sort(),
    );
    expect(await findApiKey(store, companyId, gone?.keyId ?? '')).toBeUndefined();
    expect((await readTakenSlots(store, companyId, nowMs)).map(({ keyId }) => keyId)).toEqual([kept?.keyId]);
    expect(await readAllGrants(store, companyId)).toEqual([]);
    expect(await findContract(store, companyId)).toEqual(before);

    expect(output.given.map(({ command }: { command: string }) => command)).toEqual([
      `company resume ${gifted.companyId}`,
      `consent accept ${gifted.companyId}`,
      `gateway grant ${gifted.companyId} gw-7`,
      `key issue ${gifted.companyId}`,
    ]);
    const asRestored = { state: 'suspended', acceptedConsentVersion: 2 };
    expect(await findContract(store, gifted.companyId)).toMatchObject(asRestored);
    expect(await restore('reconcile', ...at, '--check')).toMatchObject({ exit: 'ok', output: { changes: [] } });
  });

  test('broken off or run twice at once, ends in the same', async () => {
    await adoptDeprived();
    await Promise.all([1, 2].map(() => restore('reconcile', ...at, ...because)));
    await restore('reconcile', ...at, ...because);
    expect(await findContract(store, deprived.companyId)).toEqual(before);
    expect(await readAllGrants(store, deprived.companyId)).toEqual([]);
    expect((await restore('reconcile', ...at, '--check')).exit).toBe('ok');
  });
});
