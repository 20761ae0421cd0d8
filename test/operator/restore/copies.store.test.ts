import { randomUUID } from 'node:crypto';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TableName } from '../../../lambdas/api/tables.ts';
import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import { keyItemKey, slotItemKey } from '../../../lambdas/data/api-keys/api-keys.ts';
import { circuitItemKey, gatewayItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { describeGateway, removeGateway } from '../../../lambdas/data/appliances/gateways.ts';
import { inventoryItemKey } from '../../../lambdas/data/appliances/inventory.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import { withdrawConsent } from '../../../lambdas/data/contracts/consent.ts';
import { contractKey, grantKey } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { noConsent } from '../../../lambdas/domain/consent.ts';
import { setGrants } from '../../../operator/companies/grants.ts';
import { readAuditRecord, recordsOf } from '../../../operator/restore/audit-record.ts';
import { type Item, keyOf } from '../../../operator/restore/row-copy.ts';
import { type CopiedTable, copiedTables, copyRows, copyTable } from '../../../operator/restore/table-copy.ts';
import { installGrantedGateway, readStored, toldAt } from '../../support/appliance.ts';
import { registerWebhook } from '../../support/call.ts';
import { consistencyOf, operatorActOn, overtakenBy } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const toolsWith = (store: Store, nowMs: number) => ({
  store,
  nowMs,
  stackName: 'PartnerApi-test',
  records: recordsOf(store, [store.tableName('AuditLog')], startMs),
  auditContext: async (subject: string) => operatorActOn(subject, nowMs),
});

/** Copies a row that was restored in the place of the stage's own, or where there is none; somebody may overtake. */
const copy = async (
  table: CopiedTable,
  restored: Item,
  own?: Item,
  meanwhile?: () => Promise<unknown>,
  nowMs = startMs,
) => {
  const store = meanwhile ? overtakenBy(world.store, meanwhile) : world.store;
  const [decision] = await copyRows(toolsWith(store, nowMs), table, [{ restored, own }], false);
  return decision;
};

const put = (table: TableName, row: Item) =>
  world.store.send(new PutCommand({ TableName: world.store.tableName(table), Item: row }));
const lose = (table: TableName, row: Item) =>
  world.store.send(new DeleteCommand({ TableName: world.store.tableName(table), Key: keyOf(table, row) }));
const find = async (table: TableName, row: Item): Promise<Item | undefined> =>
  (await world.store.send(new GetCommand({ TableName: world.store.tableName(table), Key: keyOf(table, row) }))).Item;

const leftMeanwhile = { kind: 'left', why: 'changed meanwhile; run again' };
const copied = { kind: 'copied' };

/** A company with one key, and the two rows of that key. */
const companyWithKey = async () => {
  const { companyId, key } = await onboard(world.store);
  const row = (await find('ApiKeys', keyItemKey(key))) as Item;
  const slot = (await find('ApiKeys', slotItemKey(companyId, Number(row.slot)))) as Item;
  return { companyId, row, slot };
};

describe('a key that was changed off the record', () => {
  test('is put right, but for the day of its last use', async () => {
    const { row } = await companyWithKey();
    const spoiled = { ...row, hash: new Uint8Array(32), lastUsedOn: '2036-03-10' };
    await put('ApiKeys', spoiled);
    expect(await copy('ApiKeys', row, spoiled)).toEqual(copied);
    expect(await find('ApiKeys', row)).toEqual({ ...row, lastUsedOn: '2036-03-10' });
  });

  test.each(Object.entries({ hash: new Uint8Array(32), slot: 10, createdAtMs: 1, createdByKeyId: 'k9', keyId: 'k9' }))(
    'is left as it is if its %s changes at the same moment',
    async (name, value) => {
      const { row } = await companyWithKey();
      const spoiled = { ...row, expiresAtMs: startMs + 1 };
      await put('ApiKeys', spoiled);
      const changed = { ...spoiled, [name]: value };
      expect(await copy('ApiKeys', row, spoiled, () => put('ApiKeys', changed))).toMatchObject(leftMeanwhile);
      expect(await find('ApiKeys', row)).toEqual(changed);
    },
  );

  test.each(Object.entries({ expiresAtMs: startMs + 2, lastUsedOn: '2036-03-10' }))(
    'is left as it is if its %s changes at the same moment, as long as it holds another hash',
    async (name, value) => {
      const { row } = await companyWithKey();
      const spoiled = { ...row, hash: new Uint8Array(32) };
      await put('ApiKeys', spoiled);
      const changed = { ...spoiled, [name]: value };
      expect(await copy('ApiKeys', row, spoiled, () => put('ApiKeys', changed))).toMatchObject(leftMeanwhile);
      expect(await find('ApiKeys', row)).toEqual(changed);
    },
  );
});

test('a key that was changed off the record and is deleted at the same moment stays deleted', async () => {
  const { row } = await companyWithKey();
  const spoiled = { ...row, hash: new Uint8Array(32) };
  await put('ApiKeys', spoiled);
  expect(await copy('ApiKeys', row, spoiled, () => lose('ApiKeys', row))).toMatchObject(leftMeanwhile);
  expect(await find('ApiKeys', row)).toBeUndefined();
});

describe('a lost key', () => {
  test.each<[string, (slot: Item) => Promise<unknown>]>([
    ['its slot still in its hands', async () => undefined],
    ['its slot lost with it', (slot) => lose('ApiKeys', slot)],
    [
      'its slot in the hands of one that runs out at that very moment',
      (slot) => put('ApiKeys', { ...slot, keyId: 'another', expiresAtMs: startMs }),
    ],
  ])('comes back into its slot: %s', async (_, prepare) => {
    const { row, slot } = await companyWithKey();
    await lose('ApiKeys', row);
    await prepare(slot);
    expect(await copy('ApiKeys', row)).toEqual(copied);
    expect([await find('ApiKeys', row), await find('ApiKeys', slot)]).toEqual([row, slot]);
  });

  test('whose slot another takes at the same moment is left, and the slot stays with the other', async () => {
    const { row, slot } = await companyWithKey();
    await lose('ApiKeys', row);
    await lose('ApiKeys', slot);
    const taken = { ...slot, keyId: 'another' };
    expect(await copy('ApiKeys', row, undefined, () => put('ApiKeys', taken))).toMatchObject(leftMeanwhile);
    expect([await find('ApiKeys', row), await find('ApiKeys', slot)]).toEqual([undefined, taken]);
  });

  test('that another brings back at the same moment stays as the other left it', async () => {
    const { row } = await companyWithKey();
    await lose('ApiKeys', row);
    const used = { ...row, lastUsedOn: '2036-03-10' };
    expect(await copy('ApiKeys', row, undefined, () => put('ApiKeys', used))).toMatchObject(leftMeanwhile);
    expect(await find('ApiKeys', row)).toEqual(used);
  });

  test.each([
    ['valid', startMs],
    ['expired', Date.parse('2100-01-01T00:00:00Z')],
  ])('that another brings back and its company deletes at the same moment stays deleted: %s', async (_, nowMs) => {
    const { companyId, row } = await companyWithKey();
    await lose('ApiKeys', row);
    const copyAndDelete = async () => {
      await put('ApiKeys', row);
      await deleteApiKey(world.store, operatorActOn(companyId), String(row.keyId));
    };
    expect(await copy('ApiKeys', row, undefined, copyAndDelete, nowMs)).toMatchObject(leftMeanwhile);
    expect(await find('ApiKeys', row)).toBeUndefined();
  });
});

describe('the lost slot of a key', () => {
  test('comes back', async () => {
    const { slot } = await companyWithKey();
    await lose('ApiKeys', slot);
    expect(await copy('ApiKeys', slot)).toEqual(copied);
    expect(await find('ApiKeys', slot)).toEqual(slot);
  });

  test('stays free if the key is deleted at the same moment', async () => {
    const { companyId, row, slot } = await companyWithKey();
    await lose('ApiKeys', slot);
    const remove = () => deleteApiKey(world.store, operatorActOn(companyId), String(row.keyId));
    expect(await copy('ApiKeys', slot, undefined, remove)).toMatchObject(leftMeanwhile);
    expect(await find('ApiKeys', slot)).toBeUndefined();
  });
});

/** An id of nothing else that is in the tables. */
const newId = () => randomUUID().slice(0, 8);

test.each<[string, CopiedTable, () => Item, Item]>([
  ['contract', 'Contracts', () => ({ ...contractKey(newId()), webhookHosts: [], ...noConsent }), { name: 'Another' }],
  ['gateway', 'Contracts', () => ({ ...grantKey(newId(), 'gw-1'), grantedAtMs: startMs }), { grantedAtMs: 0 }],
  [
    'appliance',
    'Appliances',
    () => ({ gatewayId: newId(), sk: 'GATEWAY', connectivity: 'online' }),
    { connectivity: 'offline' },
  ],
  ['audit row', 'AuditLog', () => ({ subject: newId(), sk: '2036-03-10T12:00:00.000Z#1' }), { operation: 'there' }],
  ['tombstone of a deleted key', 'AuditLog', () => ({ subject: newId(), sk: 'DELETED' }), { operation: 'there' }],
])('a lost %s comes back, but not over what somebody writes at the same moment', async (_, table, newRow, written) => {
  const row = newRow();
  expect(await copy(table, row)).toEqual(copied);
  expect(await find(table, row)).toEqual(row);
  await lose(table, row);
  const there = { ...row, ...written };
  expect(await copy(table, row, undefined, () => put(table, there))).toMatchObject(leftMeanwhile);
  expect(await find(table, row)).toEqual(there);
});

test('the stage’s own rows and what is on record are read strongly consistent before a copy', async () => {
  // In tables with few rows the restored one is scanned once.
  await world.takeNewTables();
  const { companyId } = await onboard(world.store);
  await installGrantedGateway(world.store, companyId);
  await registerWebhook(world.store, companyId);
  for (const table of copiedTables) {
    const restored = { [table]: world.store.tableName(table), AuditLog: world.store.tableName('AuditLog') };
    const run = { ...toolsWith(world.store, startMs), restored, toMs: startMs, isPlan: true };
    const [, ...reads] = await consistencyOf(() => copyTable(run, table));
    expect(reads.length).toBeGreaterThan(0);
    expect(reads).not.toContain(false);
  }
  expect(await consistencyOf(() => toolsWith(world.store, startMs).records.of(companyId))).toEqual([true]);
});

describe('appliance copies', () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  beforeAll(async () => {
    world = await openWorld();
  });

  type Rows = Readonly<Record<'gateway' | 'circuit' | 'inventory', Item>>;
  const kinds = ['circuit', 'gateway', 'inventory'] as const;

  /** A gateway with one circuit, told of at 1 and 2 ms, and its rows as they were then. */
  const openScene = async () => {
    const gatewayId = `gw-${randomUUID()}`;
    const keys = {
      circuit: circuitItemKey(gatewayId, 'heating', 'hc1'),
      gateway: gatewayItemKey(gatewayId),
      inventory: inventoryItemKey(gatewayId),
    };
    const describes = (at: number, circuitIds: readonly string[]) => {
      const circuits = circuitIds.map((circuitId) => ({ family: 'heating' as const, circuitId, timeProgramIds: [] }));
      const plate = { name: 'Cellar', type: 'heat-pump', components: [], limits: {} };
      return describeGateway(world.store, { ...plate, gatewayId, circuits } as never, toldAt(startMs + at));
    };
    const reports = (at: number) => {
      return report(world.store, keys.circuit, { circuitId: 'hc1' }, { reported: { at } }, toldAt(startMs + at));
    };
    const read = async (kind: (typeof kinds)[number]) => (await readStored(world.store, keys[kind])) as Item;
    const readAll = async () =>
      ({ circuit: await read('circuit'), gateway: await read('gateway'), inventory: await read('inventory') }) as Rows;
    await describes(1, ['hc1']);
    await reports(2);
    return {
      ...{ describes, reports, readAll, restored: await readAll() },
      removes: (at: number) => removeGateway(world.store, gatewayId, toldAt(startMs + at)),
      lose: (kind: (typeof kinds)[number]) =>
        world.store.send(new DeleteCommand({ TableName: world.store.tableName('Appliances'), Key: keys[kind] })),
    };
  };

  const toolsWith = (store = world.store) => ({
    store,
    nowMs: startMs,
    stackName: 'a-stack',
    records: recordsOf(store, [store.tableName('AuditLog')], startMs),
    auditContext: async (subject: string) => operatorActOn(subject),
  });

  /** Copies the restored rows where there are none by now; somebody may overtake the first write. */
  const copy = async (restored: readonly Item[], own: readonly Item[] = [], meanwhile?: () => Promise<unknown>) => {
    const store = meanwhile ? overtakenBy(world.store, meanwhile) : world.store;
    const pairs = restored.map((row) => ({ restored: row, own: own.find((each) => each?.sk === row.sk) }));
    const decisions = await copyRows(toolsWith(store), 'Appliances', pairs, false);
    return decisions.map((decision) => (decision.kind === 'left' ? decision.why : decision.kind));
  };

  const leftMeanwhile = 'changed meanwhile; run again';

  test('the rows of a gateway come back that are all lost, in one run', async () => {
    const { restored, lose, readAll } = await openScene();
    for (const kind of kinds) await lose(kind);
    expect(await copy(Object.values(restored))).toEqual(['copied', 'copied', 'copied']);
    expect(await readAll()).toEqual(restored);
  });

  test('the rows of a gateway come back whose inventory is not lost', async () => {
    const { restored, lose, readAll } = await openScene();
    await lose('gateway');
    await lose('circuit');
    expect(await copy([restored.gateway, restored.circuit])).toEqual(['copied', 'copied']);
    expect(await readAll()).toEqual(restored);
  });

  describe('what its gateway told since to be gone stays gone', () => {
    test('a gateway that was removed, with its circuits', async () => {
      const { restored, removes, readAll } = await openScene();
      await removes(3);
      const own = await readAll();
      expect(await copy(Object.values(restored), Object.values(own))).toEqual([
        'same',
        'removed since',
        'removed since',
      ]);
      expect(await readAll()).toEqual(own);
    });

    test('a circuit that its gateway has no longer, whereas the gateway comes back', async () => {
      const { restored, describes, lose, readAll } = await openScene();
      await describes(3, []);
      await lose('gateway');
      expect(await copy([restored.gateway, restored.circuit])).toEqual(['copied', 'removed since']);
      expect(await readAll()).toMatchObject({ gateway: restored.gateway, circuit: undefined });
    });

    test('a circuit that was lost already when its gateway told that it has it no longer', async () => {
      const { restored, describes, lose, readAll } = await openScene();
      await lose('circuit');
      await describes(3, []);
      expect(await copy([restored.circuit])).toEqual(['removed since']);
      expect((await readAll()).circuit).toBeUndefined();
    });

    test('a circuit that went and came again: its next report brings it back, and its versions go on', async () => {
      const { restored, describes, reports, readAll } = await openScene();
      await describes(3, []);
      await describes(4, ['hc1']);
      // The restored row is newer than the gateway’s own clock says of the absence.
      expect(await copy([{ ...restored.circuit, reportedAtMs: startMs + 5 }])).toEqual(['removed since']);
      await reports(6);
      expect((await readAll()).circuit).toMatchObject({ version: 2 });
    });
  });

  test.each([
    ['known', async () => undefined],
    ['lost, too', (scene: Awaited<ReturnType<typeof openScene>>) => scene.lose('inventory')],
  ])('nothing comes back of a gateway that is removed at the same moment; its inventory is %s', async (_, prepare) => {
    const scene = await openScene();
    await scene.lose('circuit');
    await prepare(scene);
    expect(await copy([scene.restored.circuit], [], () => scene.removes(3))).toEqual([leftMeanwhile]);
    expect(await scene.readAll()).toMatchObject({ circuit: undefined, gateway: undefined });
  });

  test('a lost circuit that is reported at the same moment stays as it was reported', async () => {
    const { restored, lose, reports, readAll } = await openScene();
    await lose('circuit');
    expect(await copy([restored.circuit], [], () => reports(8))).toEqual([leftMeanwhile]);
    expect((await readAll()).circuit).toMatchObject({ reportedAtMs: startMs + 8 });
  });

  test('a lost inventory comes back, but not over one that somebody writes at the same moment', async () => {
    const { restored, lose, describes, readAll } = await openScene();
    await lose('inventory');
    expect(await copy([restored.inventory], [], () => describes(7, ['hc1']))).toEqual([leftMeanwhile]);
    expect((await readAll()).inventory).toMatchObject({ describedAtMs: startMs + 7 });
  });

  test('the inventory is read strongly consistent', async () => {
    const { restored, lose } = await openScene();
    await lose('circuit');
    const pairs = [{ restored: restored.circuit, own: undefined }];
    expect(await consistencyOf(() => copyRows(toolsWith(), 'Appliances', pairs, true))).toEqual([true]);
  });
});

describe('audit record', () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  beforeAll(async () => {
    world = await openWorld();
  });

  const hourMs = 3_600_000;

  const recordOf = (companyId: string) =>
    readAuditRecord(world.store, [world.store.tableName('AuditLog')], companyId, startMs);

  /** The context of an event of a fact that is put on record then. */
  const eventOf = (companyId: string, factMs: number, recordedAtMs: number) => ({
    ...operatorActOn(companyId, factMs),
    recordedAtMs,
  });

  test('what events have changed since a second is on record, however long before it their facts were', async () => {
    const { companyId, contract } = await onboard(world.store, { acceptedAtMs: startMs - 900 * hourMs });
    const { userId } = contract;
    const event = eventOf(companyId, startMs - 600 * hourMs, startMs + hourMs);
    expect(await withdrawConsent(world.store, event, { userId })).toEqual({ outcome: 'applied' });
    await applyGrant(world.store, event, { gatewayId: 'gw-1', isGranted: false, userId });
    expect(await recordOf(companyId)).toMatchObject({
      isLater: true,
      contract: { acceptedConsentVersion: null, consentChangedAtMs: event.nowMs },
      grants: new Map([['gw-1', { isGranted: false, atMs: event.nowMs }]]),
    });
  });

  test('of a gateway the last change by time counts, also where an older one was put on record after it', async () => {
    const { companyId, contract } = await onboard(world.store);
    // The command began then, and waited for a person to confirm it.
    const revocation = operatorActOn(companyId, startMs + 1000);
    const added = { gatewayId: 'gw-1', isGranted: true, userId: contract.userId };
    expect(await applyGrant(world.store, eventOf(companyId, startMs + 500, startMs + 2000), added)).toEqual({
      outcome: 'applied',
    });
    expect(await setGrants(world.store, revocation, ['gw-1'], false)).toMatchObject({ outcome: 'done' });
    const { grants } = await recordOf(companyId);
    expect(grants.get('gw-1')).toEqual({ isGranted: false, atMs: revocation.nowMs });
  });
});
