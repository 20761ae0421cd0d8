import { beforeAll, describe, expect, test } from 'vitest';
import { findApiKey, keyItemKey, readTakenSlots, slotItemKey } from '../../../lambdas/data/api-keys/api-keys.ts';
import { type AuditTarget, auditPut } from '../../../lambdas/data/audit.ts';
import { companyKey } from '../../../lambdas/data/contracts/companies.ts';
import { contractKey } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import { generateKey } from '../../../lambdas/domain/api-key.ts';
import { issueApiKey } from '../../../operator/companies/key-issue.ts';
import type { ComparedTable } from '../../../operator/restore/differing-rows.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { operate } from '../../support/operator.ts';
import { changedConcurrently, findRow, loseRow, putRow, setBackOne } from '../../support/restore.ts';
import { operatorActOn, readAudit } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** A company with a contract and a key, at the restored second, and their rows then. */
const openScene = async () => {
  const { companyId, contract, key } = await onboard(world.store);
  const keys = { Companies: companyKey(companyId), Contracts: contractKey(contract), ApiKeys: keyItemKey(key) };
  const rowOf = async (table: ComparedTable) => (await findRow(table, keys[table])) as Item;
  const restored = {
    Companies: await rowOf('Companies'),
    Contracts: await rowOf('Contracts'),
    ApiKeys: await rowOf('ApiKeys'),
  };
  const { userId } = contract;
  const late = (seconds: number) => operatorActOn(companyId, startMs + seconds * 1000);
  return {
    companyId,
    userId,
    keyId: key.keyId,
    restored,
    rowOf,
    spoil: async (table: ComparedTable, values: object) => putRow(table, { ...(await rowOf(table)), ...values }),
    records: (target: AuditTarget, owner?: string) =>
      transact(world.store, { audit: auditPut(world.store, { ...late(60), ...(owner && { userId: owner }) }, target) }),
    operates: (...argv: string[]) =>
      operate([...argv, '--yes', '--reason', 'asked'], { ...world, nowMs: startMs + 60_000 }),
    grants: (owner: string, isGranted = true) =>
      applyGrant(world.store, late(60), { gatewayId: `gw-of-${companyId}`, isGranted, userId: owner }),
    setBack: (table: ComparedTable, meanwhile?: () => Promise<unknown>) =>
      setBackOne(table, restored[table], { meanwhile }),
  };
};

type Scene = Awaited<ReturnType<typeof openScene>>;

const spoilings = [
  ['Companies', { state: 'suspended', allowedCidrs: ['0.0.0.0/0'] }],
  ['Contracts', { state: 'ended', listedFor: 'another', gateways: { 'gw-1': { grantedAtMs: 1, receivedAtMs: 1 } } }],
  ['ApiKeys', { hash: new Uint8Array(32), expiresAtMs: 1 }],
] as const;

describe.each(spoilings)('a row of %s that differs', (table, values) => {
  test('is set back as a whole, with an audit row, if no audit row explains the difference', async () => {
    const scene = await openScene();
    await scene.spoil(table, { ...values, another: 1 });
    expect(await scene.setBack(table)).toMatchObject({
      kind: 'set back',
      attributes: expect.arrayContaining([...Object.keys(values), 'another']),
    });
    expect(await scene.rowOf(table)).toEqual(scene.restored[table]);
    expect(await scene.setBack(table)).toEqual({ kind: 'same' });
    expect(JSON.stringify(await readAudit(world.store, scene.companyId))).not.toContain('"hash"');
  });

  test('is not overwritten if it changes or is deleted concurrently', async () => {
    const scene = await openScene();
    const [name = ''] = Object.keys(values);
    await scene.spoil(table, values);
    expect(await scene.setBack(table, () => scene.spoil(table, { [name]: 'changed' }))).toBe(changedConcurrently);
    expect((await scene.rowOf(table))[name]).toBe('changed');
    expect(await scene.setBack(table, () => loseRow(table, scene.restored[table]))).toBe(changedConcurrently);
    expect(await scene.rowOf(table)).toBeUndefined();
  });

  test('is left to a copy of missing rows if it is missing', async () => {
    const scene = await openScene();
    await loseRow(table, scene.restored[table]);
    expect(await scene.setBack(table)).toEqual({ kind: 'same' });
    expect(await scene.rowOf(table)).toBeUndefined();
  });
});

describe('a difference that an audit row explains stays, and the outcome names the act', () => {
  test.each<[ComparedTable, string, (scene: Scene) => Promise<unknown>, RegExp]>([
    [
      'Companies',
      'a suspension',
      ({ operates, companyId }) => operates('company', 'suspend', companyId),
      /^changed since: company suspend at 2036-03-10T12:01:00Z \(request /,
    ],
    [
      'Contracts',
      'an end',
      ({ operates, companyId, userId }) => operates('contract', 'end', companyId, '--user', userId),
      /^changed since: contract end at /,
    ],
    ['Contracts', 'a grant', ({ grants, userId }) => grants(userId), /^changed since: /],
    [
      'Contracts',
      'a grant by another owner, which ended one of this contract',
      ({ grants, userId }) => grants(userId).then(() => grants('another')),
      /^changed since: /,
    ],
    [
      'Companies',
      'an onboarding of the company, whose row was lost, with its first key',
      ({ records, restored }) => records({ keyId: 'first', after: { ...restored.Companies, allowedCidrs: [] } }),
      /^changed since: /,
    ],
    ['ApiKeys', 'an act on the key', ({ records, keyId }) => records({ keyId }), /^changed since: /],
  ])('%s: %s', async (table, _, act, why) => {
    const scene = await openScene();
    await act(scene);
    await scene.spoil(table, { another: 1 });
    expect(await scene.setBack(table)).toMatch(why);
  });
});

test.each<[ComparedTable, string, (scene: Scene) => Promise<unknown>]>([
  [
    'Contracts',
    'a request on behalf of its owner',
    ({ records, userId }) => records({ gatewayId: 'gw-1', circuitId: 'hc1' }, userId),
  ],
  ['Contracts', 'an act on another contract', ({ grants }) => grants('another')],
  [
    'Contracts',
    'an event of its owner that was sent by hand',
    ({ records, userId }) => records({ eventType: 'any', eventId: '1' }, userId),
  ],
  ['Companies', 'an act on a key', ({ records, keyId }) => records({ keyId, after: { key: { label: 'new' } } })],
  ['Companies', 'a renewal of its feed', ({ records }) => records({})],
  ['Companies', 'a copy of the ids of its webhooks', ({ records }) => records({ row: 'IDS' })],
  ['ApiKeys', 'an act on another key', ({ records }) => records({ keyId: 'another' })],
])('a difference of %s is not explained by %s', async (table, _, act) => {
  const scene = await openScene();
  await act(scene);
  await scene.spoil(table, { another: 1 });
  expect(await scene.setBack(table)).toMatchObject({ kind: 'set back', attributes: ['another'] });
});

test('does not set back what the owner was erased from', async () => {
  const scene = await openScene();
  await scene.operates('owner', 'erase', scene.userId);
  const erased = await scene.rowOf('Contracts');
  expect(await scene.setBack('Contracts')).toBe('the owner was erased since');
  expect(await scene.rowOf('Contracts')).toEqual(erased);
});

test('the day on which a key was last used stays, and is no difference', async () => {
  const scene = await openScene();
  await scene.spoil('ApiKeys', { lastUsedOn: '2036-03-10' });
  expect(await scene.setBack('ApiKeys')).toEqual({ kind: 'same' });
  await scene.spoil('ApiKeys', { expiresAtMs: 1 });
  expect(await scene.setBack('ApiKeys')).toMatchObject({ attributes: ['expiresAtMs'] });
  expect(await scene.rowOf('ApiKeys')).toEqual({ ...scene.restored.ApiKeys, lastUsedOn: '2036-03-10' });
});

test('the slot of an expired key stays with the key that has taken it since', async () => {
  const { companyId } = await onboard(world.store);
  const slots = Array.from({ length: 10 }, (_, slot) => slotItemKey(companyId, slot));
  const expired = slots.map((key, slot) => ({ ...key, slot, keyId: `expired${slot}`, expiresAtMs: startMs }));
  for (const row of expired) await putRow('ApiKeys', row);
  const key = generateKey(companyId, startMs + 60_000);
  expect((await issueApiKey(world.store, operatorActOn(companyId, startMs + 60_000), key)).outcome).toBe('issued');
  const { slot = -1 } = (await findApiKey(world.store, companyId, key.keyId)) ?? {};
  expect(await setBackOne('ApiKeys', expired[slot] as Item)).toMatch(/^changed since: /);
  expect((await readTakenSlots(world.store, companyId, startMs + 60_000)).map(({ keyId }) => keyId)).toEqual([
    key.keyId,
  ]);
});
