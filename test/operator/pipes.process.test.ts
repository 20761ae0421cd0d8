import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { apiVersion } from '../../lambdas/api/version.ts';

const runShell = (line: string) => spawnSync('bash', ['-c', line.replace('operator', 'node operator/main.ts')]);

const outputOf = ({ status, stdout, stderr }: ReturnType<typeof runShell>) => [status, `${stdout}`, `${stderr}`];

test('--version prints the version, and a closed pipe causes no stack trace', () => {
  expect(outputOf(runShell('operator --version'))).toEqual([0, `${apiVersion}\n`, '']);
  const [, first, stderr] = outputOf(runShell('operator completion fish | head -1'));
  expect([first, stderr]).toEqual(['function __partner_api_operator\n', '']);
});

test.skipIf(!existsSync('/dev/full'))('reports a full disk in one sentence, as an error', () => {
  const [status, , stderr] = outputOf(runShell('operator completion fish > /dev/full'));
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^The output could not be written \(ENOSPC[^\n]*\n$/)]);
  expect(runShell('operator completion nosuch 2> /dev/full').status).toBe(3);
});
