import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { problems } from '../../lambdas/api/problems.ts';
import { addMonths } from '../../lambdas/domain/time.ts';
import { proven } from '../support/campaign.ts';
import { openService, type Service } from '../support/service.ts';
import { issueKey, onboard } from '../support/world.ts';

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

/** A company with a key that was issued some days ago, and a file with the key. */
const keyInFile = async (ageDays = 0) => {
  const { companyId, key } = await onboard(service.local.store, { nowMs: Date.now() - ageDays * dayMs });
  const file = join(directory, companyId);
  writeFileSync(file, `${key.apiKey}\n`);
  return { companyId, key, file };
};

/** Runs the program as a partner would. Returns the content of the file and the output. */
const run = (file: string, ...options: string[]) => runAt(service.demo.baseUrl, file, ...options);

const runAt = async (baseUrl: string, file: string, ...options: string[]) => {
  const { caFile } = service.demo;
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

test('has at most 20 lines without comments', proven, () => {
  const lines = readFileSync(script, 'utf8').trim().split('\n');
  expect(lines.filter((line) => !/^\s*(\/\/|$)/.test(line)).length).toBeLessThanOrEqual(20);
  expect(lines.length).toBeLessThan(30);
});

test('no text of an answer controls the terminal', proven, async () => {
  const text = 'a\u001b[2Jb\u009bc\u202ed';
  const server = createServer((_, answer) => answer.writeHead(500).end(JSON.stringify({ title: text, detail: text })));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { file } = await keyInFile();
  const { stderr } = await runAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, file);
  server.close();
  expect(stderr).toBe('GET /api-keys/me: a?[2Jb?c?d. a?[2Jb?c?d\n');
});

test('a key file that is not one key is named, and nothing of it is printed', proven, async () => {
  const { key, file } = await keyInFile();
  const malformed = { 'not one API key': `${key.apiKey}\nx`, 'UTF-16': Buffer.from(key.apiKey, 'utf16le') };
  for (const [says, content] of Object.entries(malformed)) {
    writeFileSync(file, content);
    const { stdout, stderr, code } = await run(file);
    expect([stdout, code]).toEqual(['', 1]);
    expect(stderr).toContain(`Error: ${file} is ${says}.`);
    expect(stderr.replaceAll('\0', '')).not.toContain('xHCSAPI_');
  }
});

test(
  'a key that expires within 30 days is replaced in its file and deleted; no secret is printed',
  proven,
  async () => {
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
  },
);

test('a key that expires later is kept, unless --now is given', proven, async () => {
  const { key, file } = await keyInFile();
  expect(await run(file)).toEqual({ stdout: '', stderr: '', code: 0, kept: key.apiKey });
  expect((await run(file, '--now')).kept).not.toBe(key.apiKey);
});

/** Leaves the files of a run that was interrupted after the answer, perhaps with the value written twice. */
const createAndBreakOff = async (apiKey: string, file: string) => {
  const value = randomBytes(16).toString('hex');
  writeFileSync(`${file}.next`, value + randomBytes(7).toString('hex'));
  const rawHeaders = ['Idempotency-Key', value];
  return (await service.send({ method: 'POST', path: '/api-keys', apiKey, rawHeaders })).body;
};

test(
  'a run after an interruption between creating and writing leaves no unused key and no value behind',
  proven,
  async () => {
    const { key, file } = await keyInFile(160);
    const created = await createAndBreakOff(key.apiKey, file);
    const { kept } = await run(file);
    expect(kept).toBe(created.apiKey);
    expect(await keyIdsOf(kept)).toEqual([created.keyId]);
    expect(existsSync(`${file}.next`)).toBe(false);
  },
);

test('if the key of an interrupted run was used, it says so and changes nothing', proven, async () => {
  const { key, file } = await keyInFile(160);
  const created = await createAndBreakOff(key.apiKey, file);
  await service.send({ path: '/api-keys/me', apiKey: created.apiKey });
  const { title, detail } = problems['idempotency-key-spent'];
  expect(await run(file)).toMatchObject({
    stderr: `POST /api-keys: ${title}. ${detail}\n`,
    code: 1,
    kept: key.apiKey,
  });
});

test('two rotations have different random values of 128 bits', proven, async () => {
  const values = await Promise.all(
    ['one', 'other'].map(async () => {
      const { companyId, file } = await keyInFile();
      for (let others = 0; others < 9; others++) await issueKey(service.local.store, companyId, Date.now());
      await run(file, '--now');
      return readFileSync(`${file}.next`, 'utf8');
    }),
  );
  expect(new Set(values).size).toBe(2);
  for (const value of values) expect(value).toMatch(/^[0-9a-f]{32}$/);
});

test('a refusal is printed with the title and detail of the service, and nothing changes', proven, async () => {
  const { key, file, companyId } = await keyInFile();
  for (let others = 0; others < 9; others++) await issueKey(service.local.store, companyId, Date.now());
  const { stdout, stderr, code, kept } = await run(file, '--now');
  expect({ stdout, code, kept }).toEqual({ stdout: '', code: 1, kept: key.apiKey });
  const { title, detail } = problems['api-key-limit-reached'];
  expect(stderr).toBe(`POST /api-keys: ${title}. ${detail}\n`);
});

test('an expired key is refused in the same way', proven, async () => {
  const { companyId, file } = await keyInFile();
  const expired = await issueKey(service.local.store, companyId, addMonths(Date.now(), -7));
  writeFileSync(file, expired.apiKey);
  const { stderr, code } = await run(file);
  expect([stderr, code]).toEqual([expect.stringMatching(/^GET \/api-keys\/me: The API key has expired\. /), 1]);
});
