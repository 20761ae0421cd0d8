import { PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { type TableName, tables } from '../../../lambdas/api/tables.ts';
import { handler as recordContractEvents } from '../../../lambdas/consumers/recordContractEvents.ts';
import { readGatewayState } from '../../../lambdas/data/appliances/erasure.ts';
import { auditPut, readAuditLog } from '../../../lambdas/data/audit.ts';
import { findContract, toContractItem } from '../../../lambdas/data/contracts/contracts.ts';
import { lateDays } from '../../../lambdas/data/contracts/erasure.ts';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import { openContract } from '../../../lambdas/data/contracts/owner-decisions.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { erasedAuditAttributes } from '../../../operator/cli/roles.ts';
import { readNewestEvents } from '../../../operator/commands/events.ts';
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
beforeEach(async () => {
  scene = await ownerScene(world.store);
});

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

describe('an erasure', () => {
  test('leaves nothing of an owner in any table, except its time while late events may arrive', async () => {
    const { first, second, owner, neighbour, own, got, given } = scene;
    const { exit, output } = await erase();
    expect([exit, output]).toEqual(['ok', expect.objectContaining({ ...whole, outcome: 'changed' })]);
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

  test('keeps the state of a gateway that a later owner has or had', async () => {
    const { first, given, neighbour } = scene;
    const revocation = { gatewayId: given, isGranted: false, userId: neighbour };
    await applyGrant(world.store, operatorActOn(first, startMs), revocation);
    expect((await erase()).output).toMatchObject(whole);
    expect((await readGatewayState(world.store, given)).length).toBe(3);
  });

  test('keeps who did what and when, under a hash that the id yields again', async () => {
    const { owner, neighbour } = scene;
    const changesOf = async (id: string) => (await readAuditLog(world.store, { by: 'user', id }, 1000)).rows;
    const [before, ofNeighbour] = [await changesOf(owner), await changesOf(neighbour)];
    const { output } = await erase();
    expect(await changesOf(owner)).toEqual([]);
    const after = await changesOf(output.pseudonym);
    const facts = ({ at, operation, gatewayId, subject }: Record<string, unknown>) => ({
      at,
      operation,
      gatewayId,
      subject,
    });
    expect(after.map(facts)).toEqual(expect.arrayContaining(before.map(facts)));
    expect(after.filter(({ operation }) => operation === 'owner erase').map((row) => row.reason)).toContain(
      `${output.pseudonym} asks for it.`,
    );
    expect(after.map((row) => row.after?.state)).toEqual(expect.arrayContaining(['begun', 'done', 'erased']));
    // The owners before and after them stay.
    const unnamed = JSON.stringify(ofNeighbour).replaceAll(owner, output.pseudonym);
    expect(await changesOf(neighbour)).toEqual(JSON.parse(unnamed));
    expect((await erase(world.store, ['--dry-run'])).output.pseudonym).toBe(output.pseudonym);
  });

  test('replaces the id in the reasons of all audit rows: on keys, webhooks, companies and messages', async () => {
    const { first, second, owner, neighbour } = scene;
    const hourAgo = startMs - 3_600_000;
    const reason = `asked for by ${owner}...`;
    const acts = [
      [first, { operation: 'key revoke' }, { keyId: 'k' }],
      [second, { operation: 'company suspend' }, { after: { state: 'suspended' } }],
      [second, { operation: 'webhook disable' }, { webhookId: 'w' }],
      [first, { operation: 'contract end', userId: neighbour }, {}],
      ['PartnerApi-local/queues', { operation: 'integration dead drop' }, { queue: 'portalEvents' }],
      ['PartnerApi-local', { operation: 'restore copy' }, {}],
      ['takeovers', { operation: 'region takeover' }, {}],
    ] as const;
    for (const [subject, how, target] of acts)
      await transact(world.store, {
        audit: auditPut(world.store, { ...operatorActOn(subject, hourAgo), ...how, reason }, target),
      });
    const { output } = await erase();
    const rows = (
      await Promise.all([...new Set(acts.map(([subject]) => subject))].map((id) => readAudit(world.store, id)))
    ).flat();
    const replaced = `asked for by ${output.pseudonym}...`;
    expect(rows.filter((row) => row.reason === replaced && row.at === toTimestamp(hourAgo))).toHaveLength(acts.length);
    expect(JSON.stringify(rows)).not.toContain(owner);
  });

  test('lists the logs that neither it nor an export covers, and when their lines expire', async () => {
    const until = toTimestamp(startMs + loadStageConfig('local').logRetentionDays * 86_400_000);
    const { output } = await erase();
    const kept = ['RequestLog', 'ConsumerLog'].map((logGroup) => expect.objectContaining({ logGroup, until }));
    expect(output.logs).toEqual(kept);
    expect((await exported()).logs).toEqual(kept);
    const { stdout } = await operate(['owner', 'export', scene.owner], { store: world.store, nowMs: startMs });
    for (const text of ['RequestLog', until]) expect(stdout).toContain(text);
  });

  test.each(erasedAuditAttributes)(
    'does not overwrite a row of the audit log whose %s a concurrent run has changed',
    async (name) => {
      const { first, owner } = scene;
      const auditContext = { ...operatorActOn(first, startMs - 3_600_000), userId: owner, reason: `for ${owner}` };
      const target = { keyId: 'k', before: { userId: owner }, after: { userId: owner } };
      await transact(world.store, { audit: auditPut(world.store, auditContext, target) });
      const find = async () =>
        (await readAudit(world.store, first)).filter(({ keyId }) => keyId === 'k') as unknown as StoredChange[];
      const [seen] = (await find()) as [StoredChange];
      const changed = { ...seen, [name]: 'changed by another' };
      await world.store.send(new PutCommand({ TableName: world.store.tableName('AuditLog'), Item: changed }));
      await replaceInAudit(world.store, [seen], { userId: owner, pseudonym: 'erased-late' });
      expect(await find()).toEqual([changed]);
    },
  );

  test('keeps the numbers of events in the feed, and all events of others', async () => {
    const before = await readNewestEvents(world.store, scene.first, 100);
    await erase();
    const after = await readNewestEvents(world.store, scene.first, 100);
    expect(after.map(({ seq, event }) => [seq, event.id])).toEqual(before.map(({ seq, event }) => [seq, event.id]));
    const kept = after.flatMap(({ event }) => ('userId' in event ? [event.userId] : []));
    expect(kept).toEqual([scene.neighbour, scene.neighbour]);
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
      queuePoke: async () => undefined,
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
