import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { maxValidKeysPerCompany } from '../../../lambdas/api/limits.ts';
import { findApiKey, listApiKeys, readTakenSlots, recordKeyUse } from '../../../lambdas/data/api-keys/api-keys.ts';
import type { StoredApiKey } from '../../../lambdas/domain/api-key.ts';
import { addMonths } from '../../../lambdas/domain/time.ts';
import { call } from '../../support/call.ts';
import { operate, operateForJson, temporaryDirectory } from '../../support/operator.ts';
import { readAudit } from '../../support/store.ts';
import { injectFault, issueKey, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const because = ['--reason', 'ticket 7'];
const validKeys = async (companyId: string, nowMs = startMs) =>
  (await readTakenSlots(world.store, companyId, nowMs)).map(({ keyId }) => keyId);

describe('issue', () => {
  test('gives a key to a company that has no valid one left, into a file for its owner alone', async () => {
    const { companyId } = await onboard(world.store);
    const nowMs = addMonths(startMs, 7);
    const directory = temporaryDirectory();
    const { exit, output } = await operateForJson(['key', 'issue', companyId, ...because], {
      ...world,
      nowMs,
      directory,
    });
    expect([exit, output.outcome]).toEqual(['ok', 'changed']);
    expect(output.keyFile).toBe(join(directory, `${companyId}.local.key`));
    expect(statSync(output.keyFile).mode & 0o777).toBe(0o600);
    const apiKey = readFileSync(output.keyFile, 'utf8').trim();
    expect((await call('getContract', { apiKey, nowMs })).status).toBe(200);
    expect(await validKeys(companyId, nowMs)).toEqual([output.keyId]);
    expect((await readAudit(world.store, companyId)).at(-1)).toMatchObject({
      operation: 'key issue',
      keyId: output.keyId,
      reason: 'ticket 7',
      operator: 'local:tester',
    });
  });

  test('says what to name if the file for the key is a folder', async () => {
    const { companyId } = await onboard(world.store);
    const directory = temporaryDirectory();
    const commandLine = ['key', 'issue', companyId, '--key-file', directory, ...because];
    const { exit, stderr } = await operate(commandLine, { ...world, directory });
    expect([exit, stderr]).toEqual([
      'usage',
      `${directory} is a folder. Name a file for --key-file, within it for example.\n`,
    ]);
  });

  test('stops at ten, also when twenty operators do it at once, and leaves no file of a key that never was', async () => {
    const { companyId } = await onboard(world.store);
    const directory = temporaryDirectory();
    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        operate(['key', 'issue', companyId, '--key-file', `${index}.key`, ...because], { ...world, directory }),
      ),
    );
    const outcomes = Object.groupBy(runs, ({ exit }) => exit);
    expect(outcomes.ok?.length).toBe(maxValidKeysPerCompany - 1);
    expect(outcomes.refused?.length).toBe(20 - (maxValidKeysPerCompany - 1));
    expect(outcomes.refused?.[0]?.stderr).toContain('The first to run out is');
    expect((await validKeys(companyId)).length).toBe(maxValidKeysPerCompany);
    expect(readdirSync(directory).length).toBe(maxValidKeysPerCompany - 1);
  });

  test.each(['before', 'after'])(
    'broken off %s the key is registered and run again: one key, that of the file',
    async (when) => {
      const { companyId } = await onboard(world.store);
      const directory = temporaryDirectory();
      const send = async (command: Parameters<typeof world.store.send>[0]) => {
        if (command.constructor.name !== 'TransactWriteCommand') return world.store.send(command);
        if (when === 'after') await world.store.send(command);
        throw new Error('killed');
      };
      const store = { ...world.store, send: send as typeof world.store.send };
      expect((await operate(['key', 'issue', companyId, ...because], { store, directory })).exit).toBe('error');
      const apiKey = readFileSync(join(directory, `${companyId}.local.key`), 'utf8').trim();
      const { exit, output } = await operateForJson(['key', 'issue', companyId, ...because], { ...world, directory });
      expect([exit, output.outcome]).toEqual(['ok', when === 'after' ? 'unchanged' : 'changed']);
      expect(readFileSync(output.keyFile, 'utf8').trim()).toBe(apiKey);
      expect((await validKeys(companyId)).length).toBe(2);
      expect((await call('getContract', { apiKey })).status).toBe(200);
    },
  );

  test('never brings a revoked key back from its file', async () => {
    const { companyId } = await onboard(world.store);
    const directory = temporaryDirectory();
    const issued = await operateForJson(['key', 'issue', companyId, ...because], { ...world, directory });
    await operate(['key', 'revoke', companyId, issued.output.keyId, '--yes', ...because], {
      ...world,
      nowMs: startMs + 1,
    });
    const { exit, stderr } = await operate(['key', 'issue', companyId, ...because], { ...world, directory });
    expect(exit).toBe('refused');
    expect(stderr).toContain('key revoke by local:tester');
    expect(await findApiKey(world.store, companyId, issued.output.keyId)).toBeUndefined();
  });

  test('does not take the file of a key that ran out for a new one', async () => {
    const { companyId } = await onboard(world.store);
    const directory = temporaryDirectory();
    await operate(['key', 'issue', companyId, ...because], { ...world, directory });
    const later = { ...world, directory, nowMs: addMonths(startMs, 6) };
    const { exit, stderr } = await operate(['key', 'issue', companyId, ...because], later);
    expect([exit, stderr]).toEqual(['refused', expect.stringContaining('ran out at 2036-09-10T12:00:00Z')]);
  });

  test('needs a place for the file before it registers anything', async () => {
    const { companyId } = await onboard(world.store);
    const commandLine = ['key', 'issue', companyId, '--key-file', 'no/such/folder/a.key', ...because];
    const { exit, stderr } = await operate(commandLine, world);
    expect([exit, stderr]).toEqual(['usage', expect.stringContaining('no/such/folder')]);
    expect((await validKeys(companyId)).length).toBe(1);
  });

  test('as a dry run leaves neither key nor file', async () => {
    const { companyId } = await onboard(world.store);
    const directory = temporaryDirectory();
    const { output } = await operateForJson(['key', 'issue', companyId, '--dry-run'], { ...world, directory });
    expect(output).toMatchObject({ outcome: 'would-change', keyId: null, keyFile: null });
    expect(output.differences[0].after).toBe('2 of 10, valid for 6 months');
    expect(readdirSync(directory)).toEqual([]);
    expect((await validKeys(companyId)).length).toBe(1);
  });

  test('keeps the file when nobody knows whether the key was registered', async () => {
    const { companyId } = await onboard(world.store);
    const directory = temporaryDirectory();
    injectFault(world, ({ action }) => (action === 'TransactWriteItems' ? 'throttle' : undefined));
    expect((await operate(['key', 'issue', companyId, ...because], { ...world, directory })).exit).toBe('unavailable');
    expect(readdirSync(directory).length).toBe(1);
  });
});

describe('revoke', () => {
  test('makes a key fail with the next request, the last one too, which it says', async () => {
    const { companyId, key } = await onboard(world.store);
    const { exit, stderr } = await operate(['key', 'revoke', companyId, key.keyId, '--yes', ...because], world);
    expect([exit, stderr]).toEqual(['ok', expect.stringContaining('the last valid key')]);
    expect((await call('getContract', { apiKey: key.apiKey })).body.code).toBe('api-key-invalid');
    expect(await validKeys(companyId)).toEqual([]);
  });

  test('asks for the id of the key, and does nothing on any other answer', async () => {
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

  test('of one key by many at once: one does, the others do not find it', async () => {
    const { companyId, key } = await onboard(world.store, { keys: 2 });
    const runs = await Promise.all(
      Array.from({ length: 5 }, () => operate(['key', 'revoke', companyId, key.keyId, '--yes', ...because], world)),
    );
    expect(runs.map(({ exit }) => exit).toSorted()).toEqual(['not-found', 'not-found', 'not-found', 'not-found', 'ok']);
  });
});

test('list has every key with its days left and its last use, the longest valid first', async () => {
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
  test('has what runs out within the time, and says of which company it is the last key', async () => {
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

  test('takes days only', async () => {
    const { exit, stderr } = await operate(['key', 'expiring', '--within', 'soon'], world);
    expect([exit, stderr]).toEqual(['usage', expect.stringContaining('like 30d')]);
  });
});

describe('inspect', () => {
  test('tells company, id and expiry of a key, and asks no store', async () => {
    const { companyId, key } = await onboard(world.store);
    world.proxy.begin();
    const { exit, output, stdout, stderr } = await operateForJson(['key', 'inspect'], {
      ...world,
      stdin: `${key.apiKey}\n`,
    });
    expect(exit).toBe('ok');
    expect(output).toEqual({
      isShapeRight: true,
      isChecksumRight: true,
      companyId,
      keyId: key.keyId,
      expiresAt: '2036-09-10T12:00:00Z',
      isExpired: false,
    });
    expect(stdout + stderr).not.toContain(key.apiKey.slice(-49));
    expect(world.proxy.exchanges).toEqual([]);
  });

  test('tells a mistyped key from a text that is none', async () => {
    const { key } = await onboard(world.store);
    const mistyped = key.apiKey.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const inspect = (stdin: string) => operateForJson(['key', 'inspect'], { ...world, stdin });
    expect(await inspect(mistyped)).toMatchObject({ exit: 'refused', output: { isChecksumRight: false } });
    for (const text of ['', 'xHCSAPI_', key.apiKey.slice(1), key.apiKey.replace(/_\d{8}T/, '_20361399T')])
      expect(await inspect(text)).toMatchObject({ exit: 'refused', output: { isShapeRight: false } });
  });
});
