import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import { findApiKey, readTakenSlots } from '../../../lambdas/data/api-keys/api-keys.ts';
import { auditPut } from '../../../lambdas/data/audit.ts';
import { companyKey, findCompany, putCompany } from '../../../lambdas/data/contracts/companies.ts';
import { contractKey, findContract } from '../../../lambdas/data/contracts/contracts.ts';
import { ownersKey, readGranters } from '../../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import { findWebhook, webhookKey } from '../../../lambdas/data/webhooks/webhooks.ts';
import { installGateway } from '../../support/appliance.ts';
import { call, registerWebhook } from '../../support/call.ts';
import { proven } from '../../support/campaign.ts';
import { operateForJson } from '../../support/operator.ts';
import {
  because,
  loseKey,
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
import { issueKey, onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let store: Store;
beforeAll(async () => {
  world = await openWorld();
  ({ store } = world);
});

const statusOf = async (apiKey = '') => (await call('getOwnApiKey', { apiKey })).status;

describe('restore copy', () => {
  type Copied = {
    readonly table: string;
    readonly copied: number;
    readonly differing: number;
    readonly left: { what: string; why: string }[];
  };
  type Run = Awaited<ReturnType<typeof restore>>;

  /** Changes of a scene's own rows after the restore and during the copy, and the checks at the end. */
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
    'restores lost rows of all tables, so that partners can call again': async () => {
      const { companyId, key, contract } = await onboard(store);
      await operateAt(-1, 'gateway', 'grant', companyId, 'gw-1');
      await installGateway(store, { gatewayId: 'gw-1' });
      const webhook = await registerWebhook(store, companyId);
      const [audited] = await readAudit(store, companyId);
      return {
        since: async () => {
          await loseKey(companyId, key);
          await loseRow('Companies', companyKey(companyId));
          await loseRow('Contracts', contractKey(partiesOf(companyId)));
          await loseRow('Appliances', ownersKey(companyId, 'gw-1'));
          await loseRow('Appliances', { gatewayId: 'gw-1', sk: 'GATEWAY' });
          await loseRow('AuditLog', { subject: companyId, sk: String(audited?.sk) });
          await loseRow('Webhooks', webhookKey(companyId, webhook.webhookId));
        },
        meanwhile: async () => expect(await statusOf(key.apiKey)).toBe(401),
        inTheEnd: async () => {
          expect(await findWebhook(store, companyId, webhook.webhookId)).toEqual(webhook);
          expect(await statusOf(key.apiKey)).toBe(200);
          expect(await findContract(store, partiesOf(companyId))).toMatchObject({
            ...contract,
            gateways: { 'gw-1': {} },
          });
          expect([...(await readGranters(store, 'gw-1')).keys()]).toContain(companyId);
          expect(await gatewaysOf(store, companyId)).toEqual(['gw-1']);
          expect((await readTakenSlots(store, companyId, presentMs)).map(({ keyId }) => keyId)).toEqual([key.keyId]);
          expect((await readAudit(store, companyId)).map(({ sk }) => sk)).toContain(audited?.sk);
        },
      };
    },
    'sets back a company that was changed without an audit row only with --differing, and no contract that ended since':
      async () => {
        const { companyId, company } = await onboard(store);
        const spoiled = { ...company, name: 'Spoiled', allowedCidrs: ['0.0.0.0/0'] } as const;
        return {
          since: async () => {
            await putCompany(store, spoiled);
            await operateAt(11, 'contract', 'end', companyId);
          },
          inTheEnd: async () => {
            expect(await findCompany(store, companyId)).toEqual(spoiled);
            expect([ofTable(copied, 'Companies').differing, ofTable(copied, 'Contracts').differing]).toEqual([1, 1]);
            const setBack = (table: string, ...rest: string[]) =>
              restore('copy', ...toStart, '--differing', table, ...(rest.length > 0 ? rest : because));
            const dryRun = await setBack('Companies', '--dry-run');
            const expected = [{ what: `Companies ${companyId}`, attributes: ['allowedCidrs', 'name'] }];
            expect([dryRun.output.outcome, dryRun.output.tables[0].setBack]).toEqual(['would-change', expected]);
            expect(await findCompany(store, companyId)).toEqual(spoiled);
            const { output } = await setBack('Companies');
            expect([output.outcome, output.tables.length, output.tables[0].setBack]).toEqual(['changed', 1, expected]);
            expect(await findCompany(store, companyId)).toEqual(company);
            const ofContracts = await setBack('Contracts');
            expect([ofContracts.output.outcome, whyLeft(ofContracts, 'Contracts', companyId)]).toEqual([
              'unchanged',
              [expect.stringMatching(/^changed since: contract end at /)],
            ]);
          },
        };
      },
    'never restores a key, gateway or right that was revoked in the audit log': async () => {
      const { companyId, keys } = await onboard(store, { keys: 2 });
      const [_kept, gone] = keys;
      const keyId = gone?.keyId ?? '';
      await operateAt(-1, 'gateway', 'grant', companyId, 'gw-2');
      return {
        since: async () => {
          await deleteApiKey(store, partnerActAt(5, companyId, 'deleteApiKey'), keyId);
          // A row has the time at which its request began: the row of a repeat that shows the key may follow the deletion.
          const repeat = partnerActAt(5.001, companyId, 'createApiKey repeat');
          await transact(store, { audit: auditPut(store, repeat, { keyId }) });
          await operateAt(6, 'gateway', 'revoke', companyId, 'gw-2');
          await operateAt(7, 'contract', 'end', companyId);
          await operateAt(8, 'consent', 'withdraw', companyId);
          await operateAt(9, 'company', 'suspend', companyId);
          await loseRow('Companies', companyKey(companyId));
          await loseRow('Contracts', contractKey(partiesOf(companyId)));
        },
        inTheEnd: async () => {
          expect(await findCompany(store, companyId)).toMatchObject({ state: 'suspended' });
          expect(await findApiKey(store, companyId, keyId)).toBeUndefined();
          expect(await statusOf(gone?.apiKey)).toBe(401);
          expect(whyLeft(copied, 'ApiKeys', keyId)).toEqual(['deleted according to AuditLog']);
          expect(await gatewaysOf(store, companyId)).toEqual([]);
          const ended = { state: 'ended', acceptedConsentVersion: null };
          expect(await findContract(store, partiesOf(companyId))).toMatchObject(ended);
        },
      };
    },
    'does not restore a key that its company deletes while the copy runs': async () => {
      const { companyId, keys } = await onboard(store, { keys: 2 });
      const [_kept, gone] = keys;
      const keyId = gone?.keyId ?? '';
      return {
        since: async () => undefined,
        meanwhile: () => deleteApiKey(store, partnerActAt(5, companyId, 'deleteApiKey'), keyId),
        inTheEnd: async () => expect(await findApiKey(store, companyId, keyId)).toBeUndefined(),
      };
    },
    'never creates an eleventh valid key, and moves a key whose slot is taken to another one': async () => {
      const { companyId, keys } = await onboard(store, { keys: 9 });
      const lost = keys.slice(0, 2);
      return {
        since: async () => {
          for (const key of lost) await loseKey(companyId, key);
          await issueKey(store, companyId, startMs + minuteMs);
          await issueKey(store, companyId, startMs + minuteMs);
        },
        inTheEnd: async () => {
          const taken = await readTakenSlots(store, companyId, presentMs);
          expect([taken.length, new Set(taken.map(({ keyId }) => keyId)).size]).toEqual([10, 10]);
          expect(whyLeft(copiedAgain, 'ApiKeys', companyId)).toEqual(['ten other keys are valid']);
        },
      };
    },
    'changes no row of the audit log, and lists those that differ': async () => {
      const { companyId } = await onboard(store);
      const [row] = await readAudit(store, companyId);
      const changed = { ...row, reason: 'another' };
      return {
        since: () => putRow('AuditLog', changed),
        inTheEnd: async () => {
          expect(whyLeft(copied, 'AuditLog')).toEqual(['differs, and is kept']);
          expect(await readAudit(store, companyId)).toEqual([changed]);
        },
      };
    },
  };

  /** Calls `meanwhile` within the copy, when it reads the keys, after the plan has read the audit log. */
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
    planned = await restore('copy', ...toStart, '--dry-run');
    const overtaken = actingMeanwhile(async () => {
      for (const [, { meanwhile }] of opened) await meanwhile?.();
    });
    const argv = ['restore', 'copy', ...toStart, ...because];
    copied = await operateForJson(argv, { ...theStage(), store: overtaken });
    copiedAgain = await restore('copy', ...toStart, ...because);
    return Object.fromEntries(opened);
  };
  let played: Readonly<Record<string, Scene>>;
  beforeAll(async () => {
    played = await playAll();
  });

  test.each(Object.keys(scenes))('%s', async (name) => void (await played[name]?.inTheEnd()));

  test('shows what it would copy and has copied; the result matches the audit log', async () => {
    expect(planned.output.outcome).toBe('would-change');
    expect([copied.exit, copied.output.outcome]).toEqual(['ok', 'changed']);
    expect(Object.fromEntries(copied.output.tables.map((each: Copied) => [each.table, each.copied]))).toEqual({
      AuditLog: 1,
      Companies: 2,
      Contracts: 2,
      ApiKeys: 2,
      Appliances: 2,
      Webhooks: 1,
    });
    expect(copiedAgain.output.outcome).toBe('unchanged');
    expect((await restore('reconcile', ...toStart, '--check')).output.changes).toEqual([]);
  });

  test('by two operators at once restores each row once', proven, async () => {
    await takeNewStack();
    const { companyId, keys } = await onboard(store, { keys: 10 });
    await restoreNow();
    for (const key of keys) await loseKey(companyId, key);
    const runs = await Promise.all([1, 2].map(() => restore('copy', ...toStart, ...because)));
    expect(runs.map(({ exit }) => exit)).toEqual(['ok', 'ok']);
    expect((await readTakenSlots(store, companyId, presentMs)).length).toBe(10);
    const copies = (await readAudit(store, companyId)).filter(({ operation }) => operation === 'restore copy');
    expect(copies.map(({ keyId }) => keyId).sort()).toEqual(keys.map(({ keyId }) => keyId).sort());
  });

  test('fills the empty tables of a new stack, and uses an audit log restored to a later second', proven, async () => {
    await takeNewStack();
    const { companyId, contract, keys } = await onboard(store, { keys: 10 });
    const [kept, gone] = keys;
    await operateAt(-1, 'gateway', 'grant', companyId, ...Array.from({ length: 60 }, (_, index) => `gw-${index}`));
    await restoreNow();
    await deleteApiKey(store, partnerActAt(5, companyId, 'deleteApiKey'), gone?.keyId ?? '');
    await store.send(new DeleteTableCommand({ TableName: restoredNameOf('AuditLog') }));
    await restoreNow();
    const record = await readAudit(store, companyId);
    await world.takeNewTables();

    expect((await restore('copy', ...toStart, ...because)).output.outcome).toBe('changed');
    expect(await findContract(store, partiesOf(companyId))).toEqual({ ...contract, gateways: expect.anything() });
    expect((await gatewaysOf(store, companyId)).length).toBe(60);
    expect(await statusOf(kept?.apiKey ?? '')).toBe(200);
    expect(await statusOf(gone?.apiKey ?? '')).toBe(401);
    expect(await readAudit(store, companyId)).toEqual(expect.arrayContaining(record));
    expect((await restore('copy', ...toStart, ...because)).output.outcome).toBe('unchanged');
    expect((await restore('reconcile', ...toStart, '--check')).exit).toBe('ok');
  });
});
