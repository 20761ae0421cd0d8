import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { tables } from '../../lambdas/api/tables.ts';
import { createPartnerClient } from '../../partner/client/partner-client.ts';
import { proven } from '../support/campaign.ts';
import { temporaryDirectory } from '../support/operator.ts';
import { done, fetchFrom, partnerOf, refused } from '../support/partner.ts';
import { companyOf, fleetOf, openService, type Service } from '../support/service.ts';

let service: Service;
/** The working directory of the program: the run's files are under `.local`, as after `npm start`. */
const directory = temporaryDirectory();
beforeAll(async () => {
  service = await openService({ isWithoutFleet: false });
  symlinkSync(service.directory, join(directory, '.local'));
});
afterAll(() => service.close());

const program = join(import.meta.dirname, '../../operator/main.ts');

const run = (...commandLine: string[]) => runIn(directory, {}, ...commandLine);

const runIn = async (cwd: string, { stdin = '' }: { stdin?: string }, ...commandLine: string[]) => {
  const child = spawn(process.execPath, [program, ...commandLine, '--local'], {
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(stdin);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { stdout, stderr, exitCode };
};

test('the program changes the running demo world, and the service applies it to the next request', proven, async () => {
  const { sourceIp } = companyOf(service, 'globex');
  const client = partnerOf(service, 'globex');
  expect(statSync(join(service.directory, 'operator.json')).mode & 0o777).toBe(0o600);

  const suspended = await run('company', 'suspend', 'globex', '--reason', 'test');
  expect(suspended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('globex: changed') });
  const { problem, requestId = '' } = await refused(client.call('getContract'));
  expect(problem.code).toBe('company-suspended');
  expect(JSON.parse((await run('request', 'show', requestId, '-o', 'json')).stdout)).toMatchObject({
    served: { companyId: 'globex', status: 403, reason: 'company-suspended' },
    access: { sourceIp, status: '403' },
  });
  const shown = JSON.parse((await run('company', 'show', 'globex', '-o', 'json')).stdout);
  const refusals = expect.objectContaining({ reason: 'company-suspended', lastRequestId: requestId });
  expect(shown.refusals).toContainEqual(refusals);
  await run('company', 'resume', 'globex', '--reason', 'test');

  const issued = JSON.parse((await run('key', 'issue', 'globex', '--reason', 'test', '-o', 'json')).stdout);
  expect(issued.keyFile).toBe(join(directory, 'globex.local.key'));
  const apiKey = readFileSync(issued.keyFile, 'utf8').trim();
  expect((await done(client.call('getContract', { apiKey }))).body.companyId).toBe('globex');
  expect((await run('company', 'show', 'nobody')).exitCode).toBe(4);
  expect(await run('company', 'sync', '--check')).toMatchObject({ exitCode: 0, stdout: 'Drift\nall is in line\n' });
  const address = JSON.parse((await run('address', 'check', sourceIp, '-o', 'json')).stdout);
  expect(await run('doctor')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`all ${Object.keys(tables).length} exist and respond`),
  });
  expect(address).toMatchObject({
    edgeBlock: expect.stringContaining('127.0.0.'),
    conclusion: expect.stringContaining('globex is allowed'),
  });
});

test('smoke confirms that the run serves a company’s key, and names what is missing otherwise', proven, async () => {
  const { apiKey } = companyOf(service, 'acme');
  const good = await runIn(directory, { stdin: apiKey }, 'smoke', '-o', 'json');
  const { checks, companyId } = JSON.parse(good.stdout);
  expect([good.exitCode, companyId]).toEqual([0, 'acme']);
  expect(checks.map(({ status, code }: Record<string, unknown>) => [status, code])).toEqual([
    [401, 'api-key-missing'],
    [401, 'api-key-invalid'],
    [200, null],
    [200, null],
  ]);
  const ofSeveralOwners = await runIn(directory, { stdin: fleetOf(service).apiKey }, 'smoke');
  expect(ofSeveralOwners).toMatchObject({ exitCode: 0 });
  const ofOtherAddress = await runIn(directory, { stdin: companyOf(service, 'globex').apiKey }, 'smoke');
  expect(ofOtherAddress).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('call from a registered address of that company'),
  });
  expect((await runIn(directory, {}, 'smoke')).stderr).toContain('There is no key on standard input.');
});

test('one command onboards a partner in empty tables, and a second one opens its homes', proven, async () => {
  const empty = await openService({ isEmpty: true });
  onTestFinished(() => empty.close());
  const cwd = temporaryDirectory();
  symlinkSync(empty.directory, join(cwd, '.local'));
  expect(empty.demo.companies).toEqual([]);

  const reason = ['--reason', 'contract 42 signed'];
  expect(await runIn(cwd, {}, 'company', 'onboard', 'acme', ...reason)).toMatchObject({ exitCode: 0 });
  const apiKey = readFileSync(join(cwd, 'acme.local.key'), 'utf8').trim();
  const { baseUrl } = empty.demo;
  const client = createPartnerClient({ baseUrl, apiKey, userId: 'owner-4711', fetch: fetchFrom(empty, '127.0.0.1') });
  expect((await done(client.call('getContract'))).body.state).toBe('active');

  expect((await refused(client.call('listGateways'))).problem).toMatchObject({
    status: 451,
    code: 'consent-outdated',
  });
  expect(await runIn(cwd, {}, 'consent', 'accept', 'acme', ...reason)).toMatchObject({ exitCode: 0 });
  expect((await done(client.call('listGateways'))).body.items).toHaveLength(3);
});

test('after the run has ended, its tables are not used any more', proven, async () => {
  await service.close();
  expect(existsSync(join(service.directory, 'operator.json'))).toBe(false);
  expect(await run('company', 'list')).toMatchObject({ exitCode: 7, stderr: expect.stringContaining('npm start') });
});
