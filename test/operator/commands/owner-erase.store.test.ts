import { PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { lateDays } from '../../../lambdas/api/queues.ts';
import { type TableName, tables } from '../../../lambdas/api/tables.ts';
import { handler as recordContractEvents } from '../../../lambdas/consumers/recordContractEvents.ts';
import { readGatewayState } from '../../../lambdas/data/appliances/erasure.ts';
import { auditPut, readAuditLog } from '../../../lambdas/data/audit.ts';
import { findContract, toContractItem } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import { openContract } from '../../../lambdas/data/contracts/owner-decisions.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { erasedAuditAttributes } from '../../../operator/cli/roles.ts';
import { readNewestEvents } from '../../../operator/companies/newest-events.ts';
import { replaceInAudit } from '../../../operator/owners/audit-pseudonyms.ts';
import type { StoredChange } from '../../../operator/owners/known-owner.ts';
import { campaign, sampleOf } from '../../support/campaign.ts';
import { contractRecord, newStreamProcess } from '../../support/feed.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { ownerScene } from '../../support/owner-scene.ts';
import { operatorActOn, readAudit } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let scene: Awaited<ReturnType<typeof ownerScene>>;
beforeAll(async () => {
  world = await openWorld();
});
const takeNewScene = async () => {
  scene = await ownerScene(world.store);
};

const because = ['--yes', '--reason'];

/** Erases the owner of the scene. */
const erase = (store: Store = world.store, own: readonly string[] = [...because, `${scene.owner} asks for it.`]) =>
  operateForJson(['owner', 'erase', scene.owner, ...own], { store });

const exported = async () =>
  (await operateForJson(['owner', 'export', scene.owner], { store: world.store, nowMs: startMs })).output;

/** The rows of all tables. */
const everythingStored = async (): Promise<Record<string, unknown>[]> => {
  const scans = (Object.keys(tables) as TableName[]).map((table) =>
    world.store.send(new ScanCommand({ TableName: world.store.tableName(table) })),
  );
  return (await Promise.all(scans)).flatMap(({ Items = [] }) => Items);
};

const whole = { contracts: 2, grants: 4, gateways: 2, events: 4 };

describe('after an erasure', () => {
  const hourAgo = startMs - 3_600_000;
  const changesOf = async (id: string) => (await readAuditLog(world.store, { by: 'user', id }, 1000)).rows;
  let reasonRows: readonly ReasonRow[];
  let before: Awaited<ReturnType<typeof readBefore>>;
  let erased: Awaited<ReturnType<typeof erase>>;

  /** An audit row of another subject, whose reason contains the id of the owner. */
  type ReasonRow = readonly [subject: string, how: { operation: string; userId?: string }, target: object];

  const reasonRowsOf = ({ first, second, neighbour }: typeof scene): ReasonRow[] => [
    [first, { operation: 'key revoke' }, { keyId: 'k' }],
    [second, { operation: 'company suspend' }, { after: { state: 'suspended' } }],
    [second, { operation: 'webhook disable' }, { webhookId: 'w' }],
    [first, { operation: 'contract end', userId: neighbour }, {}],
    ['PartnerApi-local/queues', { operation: 'integration dead drop' }, { queue: 'portalEvents' }],
    ['PartnerApi-local', { operation: 'restore copy' }, {}],
  ];

  const readBefore = async ({ first, owner, neighbour }: typeof scene) => ({
    changes: await changesOf(owner),
    changesOfNeighbour: await changesOf(neighbour),
    events: await readNewestEvents(world.store, first, 100),
  });

  beforeAll(async () => {
    await takeNewScene();
    reasonRows = reasonRowsOf(scene);
    const reason = `asked for by ${scene.owner}...`;
    for (const [subject, how, target] of reasonRows)
      await transact(world.store, {
        audit: auditPut(world.store, { ...operatorActOn(subject, hourAgo), ...how, reason }, target),
      });
    before = await readBefore(scene);
    erased = await erase();
  });

  test('nothing of the owner is left in any table, except its time while late events may arrive', async () => {
    const { first, second, owner, neighbour, own, got, given } = scene;
    expect([erased.exit, erased.output]).toEqual(['ok', expect.objectContaining({ ...whole, outcome: 'changed' })]);
    expect(await exported()).toMatchObject({
      contracts: [first, second].toSorted().map((companyId) => ({
        companyId,
        state: 'erased',
        since: null,
        gatewayIds: [],
        consent: { acceptedVersion: null, acceptedAt: null, changedAt: null },
      })),
      grants: [],
      gateways: [],
      changes: [],
      events: [],
    });
    const withId = (await everythingStored()).filter((row) => JSON.stringify(row).includes(owner));
    const removeAt = startMs / 1000 + lateDays * 86_400;
    expect(withId.map(({ contractId, erasedAtMs, removeAt: goesAt }) => [contractId, erasedAtMs, goesAt])).toEqual(
      expect.arrayContaining(
        [`*|${owner}`, `${first}|${owner}`, `${second}|${owner}`].map((id) => [id, startMs, removeAt]),
      ),
    );
    expect(withId).toHaveLength(3);
    expect(await readGatewayState(world.store, own)).toEqual([]);
    expect(await readGatewayState(world.store, got)).toEqual([]);
    expect((await readGatewayState(world.store, given)).length).toBe(3);
    expect((await scene.contractWith(first, neighbour))?.gateways).toHaveProperty(given);
  });

  test('who did what and when is kept, under a hash that the id yields again', async () => {
    const { owner, neighbour } = scene;
    const { pseudonym } = erased.output;
    expect(await changesOf(owner)).toEqual([]);
    const after = await changesOf(pseudonym);
    const facts = ({ at, operation, gatewayId, subject }: Record<string, unknown>) => ({
      at,
      operation,
      gatewayId,
      subject,
    });
    expect(after.map(facts)).toEqual(expect.arrayContaining(before.changes.map(facts)));
    expect(after.filter(({ operation }) => operation === 'owner erase').map((row) => row.reason)).toContain(
      `${pseudonym} asks for it.`,
    );
    expect(after.map((row) => row.after?.state)).toEqual(expect.arrayContaining(['begun', 'done', 'erased']));
    // The owners before and after them stay.
    const unnamed = JSON.stringify(before.changesOfNeighbour).replaceAll(owner, pseudonym);
    expect(await changesOf(neighbour)).toEqual(JSON.parse(unnamed));
    expect((await erase(world.store, ['--dry-run'])).output.pseudonym).toBe(pseudonym);
  });

  test('the id is replaced in the reasons of all audit rows: on keys, webhooks, companies, messages', async () => {
    const subjects = [...new Set(reasonRows.map(([subject]) => subject))];
    const rows = (await Promise.all(subjects.map((id) => readAudit(world.store, id)))).flat();
    const replaced = `asked for by ${erased.output.pseudonym}...`;
    const kept = rows.filter((row) => row.reason === replaced && row.at === toTimestamp(hourAgo));
    expect(kept).toHaveLength(reasonRows.length);
    expect(JSON.stringify(rows)).not.toContain(scene.owner);
  });

  test('it lists the logs that neither it nor an export covers, and when their lines expire', async () => {
    const until = toTimestamp(startMs + loadStageConfig('local').logRetentionDays * 86_400_000);
    const kept = ['RequestLog', 'ConsumerLog'].map((logGroup) => expect.objectContaining({ logGroup, until }));
    expect(erased.output.logs).toEqual(kept);
    expect((await exported()).logs).toEqual(kept);
    const { stdout } = await operate(['owner', 'export', scene.owner], { store: world.store, nowMs: startMs });
    for (const text of ['RequestLog', until]) expect(stdout).toContain(text);
  });

  test('the feed has the numbers of its events, and all events of others', async () => {
    const after = await readNewestEvents(world.store, scene.first, 100);
    expect(after.map(({ seq, event }) => [seq, event.id])).toEqual(
      before.events.map(({ seq, event }) => [seq, event.id]),
    );
    const kept = after.flatMap(({ event }) => ('userId' in event ? [event.userId] : []));
    expect(kept).toEqual([scene.neighbour, scene.neighbour]);
  });
});

test.each(erasedAuditAttributes)(
  'an erasure does not overwrite a row of the audit log whose %s a concurrent run has changed',
  async (name) => {
    const [companyId, userId] = [`changed-${name}`, `owner-${name}`];
    const auditContext = { ...operatorActOn(companyId, startMs), userId, reason: `for ${userId}` };
    const target = { keyId: 'k', before: { userId }, after: { userId } };
    await transact(world.store, { audit: auditPut(world.store, auditContext, target) });
    const find = async () => (await readAudit(world.store, companyId)) as unknown as StoredChange[];
    const [seen] = (await find()) as [StoredChange];
    const changed = { ...seen, [name]: 'changed by another' };
    await world.store.send(new PutCommand({ TableName: world.store.tableName('AuditLog'), Item: changed }));
    await replaceInAudit(world.store, [seen], { userId, pseudonym: 'erased-late' });
    expect(await find()).toEqual([changed]);
  },
);

describe('an erasure', () => {
  beforeEach(takeNewScene);

  test('keeps the state of a gateway that a later owner has or had', async () => {
    const { first, given, neighbour } = scene;
    const revocation = { gatewayId: given, isGranted: false, userId: neighbour };
    await applyGrant(world.store, operatorActOn(first, startMs), revocation);
    expect((await erase()).output).toMatchObject(whole);
    expect((await readGatewayState(world.store, given)).length).toBe(3);
  });

  test('keeps the events that report the end to the company, even after a second run', async () => {
    const { first, owner } = scene;
    const before = await scene.contractWith(first);
    const ended: Contract[] = [];
    const watched = watching(async () => {
      const contract = await findContract(world.store, { companyId: first, userId: owner });
      if (contract?.state === 'ended' && ended.length === 0) ended.push({ ...contract, gateways: {} });
    });
    await erase(watched);
    const environment = {
      ...world.environment,
      ...newStreamProcess(),
      processTimeMs: () => startMs,
      log: () => undefined,
      queueDelivery: async () => undefined,
    };
    const Records = [contractRecord(1, toContractItem(before as Contract), toContractItem(ended[0] as Contract))];
    await recordContractEvents.withEnvironment(environment)({ Records }, undefined);
    expect((await erase()).output).toMatchObject({ outcome: 'unchanged' });
    const { events } = await exported();
    expect(events.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(['contract.changed', 'consent.changed', 'gateway.removed', 'gateway.removed']),
    );
  });

  test('as a dry run shows what it would do, and changes nothing; a second run has nothing to do', async () => {
    const before = await everythingStored();
    const { output } = await erase(world.store, ['--dry-run']);
    expect(output).toMatchObject({ ...whole, outcome: 'would-change' });
    expect(await everythingStored()).toEqual(before);
    expect((await erase()).output).toMatchObject({ ...whole, outcome: 'changed' });
    const nothing = { contracts: 0, grants: 0, gateways: 0, events: 0, changes: 0, outcome: 'unchanged' };
    expect((await erase()).output).toMatchObject(nothing);
  });

  test.each(sampleOf([1, 4, 7, 10, 13, 16, 22, 30], 4))(
    'that is interrupted at its write %i is completed by the next run',
    campaign,
    async (ordinal) => {
      const { first, second, owner } = scene;
      let writes = 0;
      const dying = watching(() => {
        if (++writes > ordinal) throw new Error('killed');
      });
      await erase(dying);
      await erase();
      expect((await erase()).output).toMatchObject({ outcome: 'unchanged' });
      const left = (await everythingStored()).filter((row) => JSON.stringify(row).includes(owner));
      expect(left.map(({ contractId }) => contractId).toSorted()).toEqual(
        [`*|${owner}`, `${first}|${owner}`, `${second}|${owner}`].toSorted(),
      );
    },
  );

  test('reports a concurrent change of a contract, and the next run completes it', async () => {
    const { first, owner } = scene;
    const meanwhile = async (input: object) => {
      if (!JSON.stringify(input).includes(`"contractId":"${first}|`) || writes++ > 0) return;
      const { contractId } = toContractItem((await scene.contractWith(first)) as Contract);
      await world.store.send(
        new UpdateCommand({
          TableName: world.store.tableName('Contracts'),
          Key: { contractId },
          UpdateExpression: 'SET sinceMs = :since',
          ExpressionAttributeValues: { ':since': 1 },
        }),
      );
    };
    let writes = 0;
    const { exit, stderr } = await erase(watching(meanwhile));
    expect([exit, stderr]).toEqual(['conflict', expect.stringContaining('run the command again for the rest')]);
    await erase();
    expect((await scene.contractWith(first))?.state).toBe('unopened');
    expect(owner).toBe(scene.owner);
  });

  test('of an owner who has come back erases the new data too', async () => {
    const { first, owner } = scene;
    await erase();
    const act = { ...operatorActOn(first, startMs + 120_000), userId: owner };
    expect(await openContract(world.store, act, { userId: owner })).toEqual({ outcome: 'applied' });
    const { output } = await operateForJson(['owner', 'erase', owner, ...because, 'again'], {
      store: world.store,
      nowMs: startMs + 240_000,
    });
    expect(output).toMatchObject({ contracts: 1, outcome: 'changed' });
    expect(await scene.contractWith(first)).toMatchObject({ state: 'unopened', erasedAtMs: startMs + 240_000 });
  });
});

/** The world's store, with a callback before each transaction is sent. */
const watching = (seen: (input: object) => unknown): Store => ({
  ...world.store,
  send: (async (command: { readonly input: object }, ...rest: never[]) => {
    if (command.constructor.name === 'TransactWriteCommand') await seen(command.input);
    return world.store.send(command as never, ...rest);
  }) as Store['send'],
});
