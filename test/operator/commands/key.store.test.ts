import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { maxValidKeysPerCompany } from '../../../lambdas/api/limits.ts';
import { findApiKey, listApiKeys, readTakenSlots, recordKeyUse } from '../../../lambdas/data/api-keys/api-keys.ts';
import { defaultKeyOptions, type StoredApiKey } from '../../../lambdas/domain/api-key.ts';
import { addMonths } from '../../../lambdas/domain/time.ts';
import { call } from '../../support/call.ts';
import { type OperatorOptions, operate, operateForJson, temporaryDirectory } from '../../support/operator.ts';
import { readAudit } from '../../support/store.ts';
import { injectFault, issueKey, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const because = ['--reason', 'ticket 7'];
const validKeys = async (companyId: string, nowMs = startMs) =>
  (await readTakenSlots(world.store, companyId, nowMs)).map(({ keyId }) => keyId);

/** A company, and the operator's folder for the file with its key. */
const openScene = async (keys = 1) => {
  const { companyId } = await onboard(world.store, { keys });
  const directory = temporaryDirectory();
  const file = join(directory, `${companyId}.local.key`);
  const issue = (own: readonly string[] = [], more: Partial<OperatorOptions> = {}) =>
    operateForJson(['key', 'issue', companyId, ...because, ...own], { ...world, directory, ...more });
  return { companyId, directory, file, issue, textInFile: () => readFileSync(file, 'utf8').trim() };
};

describe('issue', () => {
  test('rule 6: issues a key to a company without a valid one, in a file readable by its owner only', async () => {
    const { companyId, file, issue, textInFile } = await openScene();
    const nowMs = addMonths(startMs, 7);
    const { exit, output } = await issue([], { nowMs });
    expect([exit, output.outcome, output.keyFile]).toEqual(['ok', 'changed', file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await call('getContract', { apiKey: textInFile(), nowMs })).status).toBe(200);
    expect(await validKeys(companyId, nowMs)).toEqual([output.keyId]);
    expect((await readAudit(world.store, companyId)).at(-1)).toMatchObject({
      operation: 'key issue',
      keyId: output.keyId,
      reason: 'ticket 7',
      operator: 'local:tester',
    });
  });

  test('shows in a dry run how many keys there would be', async () => {
    const { output } = await (await openScene()).issue(['--dry-run']);
    expect(output).toMatchObject({ outcome: 'would-change', keyId: null, keyFile: null });
    expect(output.differences[0].after).toBe('2 of 10, valid for 6 months');
  });

  test('checks the place of the file before it registers anything', async () => {
    const { companyId, directory, issue } = await openScene();
    const inNoFolder = await issue(['--key-file', 'no/such/folder/a.key']);
    expect([inNoFolder.exit, inNoFolder.stderr]).toEqual(['usage', expect.stringContaining('no/such/folder')]);
    const inPlaceOfFolder = await issue(['--key-file', directory]);
    expect([inPlaceOfFolder.exit, inPlaceOfFolder.stderr]).toEqual([
      'usage',
      `${directory} is a folder. Name a file for --key-file, for example one in that folder.\n`,
    ]);
    expect((await validKeys(companyId)).length).toBe(1);
  });

  test('stops at ten, even with concurrent operators, and keeps no file of an unregistered key', async () => {
    const { companyId, directory, issue } = await openScene(6);
    const runs = await Promise.all(Array.from({ length: 8 }, (_, index) => issue(['--key-file', `${index}.key`])));
    const outcomes = Object.groupBy(runs, ({ exit }) => exit);
    expect([outcomes.ok?.length, outcomes.refused?.length]).toEqual([4, 4]);
    expect(outcomes.refused?.[0]?.stderr).toContain('The first to expire is');
    expect((await validKeys(companyId)).length).toBe(maxValidKeysPerCompany);
    expect(readdirSync(directory).length).toBe(4);
  });

  test.each(['before', 'after'])(
    'interrupted %s the key is registered, and run again: one key, the one in the file',
    async (when) => {
      const { companyId, file, issue, textInFile } = await openScene();
      const send = async (command: Parameters<typeof world.store.send>[0]) => {
        if (command.constructor.name !== 'TransactWriteCommand') return world.store.send(command);
        if (when === 'after') await world.store.send(command);
        throw new Error('killed');
      };
      const store = { ...world.store, send: send as typeof world.store.send };
      expect((await issue([], { store })).exit).toBe('error');
      const apiKey = textInFile();
      const { exit, output } = await issue();
      expect([exit, output.outcome]).toEqual(['ok', when === 'after' ? 'unchanged' : 'changed']);
      expect([output.keyFile, textInFile()]).toEqual([file, apiKey]);
      expect((await validKeys(companyId)).length).toBe(2);
      expect((await call('getContract', { apiKey })).status).toBe(200);
    },
  );

  test('never registers a revoked key again from its file', async () => {
    const { companyId, issue } = await openScene();
    const { keyId } = (await issue()).output;
    const revoke = ['key', 'revoke', companyId, keyId, '--yes', ...because];
    await operate(revoke, { ...world, nowMs: startMs + 1 });
    const { exit, stderr } = await issue();
    expect([exit, stderr]).toEqual(['refused', expect.stringContaining('key revoke by local:tester')]);
    expect(await findApiKey(world.store, companyId, keyId)).toBeUndefined();
  });

  test('refuses a file with an expired key', async () => {
    const { issue } = await openScene();
    await issue();
    const { exit, stderr } = await issue([], { nowMs: addMonths(startMs, 6) });
    expect([exit, stderr]).toEqual(['refused', expect.stringContaining('expired at 2036-09-10T12:00:00Z')]);
  });

  test('keeps the file if it is unknown whether the key was registered', async () => {
    const { directory, issue } = await openScene();
    injectFault(world, ({ action }) => (action === 'TransactWriteItems' ? 'throttle' : undefined));
    expect((await issue()).exit).toBe('unavailable');
    expect(readdirSync(directory).length).toBe(1);
  });
});

describe('a key with options', () => {
  const options = { access: 'read', allowedCidrs: ['127.0.0.1/32'], label: 'Reporting' };
  const asked = ['--access', 'read', '--allowed-cidrs', '127.0.0.1/32', '--label', 'Reporting'];

  test('is issued with them; dry run, audit log and lists show them', async () => {
    const { companyId, issue, textInFile } = await openScene();
    const { output: dryRun } = await issue([...asked, '--dry-run']);
    expect(dryRun.differences.slice(1)).toEqual([
      { what: 'access', before: 'full', after: 'read' },
      { what: 'allowedCidrs', before: null, after: ['127.0.0.1/32'] },
      { what: 'label', before: null, after: 'Reporting' },
    ]);
    const { keyId } = (await issue(asked)).output;
    expect((await call('createApiKey', { apiKey: textInFile() })).body.code).toBe('api-key-read-only');
    const issued = (await readAudit(world.store, companyId)).find((row) => row.keyId === keyId);
    expect(issued).toMatchObject({ after: { key: options } });
    const { output } = await operateForJson(['key', 'list', companyId], world);
    expect(output.keys.find((each: { keyId: string }) => each.keyId === keyId)).toMatchObject(options);
    const expiring = await operateForJson(['key', 'expiring', '--within', '365d'], world);
    expect(expiring.output.keys.find((each: { keyId: string }) => each.keyId === keyId)).toMatchObject({
      access: 'read',
      label: 'Reporting',
      isLast: true,
    });
  });

  test.each([
    [['--access', 'write'], 'usage', '--access is unknown; write full or read.'],
    [['--allowed-cidrs', '127.0.0.1'], 'usage', 'which has no prefix length; write 127.0.0.1/32.'],
    [['--allowed-cidrs', Array(11).fill('127.0.0.1/32').join(',')], 'usage', 'has 11 blocks; the maximum is 10.'],
    [['--allowed-cidrs', '192.0.2.0/24'], 'refused', 'is not within any block that is registered'],
    [['--label', ''], 'usage', 'is not one line of 1 to 64 characters'],
  ])('is refused for %j, and no key is issued', async (own, exit, sentence) => {
    const { companyId, issue } = await openScene();
    const refused = await issue(own);
    expect([refused.exit, refused.stderr]).toEqual([exit, expect.stringContaining(sentence)]);
    expect((await validKeys(companyId)).length).toBe(1);
  });
});

describe('revoke', () => {
  test('makes a key fail with the next request, even the last one, after a warning', async () => {
    const { companyId, key } = await onboard(world.store);
    const { exit, stderr } = await operate(['key', 'revoke', companyId, key.keyId, '--yes', ...because], world);
    expect([exit, stderr]).toEqual(['ok', expect.stringContaining('the last valid key')]);
    expect((await call('getContract', { apiKey: key.apiKey })).body.code).toBe('api-key-invalid');
    expect(await validKeys(companyId)).toEqual([]);
  });

  test('asks for the id of the key, and does nothing after any other answer', async () => {
    const { companyId, key, keys } = await onboard(world.store, { keys: 2 });
    const commandLine = ['key', 'revoke', companyId, key.keyId, ...because];
    const asked = await operate(commandLine, { ...world, isTerminal: true, stdin: `${companyId}\n` });
    expect([asked.exit, asked.stderr]).toEqual(['refused', expect.stringContaining(`Type ${key.keyId}`)]);
    expect((await operate(commandLine, { ...world, isTerminal: true, stdin: '' })).exit).toBe('refused');
    expect((await operate(commandLine, world)).exit).toBe('usage');
    expect((await validKeys(companyId)).length).toBe(2);
    expect((await operate(commandLine, { ...world, isTerminal: true, stdin: `${key.keyId}\n` })).exit).toBe('ok');
    expect(await validKeys(companyId)).toEqual([keys[1]?.keyId]);
  });

  test('with descendants, deletes keys created with it too, and lists all before confirmation', async () => {
    const { companyId, key: kept } = await onboard(world.store);
    const stolen = await issueKey(world.store, companyId);
    const { body: child } = await call('createApiKey', { apiKey: stolen.apiKey });
    const { body: grandchild } = await call('createApiKey', { apiKey: child.apiKey });
    await operate(['key', 'revoke', companyId, child.keyId, '--yes', ...because], world);
    const revoke = ['key', 'revoke', companyId, stolen.keyId, '--with-descendants', ...because];
    const dryRun = await operateForJson([...revoke, '--dry-run'], world);
    expect(dryRun.output.differences.map(({ what }: { what: string }) => what)).toEqual([
      `key ${stolen.keyId}`,
      `key ${grandchild.keyId}`,
    ]);
    expect((await validKeys(companyId)).length).toBe(3);
    expect((await operate([...revoke, '--yes'], world)).exit).toBe('ok');
    expect(await validKeys(companyId)).toEqual([kept.keyId]);
    expect((await operate([...revoke, '--yes'], world)).exit).toBe('not-found');
  });

  test('warns if a company is left with read-only keys', async () => {
    const { companyId, key } = await onboard(world.store);
    const reader = await issueKey(world.store, companyId, startMs, { ...defaultKeyOptions, access: 'read' });
    const revoke = ({ keyId }: { keyId: string }) =>
      operate(['key', 'revoke', companyId, keyId, '--dry-run', ...because], world);
    expect((await revoke(key)).stderr).toContain('with full access: the company can only read');
    expect((await revoke(reader)).stderr).not.toContain('last');
  });

  test('of one key by two operators at once: one succeeds, the other gets not-found', async () => {
    const { companyId, key } = await onboard(world.store, { keys: 2 });
    const argv = ['key', 'revoke', companyId, key.keyId, '--yes', ...because];
    const runs = await Promise.all([operate(argv, world), operate(argv, world)]);
    expect(runs.map(({ exit }) => exit).toSorted()).toEqual(['not-found', 'ok']);
  });
});

test('list shows all keys with days left and last use, the latest expiry first', async () => {
  const { companyId, key } = await onboard(world.store);
  const nowMs = addMonths(startMs, 3);
  const newer = await issueKey(world.store, companyId, nowMs);
  const record = (await findApiKey(world.store, companyId, key.keyId)) as StoredApiKey;
  await recordKeyUse(world.store, record, nowMs);
  const { output } = await operateForJson(['key', 'list', companyId], { ...world, nowMs });
  expect(output.keys).toMatchObject([
    { keyId: newer.keyId, daysLeft: 183, lastUsedOn: null },
    { keyId: key.keyId, state: 'valid', daysLeft: 92, lastUsedOn: '2036-06-10', createdByKeyId: null },
  ]);
  expect((await listApiKeys(world.store, companyId, 10)).keys.length).toBe(2);
});

describe('expiring', () => {
  test('lists keys that expire within the time, and marks the last key of a company', async () => {
    const early = await onboard(world.store, { nowMs: startMs - 86_400_000 });
    const renewed = await onboard(world.store);
    await issueKey(world.store, renewed.companyId, addMonths(startMs, 4));
    const nowMs = addMonths(startMs, 5);
    const { output } = await operateForJson(['key', 'expiring', '--within', '31d'], { ...world, nowMs });
    const keyOf = (keyId: string) => output.keys.find((each: { keyId: string }) => each.keyId === keyId);
    expect(keyOf(early.key.keyId)).toMatchObject({ companyId: early.companyId, daysLeft: 30, isLast: true });
    expect(keyOf(renewed.key.keyId)).toMatchObject({ daysLeft: 31, isLast: false });
    const narrow = await operateForJson(['key', 'expiring', '--within', '30d'], { ...world, nowMs });
    expect(narrow.output.keys.map(({ keyId }: { keyId: string }) => keyId)).toContain(early.key.keyId);
    expect(narrow.output.keys.map(({ keyId }: { keyId: string }) => keyId)).not.toContain(renewed.key.keyId);
  });

  test('accepts only days', async () => {
    const { exit, stderr } = await operate(['key', 'expiring', '--within', 'soon'], world);
    expect([exit, stderr]).toEqual(['usage', expect.stringContaining('like 30d')]);
  });
});

describe('inspect', () => {
  test('shows company, id and expiry of a key, and calls no store', async () => {
    const { companyId, key } = await onboard(world.store);
    world.proxy.begin();
    const { exit, output } = await operateForJson(['key', 'inspect'], { ...world, stdin: `${key.apiKey}\n` });
    expect(exit).toBe('ok');
    expect(output).toEqual({
      isShapeRight: true,
      isChecksumRight: true,
      companyId,
      keyId: key.keyId,
      expiresAt: '2036-09-10T12:00:00Z',
      isExpired: false,
    });
    expect(world.proxy.exchanges).toEqual([]);
  });

  test('distinguishes a mistyped key from other text', async () => {
    const { key } = await onboard(world.store);
    const mistyped = key.apiKey.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const inspect = (stdin: string) => operateForJson(['key', 'inspect'], { ...world, stdin });
    expect(await inspect(mistyped)).toMatchObject({ exit: 'refused', output: { isChecksumRight: false } });
    for (const text of ['', 'xHCSAPI_', key.apiKey.slice(1), key.apiKey.replace(/_\d{8}T/, '_20361399T')])
      expect(await inspect(text)).toMatchObject({ exit: 'refused', output: { isShapeRight: false } });
  });
});
