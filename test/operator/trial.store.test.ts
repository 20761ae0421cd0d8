import { execFileSync } from 'node:child_process';
import { getDefaultResultOrder } from 'node:dns';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadTrialConfig } from '../../config/load.ts';
import type { StageConfig } from '../../config/schema.ts';
import { problemBody, problemMediaType, problems } from '../../lambdas/api/problems.ts';
import { findCompany } from '../../lambdas/data/contracts/companies.ts';
import { generateKey } from '../../lambdas/domain/api-key.ts';
import type { Connection } from '../../operator/connection/connection.ts';
import { call } from '../support/call.ts';
import { type OperatorOptions, operate, operateForJson, temporaryDirectory } from '../support/operator.ts';
import { type OpenIntegrations, openIntegrations } from '../support/operator-integrations.ts';
import { openSandbox } from '../support/sandbox.ts';
import { placeOfTrial } from '../support/trial.ts';
import { openWorld, startMs } from '../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let opened: OpenIntegrations;
beforeAll(async () => {
  world = await openWorld();
  opened = await openIntegrations();
  return opened.close;
});
afterEach(() => vi.unstubAllGlobals());

const baseUrl = 'https://trial.test/v1';
const sourceIp = '93.184.216.34';
const deployCommand =
  'npx cdk deploy --context stage=trial --context address="$(curl -s https://checkip.amazonaws.com)"';

let companies = 0;

/** A trial whose company is not onboarded yet, and the folder in which its operator works. */
const openTrial = (change: Partial<StageConfig> = {}) => {
  const companyId = `t${process.pid}x${companies++}`;
  const config = { ...loadTrialConfig('trial', placeOfTrial), ...change };
  const directory = join(temporaryDirectory(), "an operator's folder");
  mkdirSync(directory);
  const ofCompany = { ...config, companies: config.companies.map((each) => ({ ...each, companyId })) };
  const options = (connection: Partial<Connection> = {}): OperatorOptions => ({
    ...world,
    trial: 'trial',
    config: ofCompany,
    directory,
    connection: { integrations: opened.integrations, readBaseUrl: async () => baseUrl, ...connection },
  });
  const onboardCommand = ['company', 'onboard', companyId, '--reason', 'trial'];
  return { companyId, options, onboardCommand, keyFile: join(directory, `${companyId}.trial.key`) };
};

/** Answers the calls of the program with a status and a body; returns the list of the URLs that it has called. */
const answerCalls = (answer: (headers: Headers, ordinal: number) => Promise<{ status: number; body: unknown }>) => {
  const calls: string[] = [];
  vi.stubGlobal('fetch', async (url: string | URL, { headers }: RequestInit) => {
    const { status, body } = await answer(new Headers(headers), calls.push(String(url)));
    const type = status < 300 ? 'application/json' : problemMediaType;
    return new Response(JSON.stringify(body), { status, headers: { 'content-type': type } });
  });
  return calls;
};

const refusing = (code: Parameters<typeof problemBody>[0]) => async () => ({
  status: 403,
  body: problemBody(code, 'request-1'),
});

const withHome = async () => ({ status: 200, body: { items: [{}] } });
const withoutHomes = async () => ({ status: 200, body: { items: [] } });

/** Calls the service from the registered address. `ordinal` is the minute of the call. */
const listGateways = (headers: Headers, ordinal: number) =>
  call('listGateways', {
    apiKey: headers.get('x-api-key') ?? '',
    headers: { 'x-user-id': [headers.get('x-user-id') ?? ''] },
    nowMs: startMs + ordinal * 60_000,
    sourceIp,
  });

/** Runs a command line of curl in a shell, and returns the headers and the URL that curl would send. */
const readCurl = (commandLine: string) => {
  const words = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${commandLine}`], { encoding: 'utf8' });
  const [family, ...parts] = words.trimEnd().split('\n');
  const headers = new Headers(
    parts.flatMap((word, index) => (parts[index - 1] === '--header' ? [word.split(': ') as [string, string]] : [])),
  );
  return { family, headers, url: parts.at(-1) };
};

describe('company onboard in a trial', () => {
  test('starts the sandbox, waits for the first home, and prints a call of it that is a 200 when it is pasted', async () => {
    const trial = openTrial();
    const sandbox = await openSandbox(3);
    let sent: Awaited<ReturnType<typeof sandbox.runSchedule>>['sent'] = [];
    const calls = answerCalls(listGateways);
    const options = {
      ...trial.options({
        startSandbox: async () => {
          ({ sent } = await sandbox.runSchedule());
        },
      }),
      onWait: () => sandbox.apply(sent.splice(0)),
    };

    const { exit, output, stderr } = await operateForJson(trial.onboardCommand, options);
    expect([exit, output.outcome], stderr).toEqual(['ok', 'changed']);
    expect(calls).toEqual([`${baseUrl}/hvacs`, `${baseUrl}/hvacs`]);
    const { family, headers, url } = readCurl(output.firstCall);
    expect([family, headers.get('x-user-id'), url]).toEqual([
      '--ipv4',
      `sim-owner-${trial.companyId}-1`,
      `${baseUrl}/hvacs`,
    ]);
    expect(await listGateways(headers, 10)).toMatchObject({
      status: 200,
      body: { items: [{ gatewayId: `sim-${trial.companyId}-1`, name: 'Home 1' }] },
    });

    const again = await operate(trial.onboardCommand, options);
    expect([again.exit, again.stdout]).toEqual(['ok', expect.stringContaining(`${trial.companyId}: unchanged\n`)]);
    expect(again.stdout.trimEnd().split('\n').at(-1)).toBe(output.firstCall);
    expect(again.stdout + again.stderr).not.toContain('xHCSAPI_');
  });

  test.each([
    ['ipv4', '93.184.216.0/28'],
    ['ipv6', '2a02:2e0::5/128'],
  ])(
    'calls from the family of addresses that the trial admits, and so does the printed call: %s',
    async (family, block) => {
      const { companies: admitted } = loadTrialConfig('trial', { ...placeOfTrial, allowedCidrs: [block] });
      const trial = openTrial({ companies: admitted });
      answerCalls(withHome);
      const { output } = await operateForJson(trial.onboardCommand, trial.options());
      expect([readCurl(output.firstCall).family, getDefaultResultOrder()]).toEqual([`--${family}`, `${family}first`]);
    },
  );

  test('after a deployment with another address, registers that address', async () => {
    const trial = openTrial();
    answerCalls(withHome);
    await operate(trial.onboardCommand, trial.options());
    const { companies: moved } = loadTrialConfig('trial', { ...placeOfTrial, allowedCidrs: ['93.184.216.35/32'] });
    const { companyId, onboardCommand } = trial;
    const options = trial.options();
    const config = { ...options.config, companies: moved.map((each) => ({ ...each, companyId })) } as StageConfig;
    const { exit, output } = await operateForJson(onboardCommand, { ...options, config });
    expect([exit, output.differences]).toEqual([
      'ok',
      [{ what: 'allowedCidrs', before: ['93.184.216.34/32'], after: ['93.184.216.35/32'] }],
    ]);
    expect(await findCompany(world.store, companyId)).toMatchObject({ allowedCidrs: ['93.184.216.35/32'] });
  });

  test('from an address that the trial does not admit says at once how to admit it', async () => {
    const trial = openTrial();
    const calls = answerCalls(refusing('source-address-not-allowed'));
    const { exit, stderr } = await operate(trial.onboardCommand, trial.options());
    expect([exit, calls.length, existsSync(trial.keyFile)]).toEqual(['refused', 1, true]);
    expect(stderr).toContain(
      `The key is registered, but the trial admits only 93.184.216.34/32, and this machine calls from another address. To admit it, run: ${deployCommand}. Then run this command again.\n`,
    );
  });

  test('without an answer of a home ends after three minutes, with what to do', async () => {
    const trial = openTrial();
    const refuse = refusing('contract-not-found');
    const calls = answerCalls((_, ordinal) => (ordinal === 1 ? withoutHomes() : refuse()));
    const { exit, stderr } = await operate(trial.onboardCommand, trial.options());
    expect([exit, calls.length]).toEqual(['unavailable', 1 + 180 / 2]);
    expect(stderr).toContain(
      `The key is registered, but no home answered within 180 seconds; the last answer was contract-not-found: ${problems['contract-not-found'].detail} Run this command again to wait on. If no home answers then either: doctor --stage trial, and`,
    );
  });

  test('calls nothing in a dry run, and refuses a company that the trial does not have', async () => {
    const trial = openTrial();
    const calls = answerCalls(refusing('contract-not-found'));
    const { output } = await operateForJson(['company', 'onboard', trial.companyId, '--dry-run'], trial.options());
    expect([output.outcome, output.firstCall, calls]).toEqual(['would-change', null, []]);
    const other = await operate(['company', 'onboard', 'acme', '--reason', 'trial'], trial.options());
    expect([other.exit, other.stderr]).toEqual([
      'not-found',
      `A trial has one company, ${trial.companyId}. Run the command with that name.\n`,
    ]);
  });
});

describe('doctor of a trial', () => {
  /** Examines a stage whose company was onboarded, as after the first command of a trial. */
  const examine = async (quota: number) => {
    await world.takeNewTables('Companies');
    const trial = openTrial();
    answerCalls(withHome);
    await operate(trial.onboardCommand, trial.options());
    const options = trial.options({ readStoreTimeMs: async () => startMs + 500 });
    const { exit, output } = await operateForJson(['doctor'], {
      ...options,
      openAccount: async () => ({ readConcurrencyQuota: async () => quota }),
    });
    const findings: { check: string; level: string; what: string; remedy: string | null }[] = output.findings;
    return { exit, findings };
  };

  test.each([10, 1000])('begins with how to delete it, and warns of nothing: a quota of %i', async (quota) => {
    const { exit, findings } = await examine(quota);
    expect([exit, findings.filter(({ level }) => level !== 'ok')]).toEqual(['ok', []]);
    expect(findings[0]).toEqual({
      check: 'trial',
      level: 'ok',
      what: 'the stage is a trial: npx cdk destroy --context stage=trial deletes it, with everything in it',
      remedy: null,
    });
  });

  test('names the command of the CDK CLI where a deployment is the remedy', async () => {
    const { exit, findings } = await examine(5);
    expect([exit, findings.find(({ level }) => level === 'warning')?.remedy]).toEqual([
      'drift',
      `write 5 as monitoring.lambdaConcurrencyQuota there, and ${deployCommand}; or ask Service Quotas for 10`,
    ]);
  });
});

test('smoke of a trial from an address that it does not admit says how to admit it', async () => {
  answerCalls(refusing('source-address-not-allowed'));
  const trial = openTrial();
  const { apiKey: stdin } = generateKey(trial.companyId, startMs);
  const { exit, output } = await operateForJson(['smoke'], { ...trial.options(), stdin });
  const remedies = output.checks.map(({ remedy }: { remedy: string }) => remedy);
  expect([exit, new Set(remedies)]).toEqual([
    'error',
    new Set([`admit the address of this machine: ${deployCommand}, then company onboard`]),
  ]);
});

test('the help of --stage names trials', async () => {
  const { stdout } = await operate(['--help'], { ...world, trial: 'trial' });
  expect(stdout.replace(/\s+/g, ' ')).toContain('; trial for a stage that cdk deploy created');
});

test('a trial without a configuration is refused with what to do', async () => {
  const { exit, stderr } = await operate(['company', 'list'], { ...world, trial: 'trial-b' });
  expect([exit, stderr]).toEqual([
    'usage',
    expect.stringContaining('For a new stage, copy config/trial.json to config/trial-b.json.\n'),
  ]);
});

test('where AWS denies access, a trial names the credentials that deployed it, since it has no roles', async () => {
  const denied = Object.assign(new Error('User: x is not authorized'), { name: 'AccessDeniedException' });
  const trial = openTrial();
  const connect = () => Promise.reject(denied);
  const { exit, stderr } = await operate(['company', 'list'], { ...trial.options(), connect });
  expect([exit, stderr]).toEqual([
    'refused',
    'AWS denied access (User: x is not authorized). A trial has no roles for operators: use the credentials that deployed it, or name a --profile of an administrator of the account.\n',
  ]);
});
