import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import type { StageConfig } from '../../../config/schema.ts';
import { findCompany } from '../../../lambdas/data/contracts/companies.ts';
import {
  createContract,
  findContract,
  putContract,
  unopenedContract,
} from '../../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { byIds } from '../../../lambdas/domain/by-id.ts';
import { readAllContracts } from '../../../operator/companies/contract.ts';
import { call } from '../../support/call.ts';
import { type OperatorOptions, operate, operateForJson, temporaryDirectory } from '../../support/operator.ts';
import { killedAt, operatorActOn } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

let companies = 0;

/** A company of the configuration, in a folder with a file of owners. */
const configure = (lines: readonly string[], named: object = {}) => {
  const companyId = `fleet${process.pid}x${companies++}`;
  const company = { companyId, name: 'A fleet', allowedCidrs: ['127.0.0.1/32'], ...named };
  const config = { ...loadStageConfig('local'), companies: [company] } as StageConfig;
  const directory = temporaryDirectory();
  const options: OperatorOptions = { ...world, config, directory };
  const file = join(directory, 'owners.csv');
  writeFileSync(file, lines.join('\n'));
  const onboard = (store: Store = world.store, more: readonly string[] = []) =>
    operateForJson(['company', 'onboard', companyId, '--owners', 'owners.csv', '--reason', 'signed', ...more], {
      ...options,
      store,
    });
  const apiKey = () => readFileSync(join(directory, `${companyId}.local.key`), 'utf8').trim();
  return { companyId, options, file, onboard, apiKey };
};

/** The state of each contract and its gateways, by owner. */
const contractsOf = async (companyId: string): Promise<Record<string, string[]>> =>
  Object.fromEntries(
    (await readAllContracts(world.store, companyId)).map(({ userId, state, gateways }) => [
      userId,
      [state, ...Object.keys(gateways).toSorted()],
    ]),
  );

test('a company without an owner gets its key, and contracts later', async () => {
  const { companyId, options, apiKey } = configure([]);
  const { exit } = await operate(['company', 'onboard', companyId, '--reason', 'signed'], options);
  expect(exit).toBe('ok');
  expect((await call('listContracts', { apiKey: apiKey() })).body).toEqual({ items: [], nextCursor: null });
  await operate(['contract', 'open', companyId, '--user', 'owner-1', '--reason', 'chosen'], options);
  expect((await call('getContract', { apiKey: apiKey() })).body).toMatchObject({ userId: 'owner-1' });
});

describe('a file of owners', () => {
  const lines = ['userId,gatewayId', 'owner-1,gw-a', '"owner-2";"gw-b"', '', 'owner-1,gw-c', 'owner-3', 'owner-4,'];
  const expected: Record<string, string[]> = {
    'owner-1': ['active', 'gw-a', 'gw-c'],
    'owner-2': ['active', 'gw-b'],
    'owner-3': ['active'],
    'owner-4': ['active'],
  };

  test('opens a contract with each owner, in addition to the configured one', async () => {
    const { companyId, onboard, apiKey } = configure([...lines, 'owner-0,gw-e'], {
      userId: 'owner-0',
      gatewayIds: ['gw-d'],
    });
    expect((await onboard()).exit).toBe('ok');
    expect(await contractsOf(companyId)).toEqual({ 'owner-0': ['active', 'gw-d', 'gw-e'], ...expected });
    const answer = await call('listGateways', { apiKey: apiKey(), headers: { 'x-user-id': ['owner-1'] } });
    expect([answer.status, (answer.body as { code?: string }).code]).toEqual([451, 'consent-outdated']);
  });

  test('may have a header with the columns in any order', async () => {
    const { companyId, onboard } = configure(['gatewayId,userId', 'gw-a,owner-1']);
    expect((await onboard()).exit).toBe('ok');
    expect(await contractsOf(companyId)).toEqual({ 'owner-1': ['active', 'gw-a'] });
  });

  test('is continued after an interruption at any call, and then changes nothing', async () => {
    let isComplete = false;
    for (let ordinal = 1; !isComplete; ordinal += 3) {
      const { companyId, onboard } = configure(lines);
      isComplete = (await onboard(killedAt(world.store, ordinal, false))).exit === 'ok';
      expect((await onboard()).exit).toBe('ok');
      expect((await onboard()).output).toMatchObject({ outcome: 'unchanged', differences: [] });
      expect(await contractsOf(companyId)).toEqual(expected);
    }
  });

  test('does not reopen an ended contract, and opens a new contract', async () => {
    const { companyId, onboard, options, file } = configure(lines);
    await onboard();
    await operate(['contract', 'end', companyId, '--user', 'owner-2', '--reason', 'left', '--yes'], options);
    const early = operatorActOn(companyId, startMs - 1000);
    const unopened = unopenedContract({ companyId, userId: 'owner-5' });
    await createContract(world.store, early, unopened, { acceptedConsentVersion: 3 });
    writeFileSync(file, [...lines, 'owner-2,gw-z', 'owner-5,gw-f'].join('\n'));
    const { output } = await onboard();
    expect(output).toMatchObject({
      outcome: 'changed',
      differences: [
        { what: 'contracts with', after: 'owner-5' },
        { what: 'gateways', after: 'gw-f' },
      ],
    });
    expect(await contractsOf(companyId)).toEqual({
      ...expected,
      'owner-2': ['ended', 'gw-b'],
      'owner-5': ['active', 'gw-f'],
    });
    const begun = await findContract(world.store, { companyId, userId: 'owner-5' });
    expect(begun).toMatchObject({ acceptedConsentVersion: 3, sinceMs: startMs });
  });

  test('is counted by a dry run', async () => {
    const { companyId, onboard } = configure(['o1,g1', 'o2,g2', 'o3,g3', 'o4,g4', 'o5,g5', 'o6,g6', 'o7,g7']);
    const { output } = await onboard(world.store, ['--dry-run']);
    expect(output.differences).toContainEqual({
      what: 'contracts with',
      before: null,
      after: 'o1, o2, o3, o4, o5 and 2 more',
    });
    expect(await findCompany(world.store, companyId)).toBeUndefined();
  });

  test.each([
    ['a gateway of two owners', ['o1,g1', 'o2,g1'], 'line 2 names a gateway that already has another owner'],
    ['one of the configured owner', ['o1,gw-own'], 'line 1 names a gateway that already has another owner'],
    ['no owner', ['o1,g1', ',g2'], 'line 2 has no valid user id'],
    ['another thing', ['xHCSAPI_ secret'], 'line 1 has no valid user id'],
    ['no gateway id', ['o1,g 1'], 'line 1 has no valid gateway id'],
    ['other columns', ['device,owner', 'g1,o1'], 'line 1 names other columns than userId and gatewayId'],
    ['more columns', ['o1,g1,x'], 'line 1 has more than the columns userId and gatewayId'],
  ])('with %s is refused completely, and nothing is done', async (_, faulty, sentence) => {
    const named = { userId: 'owner-0', gatewayIds: ['gw-own'] };
    const { companyId, options } = configure(faulty, named);
    const argv = ['company', 'onboard', companyId, '--owners', 'owners.csv', '--reason', 'signed'];
    const { exit, stderr } = await operate(argv, options);
    expect([exit, stderr]).toEqual(['refused', expect.stringContaining(sentence)]);
    expect(stderr).not.toContain('secret');
    expect(await findCompany(world.store, companyId)).toBeUndefined();
  });

  test('is reported if it does not exist', async () => {
    const { companyId, options } = configure([]);
    const argv = ['company', 'onboard', companyId, '--owners', 'none.csv', '--reason', 'signed'];
    const { exit, stderr } = await operate(argv, options);
    expect([exit, stderr]).toEqual(['not-found', expect.stringContaining('There is no file')]);
  });
});

test('onboarding a company whose row was lost again changes only what it says', async () => {
  const { companyId, onboard } = configure(['ended,gw-a', 'active,gw-b', 'new,gw-c']);
  const contract = (userId: string) => ({ ...unopenedContract({ companyId, userId }), sinceMs: startMs });
  await putContract(world.store, { ...contract('ended'), state: 'ended' });
  const grant = { grantedAtMs: startMs, receivedAtMs: startMs };
  await putContract(world.store, { ...contract('active'), state: 'active', gateways: byIds([['gw-b', grant]]) });
  const { output } = await onboard();
  expect(output.differences).toContainEqual({ what: 'contracts with', before: null, after: 'new' });
  expect(output.differences).toContainEqual({ what: 'gateways', before: null, after: 'gw-c' });
  const contracts = { ended: ['ended'], active: ['active', 'gw-b'], new: ['active', 'gw-c'] };
  expect(await contractsOf(companyId)).toEqual(contracts);
});
