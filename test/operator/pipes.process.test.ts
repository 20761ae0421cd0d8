import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { apiVersion } from '../../lambdas/api/version.ts';

const runShell = (line: string) => spawnSync('bash', ['-c', line.replace('operator', 'node operator/main.ts')]);

const outputOf = ({ status, stdout, stderr }: ReturnType<typeof runShell>) => [status, `${stdout}`, `${stderr}`];

test('--version prints the version, and a closed pipe causes no stack trace', () => {
  expect(outputOf(runShell('operator --version'))).toEqual([0, `${apiVersion}\n`, '']);
  const [, first, stderr] = outputOf(runShell('operator completion fish | head -1'));
  expect([first, stderr]).toEqual(['function __partner_api_operator\n', '']);
});

describe('npm keeps options that stand before "--"', () => {
  const runNpm = (line: string, environment: NodeJS.ProcessEnv = {}) =>
    spawnSync('npm', line.split(' '), { encoding: 'utf8', env: { ...process.env, ...environment } });

  test.each([
    ['run operator gateway grant acme gw-1 --dry-run -- --local --reason x', 3, '--dry-run'],
    ['run operator gateway grant acme gw-1 --user=owner-1 -- --local --reason x', 3, '--user'],
    ['run operator company list --stage prod', 3, '--stage'],
    ['run demo fault gw-1001 --directory=.local/second', 1, '--directory'],
    ['run deploy --plan -- --stage prod', 1, '--plan'],
    ['start --no-download -- --port 0', 1, '--no-download'],
  ])('npm %s is refused with %i, and says where %s stands', (line, expected, option) => {
    const { status, stderr } = runNpm(line);
    expect(status).toBe(expected);
    expect(stderr).toMatch(
      new RegExp(`^npm kept ${option} for itself, .*Nothing was done\\. Write: npm .* -- … ${option} …`),
    );
  });

  test('an option that stands behind it as well, and settings of the machine, are no reason', () => {
    const settings = { npm_config_yes: 'true', npm_config_user: 'root', npm_config_access: 'public' };
    const { status, stdout } = runNpm('run --silent operator --dry-run -- company list --help --dry-run', settings);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^Usage: partner-api-operator company list/)]);
  });
});

test.skipIf(!existsSync('/dev/full'))('reports a full disk in one sentence, as an error', () => {
  const [status, , stderr] = outputOf(runShell('operator completion fish > /dev/full'));
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^The output could not be written \(ENOSPC[^\n]*\n$/)]);
  expect(runShell('operator completion nosuch 2> /dev/full').status).toBe(3);
});
