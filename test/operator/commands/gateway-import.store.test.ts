import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { putContract } from '../../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { readAllContracts } from '../../../operator/companies/contract.ts';
import { call } from '../../support/call.ts';
import { operate, operateForJson, temporaryDirectory } from '../../support/operator.ts';
import { killedAt } from '../../support/store.ts';
import { onboard, openWorld, partiesOf } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const because = ['--reason', 'ticket 9'];

/** A company with a contract of its own owner, and a file of owners. */
const prepare = async (lines: readonly string[]) => {
  const { companyId, contract, key } = await onboard(world.store);
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'owners.csv'), lines.join('\n'));
  const importIt = (more: readonly string[] = [], store: Store = world.store) =>
    operateForJson(['gateway', 'import', companyId, 'owners.csv', ...because, ...more], { ...world, store, directory });
  return { companyId, contract, key, userId: contract.userId, importIt };
};

/** The state of each contract and its gateways, by owner. */
const contractsOf = async (companyId: string): Promise<Record<string, string[]>> =>
  Object.fromEntries(
    (await readAllContracts(world.store, companyId)).map(({ userId, state, gateways }) => [
      userId,
      [state, ...Object.keys(gateways).toSorted()],
    ]),
  );

describe('a file with owners', () => {
  test.each([
    ['in the order of the header', ['Gateway-ID;user_id', 'gw-a;o1', 'gw-b;o2', 'gw-c;o1']],
    ['without a header', ['o1,gw-a', 'o2,gw-b', 'o1,gw-c']],
  ])('%s opens contracts and grants their gateways; a dry run has the same counts', async (_, lines) => {
    const { companyId, userId, key, importIt } = await prepare(lines);
    const counts = { companyId, owners: 2, opened: 2, granted: 3, grantedBefore: 0, refused: [] };
    const plan = 'Plan for 2 owners with 3 gateways: 2 contracts to open, 3 gateways to grant';
    const planned = await importIt(['--dry-run']);
    expect(planned.output).toEqual({ ...counts, outcome: 'would-change' });
    const { exit, output, stderr } = await importIt();
    expect([exit, output]).toEqual(['ok', { ...counts, outcome: 'changed' }]);
    for (const text of [planned.stderr, stderr]) expect(text).toContain(plan);
    expect(await contractsOf(companyId)).toEqual({
      [userId]: ['active'],
      o1: ['active', 'gw-a', 'gw-c'],
      o2: ['active', 'gw-b'],
    });
    const again = await importIt();
    expect(again.output).toEqual({ ...counts, outcome: 'unchanged', opened: 0, granted: 0, grantedBefore: 3 });
    expect(again.stderr).toBe('');
    const { items } = (await call('listAuditEntries', { apiKey: key.apiKey })).body as {
      items: { operation: string }[];
    };
    expect(items.filter(({ operation }) => operation === 'gateway import').length).toBe(2);
  });

  test('grants many gateways of an owner in one transaction', async () => {
    const { importIt } = await prepare(Array.from({ length: 30 }, (_, index) => `o1,gw-${index}`));
    world.proxy.begin();
    await importIt();
    const writes = world.proxy.exchanges.filter(({ action }) => action === 'TransactWriteItems');
    expect(writes.length).toBe(2);
  });

  test('is completed by a second run after an interruption at any call', async () => {
    let isComplete = false;
    for (let ordinal = 1; !isComplete; ordinal += 3) {
      const { companyId, userId, importIt } = await prepare(['o1,gw-a', 'o2,gw-b']);
      isComplete = (await importIt([], killedAt(world.store, ordinal, ordinal % 2 === 0))).exit === 'ok';
      expect((await importIt()).exit).toBe('ok');
      expect((await importIt()).output.outcome).toBe('unchanged');
      expect(await contractsOf(companyId)).toEqual({
        [userId]: ['active'],
        o1: ['active', 'gw-a'],
        o2: ['active', 'gw-b'],
      });
    }
  });

  test('changes nothing in lines of an ended contract, without an owner, or with a second owner of a gateway', async () => {
    const { companyId, contract, importIt } = await prepare(['o1,gw-a', 'o2,gw-b', 'o3,gw-a', 'gw-d', 'o2,gw b']);
    await putContract(world.store, { ...contract, userId: 'o2', state: 'ended', gateways: {} });
    const { exit, output } = await importIt();
    expect([exit, output.granted, output.opened]).toEqual(['refused', 1, 1]);
    expect(output.refused).toEqual([
      { line: 2, why: expect.stringContaining('contract has ended') },
      { line: 3, why: expect.stringContaining('another owner') },
      { line: 4, why: expect.stringContaining('no valid user id') },
      { line: 5, why: expect.stringContaining('no valid gateway id') },
    ]);
    expect(await contractsOf(companyId)).toMatchObject({ o1: ['active', 'gw-a'], o2: ['ended'] });
  });

  test('is refused if it names another owner than --user, which also is the owner of lines without one', async () => {
    const { companyId, userId, importIt } = await prepare(['gatewayId,userId', 'gw-a,o1', 'gw-b']);
    const { exit, stderr } = await importIt(['--user', userId]);
    expect([exit, stderr]).toEqual(['usage', expect.stringContaining('Line 2 of')]);
    expect(await contractsOf(companyId)).toEqual({ [userId]: ['active'] });
    expect((await importIt(['--user', 'o1'])).exit).toBe('not-found');
    await operate(['contract', 'open', companyId, '--user', 'o1', ...because], world);
    expect((await importIt(['--user', 'o1'])).output).toMatchObject({ owners: 1, granted: 2, refused: [] });
  });
});

describe('a gateway that another company has from another owner', () => {
  const warning = (gatewayId: string, companyId: string) =>
    expect.stringContaining(`another owner for ${gatewayId} (former at ${companyId})`);

  /** Another company with a contract of that owner, which covers the gateway. */
  const another = async (gatewayId: string, userId = 'former') => {
    const { companyId, contract } = await onboard(world.store);
    await putContract(world.store, { ...contract, ...partiesOf(companyId), userId });
    await operate(['gateway', 'grant', companyId, gatewayId, '--user', userId, ...because], world);
    return companyId;
  };

  test('is named before grant and import, which grant it', async () => {
    const { companyId, userId, importIt } = await prepare(['o1,gw-known', 'o2,gw-unknown']);
    const other = await another('gw-known');
    expect(await importIt(['--dry-run'])).toMatchObject({ exit: 'ok', stderr: warning('gw-known', other) });
    const commandLine = ['gateway', 'grant', companyId, 'gw-known', '--user', userId, ...because];
    expect(await operate(commandLine, world)).toMatchObject({ exit: 'ok', stderr: warning('gw-known', other) });
    expect(await contractsOf(companyId)).toEqual({ [userId]: ['active', 'gw-known'] });
  });

  test('is not named if the owner is the same, or their contract has ended', async () => {
    const { companyId, userId } = await prepare([]);
    await another('gw-same', userId);
    const other = await another('gw-left');
    await operate(['contract', 'end', other, '--user', 'former', '--yes', ...because], world);
    const { stderr } = await operate(['gateway', 'grant', companyId, 'gw-same', 'gw-left', ...because], world);
    expect(stderr).toBe('');
  });
});
