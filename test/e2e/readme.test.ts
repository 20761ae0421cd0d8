import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { companyOf, openService, type Service } from '../support/service.ts';

let service: Service;
const directory = mkdtempSync(join(tmpdir(), 'readme-'));
beforeAll(async () => {
  service = await openService();
  symlinkSync(service.directory, join(directory, '.local'));
});
afterAll(async () => {
  await service.close();
  rmSync(directory, { recursive: true });
});

/** The first shell block under a heading of the README. */
const shellBlockOf = (heading: string): string => {
  const [, section = ''] = readFileSync('README.md', 'utf8').split(`## ${heading}\n`);
  return /```sh\n(.*?)```/s.exec(section)?.[1] ?? '';
};

test('the README’s first calls do, pasted as they are, what it says of them', async () => {
  const script = shellBlockOf('First calls');
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: directory });
  const answers = [...stdout.matchAll(/^\{.*\}$/gm)].map(([line]) => JSON.parse(line));
  const { companyId, userId, keyId } = companyOf(service, 'acme');
  expect(answers).toMatchObject([
    { companyId, userId, state: 'active', consent: { upToDate: true } },
    { companyId, keyId, validKeys: 1 },
    { apiKey: expect.stringMatching(/^xHCSAPI_acme_/) },
    { code: 'api-key-expired' },
    { code: 'source-address-not-allowed' },
    { code: 'api-key-missing' },
  ]);
  expect(stdout).toMatch(/^RateLimit: "general";r=4;t=1\r?$/im);
});
