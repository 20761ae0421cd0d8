import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { contractKey, findContract, putContract, unopenedContract } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant, maxGrantsAtOnce, ownersKey, readGranters } from '../../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { setGrants } from '../../../operator/companies/grants.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { operateForJson, temporaryDirectory } from '../../support/operator.ts';
import { findRow, loseRow, putRow } from '../../support/restore.ts';
import { operatorActOn, overtakenBy, readAudit, readGrantTimes } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** A company with two owners, the first of whom has granted a gateway. */
const openScene = async () => {
  const { companyId, contract } = await onboard(world.store);
  const { userId } = contract;
  const gatewayId = `gw-of-${companyId}`;
  const other = { ...unopenedContract({ companyId, userId: 'other' }), state: 'active', sinceMs: startMs } as const;
  await putContract(world.store, other);
  const tells = (at: number, owner: string) =>
    applyGrant(world.store, operatorActOn(companyId, startMs + at), { gatewayId, isGranted: true, userId: owner });
  await tells(1, userId);
  const operateIn = (directory: string, verb: string, ...rest: string[]) =>
    operateForJson(['gateway', verb, companyId, ...rest, '--reason', 'ticket 9'], {
      ...world,
      nowMs: startMs + 5000,
      directory,
    });
  return {
    companyId,
    contract,
    gatewayId,
    userId,
    tells,
    /** Puts back a row as it was before an act. */
    keep: async (table: 'Contracts' | 'Appliances', act: () => Promise<unknown>) => {
      const key = table === 'Contracts' ? contractKey(contract) : ownersKey(companyId, gatewayId);
      const row = await findRow(table, key);
      await act();
      await putRow(table, row as Item);
    },
    operate: (verb: string, ...rest: string[]) => operateIn(temporaryDirectory(), verb, ...rest),
    operateIn,
    loseContract: () => loseRow('Contracts', contractKey(contract)),
    loseOwners: () => loseRow('Appliances', ownersKey(companyId, gatewayId)),
    granter: async () => (await readGranters(world.store, gatewayId)).get(companyId),
    gatewaysOf: async (owner: string) =>
      Object.keys((await findContract(world.store, { companyId, userId: owner }))?.gateways ?? {}),
  };
};

type Scene = Awaited<ReturnType<typeof openScene>>;

describe('a gateway of a former owner whose contract is lost', () => {
  test.each<[string, (scene: Scene) => Promise<unknown>]>([
    ['a command', ({ operate, gatewayId }) => operate('grant', gatewayId, '--user', 'other')],
    ['an event', ({ tells }) => tells(2, 'other')],
  ])('can be granted by another owner: by %s', async (_, grant) => {
    const scene = await openScene();
    await scene.loseContract();
    await grant(scene);
    expect([await scene.granter(), await scene.gatewaysOf('other')]).toEqual(['other', [scene.gatewayId]]);
    const last = (await readAudit(world.store, scene.companyId)).find(({ userId }) => userId === 'other');
    expect(last).toMatchObject({ after: { isGranted: true, formerUserId: scene.userId } });
    expect(await scene.gatewaysOf(scene.userId)).toEqual([]);
  });
});

test('a contract that was lost and opened again gets its gateway back once, if two operators grant it at once', async () => {
  const { companyId, gatewayId, userId, loseContract, gatewaysOf } = await openScene();
  await loseContract();
  await putContract(world.store, unopenedContract({ companyId, userId }));
  const grantBy = (store: Store) =>
    setGrants(store, operatorActOn(companyId, startMs + 5000), { userId, gatewayIds: [gatewayId], isGranted: true });
  const late = await grantBy(overtakenBy(world.store, () => grantBy(world.store)));
  expect([late, await gatewaysOf(userId)]).toEqual([{ outcome: 'done', changedGatewayIds: [] }, [gatewayId]]);
  const recorded = (await readAudit(world.store, companyId)).filter((row) => row.gatewayId === gatewayId);
  expect(recorded).toHaveLength(2);
});

describe('a gateway whose own row is lost', () => {
  test('is granted again by the command, although the contract covers it', async () => {
    const { operate, loseOwners, granter, gatewayId, userId } = await openScene();
    await loseOwners();
    const grant = () => operate('grant', gatewayId, '--user', userId);
    const differences = [{ what: `gateway ${gatewayId}, in its own partition`, before: null, after: 'granted' }];
    expect((await grant()).output).toMatchObject({ outcome: 'changed', differences });
    expect(await granter()).toBe(userId);
    expect((await grant()).output.outcome).toBe('unchanged');
  });

  test.each<[string, (scene: Scene) => Promise<unknown>]>([
    ['own row', ({ keep, tells, userId }) => keep('Appliances', () => tells(2, userId))],
    ['contract', ({ keep, tells, userId }) => keep('Contracts', () => tells(2, userId))],
  ])('is granted again by the command if its %s was restored with an earlier grant', async (_, restore) => {
    const scene = await openScene();
    await restore(scene);
    const grant = async () => (await scene.operate('grant', scene.gatewayId, '--user', scene.userId)).output.outcome;
    expect([await grant(), await grant()]).toEqual(['changed', 'unchanged']);
    const { grantedAtMs, ownerGrantedAtMs } = await readGrantTimes(world.store, scene.contract, scene.gatewayId);
    expect([grantedAtMs, ownerGrantedAtMs]).toEqual([startMs + 5000, startMs + 5000]);
  });

  test('is not moved until it is granted again, and the error says so', async () => {
    const { operate, loseOwners, granter, companyId, gatewayId, userId } = await openScene();
    await loseOwners();
    const grant = `gateway grant ${companyId} ${gatewayId} --user ${userId}`;
    const move = () => operate('move', gatewayId, '--from', userId, '--to', 'other');
    const refused = await move();
    expect([refused.exit, refused.stderr]).toEqual(['refused', expect.stringContaining(grant)]);
    await operate('grant', gatewayId, '--user', userId);
    expect([(await move()).exit, await granter()]).toEqual(['ok', 'other']);
  });

  test('is counted by a dry run of an import as by the run, and each gateway of the file once', async () => {
    const scene = await openScene();
    await scene.loseOwners();
    const gateways = Array.from({ length: maxGrantsAtOnce }, (_, index) => `${scene.gatewayId}-${index}`);
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'all.csv'), [scene.gatewayId, ...gateways, ...gateways.slice(0, 2)].join('\n'));
    const counts = { granted: maxGrantsAtOnce + 1, grantedBefore: 0 };
    const run = async (...options: string[]) =>
      (await scene.operateIn(directory, 'import', 'all.csv', '--user', scene.userId, ...options)).output;
    expect(await run('--dry-run')).toMatchObject({ ...counts, outcome: 'would-change' });
    expect(await run()).toMatchObject({ ...counts, outcome: 'changed' });
    expect(await run('--dry-run')).toMatchObject({ granted: 0, outcome: 'unchanged' });
  });
});
