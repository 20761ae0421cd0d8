import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { problems } from '../../../lambdas/api/problems.ts';
import { addMonths } from '../../../lambdas/domain/time.ts';
import { openService, type Service } from '../../support/service.ts';
import { issueKey, onboard } from '../../support/world.ts';

let service: Service;
const directory = mkdtempSync(join(tmpdir(), 'rotate-key-'));
beforeAll(async () => {
  service = await openService();
});
afterAll(async () => {
  await service.close();
  rmSync(directory, { recursive: true });
});

const script = 'partner/guide/rotate-key.ts';
const dayMs = 86_400_000;

/** A company with a key in a file of its own, which was issued some days ago. */
const keyInFile = async (ageDays = 0) => {
  const { companyId, key } = await onboard(service.local.store, { nowMs: Date.now() - ageDays * dayMs });
  const file = join(directory, companyId);
  writeFileSync(file, `${key.apiKey}\n`);
  return { companyId, key, file };
};

/** Runs it as a partner would, and gives what it left in the file and wrote. */
const run = async (file: string, ...options: string[]) => {
  const { baseUrl, caFile } = service.demo;
  const env = { ...process.env, BASE_URL: baseUrl, API_KEY_FILE: file, NODE_EXTRA_CA_CERTS: caFile };
  const { stdout, stderr, code } = await promisify(execFile)(process.execPath, [script, ...options], { env }).then(
    (output) => ({ ...output, code: 0 }),
    (failure: { stdout: string; stderr: string; code: number }) => failure,
  );
  return { stdout, stderr, code, kept: readFileSync(file, 'utf8').trim() };
};

const keyIdsOf = async (apiKey: string): Promise<string[]> =>
  (await service.send({ path: '/api-keys', apiKey })).body.items.map(({ keyId }: { keyId: string }) => keyId);

const secretOf = (apiKey: string) => apiKey.slice(-49);

test('is at most 20 lines, comments aside', () => {
  const lines = readFileSync(script, 'utf8').trim().split('\n');
  expect(lines.filter((line) => !/^\s*(\/\/|$)/.test(line)).length).toBeLessThanOrEqual(20);
  expect(lines.length).toBeLessThan(30);
});

test('a key that expires within 30 days is replaced in its file by a new one, and deleted; no secret is written', async () => {
  const { key, file } = await keyInFile(160);
  const { stdout, stderr, code, kept } = await run(file);
  expect([code, stderr]).toEqual([0, '']);
  const own = await service.send({ path: '/api-keys/me', apiKey: kept });
  expect(own.body).toMatchObject({ validKeys: 1 });
  expect(own.body.keyId).not.toBe(key.keyId);
  expect(await keyIdsOf(kept)).toEqual([own.body.keyId]);
  expect((await service.send({ path: '/api-keys/me', apiKey: key.apiKey })).body.code).toBe('api-key-invalid');
  expect(stdout).toContain(own.body.expiresAt);
  for (const apiKey of [key.apiKey, kept]) expect(stdout).not.toContain(secretOf(apiKey));
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a younger key stays as it is, unless it is told to replace it at once', async () => {
  const { key, file } = await keyInFile();
  expect(await run(file)).toEqual({ stdout: '', stderr: '', code: 0, kept: key.apiKey });
  expect((await run(file, '--now')).kept).not.toBe(key.apiKey);
});

test('broken off between creating and writing, and run again, it leaves no key over', async () => {
  const { key, file } = await keyInFile(160);
  const rawHeaders = ['Idempotency-Key', `rotation-of-${key.keyId}`];
  const created = await service.send({ method: 'POST', path: '/api-keys', apiKey: key.apiKey, rawHeaders });
  const { kept } = await run(file);
  expect(kept).toBe(created.body.apiKey);
  expect(await keyIdsOf(kept)).toEqual([created.body.keyId]);
});

test('a refusal is said in the service’s words, and nothing is changed', async () => {
  const { key, file, companyId } = await keyInFile();
  for (let others = 0; others < 9; others++) await issueKey(service.local.store, companyId, Date.now());
  const { stdout, stderr, code, kept } = await run(file, '--now');
  expect({ stdout, code, kept }).toEqual({ stdout: '', code: 1, kept: key.apiKey });
  const { title, detail } = problems['api-key-limit-reached'];
  expect(stderr).toBe(`POST /api-keys: ${title}. ${detail}\n`);
});

test('an expired key is refused so too', async () => {
  const { companyId, file } = await keyInFile();
  const expired = await issueKey(service.local.store, companyId, addMonths(Date.now(), -7));
  writeFileSync(file, expired.apiKey);
  const { stderr, code } = await run(file);
  expect([stderr, code]).toEqual([expect.stringMatching(/^GET \/api-keys\/me: The API key has expired\. /), 1]);
});
