import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import type { StageConfig } from '../../../config/schema.ts';
import { keyItemKey } from '../../../lambdas/data/api-keys/api-keys.ts';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { type AnyCommand, nameOf } from '../../../operator/cli/command.ts';
import { commands } from '../../../operator/commands.ts';
import type { Connection } from '../../../operator/connection/connection.ts';
import type { ExitCode } from '../../../operator/error.ts';
import { eventLike, reportGateway } from '../../support/messages.ts';
import { type OperatorOptions, operate, operateForJson, temporaryDirectory } from '../../support/operator.ts';
import { type OpenSeams, openSeams } from '../../support/operator-seams.ts';
import { withPointInTimeRecovery } from '../../support/point-in-time.ts';
import { putWebhook } from '../../support/webhooks.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
/** Of tables that were restored when there was one company, whose key has been lost since. */
const restored = ['--to', toTimestamp(startMs)];
let restores = 0;
const stackName = `PartnerApi-${randomUUID()}`;
let openedSeams: OpenSeams;
let connection: Partial<Connection>;
beforeAll(async () => {
  openedSeams = await openSeams();
  connection = { stackName, seams: openedSeams.seams };
  const opened = await openWorld();
  world = { ...opened, store: withPointInTimeRecovery(opened.store, { earliestMs: 0, latestMs: startMs }) };
  const { key } = await onboard(world.store);
  const run = await operate(['restore', 'start', ...restored, '--reason', 'to see'], { ...world, connection });
  expect(run.exit, run.stderr).toBe('ok');
  await world.store.send(new DeleteCommand({ TableName: world.store.tableName('ApiKeys'), Key: keyItemKey(key) }));
  await reportGateway(world.store, 'gw-open');
  return () => openedSeams.close();
});

type Company = Awaited<ReturnType<typeof onboard>> & {
  readonly newcomerId: string;
  /** The message that nobody could take, of those of gateways; of a command about such messages only. */
  readonly letterId: string;
  /** A webhook that was verified; disabled for the command that enables it. */
  readonly webhookId: string;
};

let newcomers = 0;

/**
 * A command line for each command, for a company in good order with the gateway gw-1 and
 * addresses that are not yet in its contract, one that stands in the configuration only, and a gateway with open changes. A new command needs one too.
 */
const commandLines: Readonly<Record<string, (company: Company) => readonly string[]>> = {
  'company onboard': ({ newcomerId }) => [newcomerId],
  'company list': () => [],
  'company show': ({ companyId }) => [companyId],
  'company suspend': ({ companyId }) => [companyId],
  'company resume': ({ companyId }) => [companyId],
  'company sync': ({ companyId }) => [companyId],
  'key issue': ({ companyId }) => [companyId],
  'key list': ({ companyId }) => [companyId],
  'key revoke': ({ companyId, key }) => [companyId, key.keyId],
  'key inspect': () => [],
  'key expiring': () => ['--within', '365d'],
  'contract set': ({ companyId }) => [companyId, '--name', 'Another name'],
  'contract end': ({ companyId }) => [companyId],
  'contract show': ({ companyId }) => [companyId],
  'gateway grant': ({ companyId }) => [companyId, 'gw-2'],
  'gateway revoke': ({ companyId }) => [companyId, 'gw-1'],
  'gateway import': ({ companyId }) => [companyId, 'gateways.csv'],
  'consent accept': ({ companyId }) => [companyId],
  'consent withdraw': ({ companyId }) => [companyId],
  'consent status': ({ companyId }) => [companyId],
  'address check': () => ['127.0.0.1'],
  'audit list': ({ companyId }) => ['--company', companyId],
  'gateway show': () => ['gw-open'],
  'events list': ({ companyId }) => [companyId],
  'events renew': ({ companyId }) => [companyId],
  'change list': () => [],
  'change resend': () => ['gw-open'],
  'webhook list': ({ companyId }) => [companyId],
  'webhook test': ({ companyId, webhookId }) => [companyId, webhookId],
  'webhook disable': ({ companyId, webhookId }) => [companyId, webhookId],
  'webhook enable': ({ companyId, webhookId }) => [companyId, webhookId],
  'seam status': () => [],
  'seam send': () => ['event.json'],
  'seam dead list': () => ['gatewayReports'],
  'seam dead show': ({ letterId }) => ['gatewayReports', letterId],
  'seam dead redrive': () => ['gatewayReports'],
  'seam dead drop': ({ letterId }) => ['gatewayReports', letterId],
  'restore start': () => ['--to', toTimestamp(startMs - ++restores * 1000)],
  'restore status': () => restored,
  'restore copy': () => restored,
  'restore reconcile': () => restored,
  'trace resolve': () => ['trace.txt'],
  doctor: () => [],
  smoke: () => [],
};

/** The company that stands in the configuration only is something to tell of; nothing answers where these stages are called. */
const ends: Readonly<Record<string, ExitCode>> = { doctor: 'drift', smoke: 'error' };
const endOf = (name: string): ExitCode => ends[name] ?? 'ok';

const reads = ['GetItem', 'Query', 'Scan', 'BatchGetItem', 'DescribeTable'];

/** A company, the folder that its commands run in, with a CSV file, an event, a stack and its source map, and the log of a function. */
const prepare = async (name: string) => {
  const newcomerId = `newcomer${newcomers++}`;
  const letterId = name.startsWith('seam dead') ? await leaveLetter() : '';
  const onboarded = await onboard(world.store, { acceptedConsentVersion: 2 });
  const { webhookId } = await putWebhook(onboarded.companyId, {
    state: name === 'webhook enable' ? 'disabled' : 'enabled',
    verifiedAtMs: startMs,
  });
  const company = { ...onboarded, newcomerId, letterId, webhookId };
  await grantGateway(world.store, company.companyId, 'gw-1', startMs - 1000);
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'gateways.csv'), 'gw-3\n');
  writeFileSync(join(directory, 'trace.txt'), 'Error: none\n    at ze (0123456789ab.mjs:1:1)\n');
  writeFileSync(join(directory, '0123456789ab.map'), sourceMap);
  writeFileSync(join(directory, 'event.json'), JSON.stringify(eventLike('function.blocked.v1', { subject: 'gw-1' })));
  const logsDirectory = join(directory, 'logs');
  mkdirSync(logsDirectory);
  writeFileSync(join(logsDirectory, `${stackName}-getContract.log`), logLines(company.companyId));
  const local = loadStageConfig('local');
  const newcomer = { ...company.contract, companyId: newcomerId, allowedCidrs: ['127.0.0.1/32'], gatewayIds: ['gw-9'] };
  const moved = { ...company.contract, allowedCidrs: ['127.0.0.1/32', '127.0.0.3/32'], gatewayIds: ['gw-1'] };
  const config = { ...local, companies: [newcomer, moved] } as unknown as StageConfig;
  const stdin = `${company.key.apiKey}\n`;
  const options: OperatorOptions = {
    ...world,
    connection,
    directory,
    logsDirectory,
    config,
    stdin,
  };
  return { company, options };
};

type Prepared = Awaited<ReturnType<typeof prepare>>;

const hasOwnNeeds = (name: string) => name.startsWith('seam dead') || name === 'webhook enable';

/** The same for all other commands, as far as they change nothing. */
let shared: Promise<Prepared> | undefined;
const prepareOnce = (name: string) => {
  shared ??= prepare(name);
  return shared;
};

/** The only one in its queue. */
const leaveLetter = async () => {
  await openedSeams.purge('gatewayReports/deadLetters');
  return openedSeams.send('gatewayReports/deadLetters', eventLike('function.blocked.v1', { subject: 'gw-1' }));
};

const sourceMap = JSON.stringify({ version: 3, sources: ['lambdas/a.ts'], names: [], mappings: 'AAAA' });

const logLines = (companyId: string) =>
  [
    { timestamp: '2036-03-10T11:00:00Z', companyId, operation: 'getContract', status: 200 },
    {
      timestamp: '2036-03-10T11:00:01Z',
      companyId,
      operation: 'getContract',
      status: 429,
      reason: 'rate-limit-exceeded',
    },
    { timestamp: '2036-03-10T11:00:02Z', companyId: 'another', operation: 'getContract', status: 403, reason: 'x' },
    { timestamp: '2036-03-10T11:00:03Z', companyId, operation: 'getContract', status: 451, reason: 'consent-outdated' },
  ]
    .map((event) => JSON.stringify({ requestId: 'r', ...event }))
    .join('\nSTART RequestId: r\n');

/** Restores, and the other commands that go through all companies, come first, while there are few. */
const rankOf = ({ noun, requirements }: AnyCommand) =>
  noun === 'restore' ? 0 : requirements.tableActions.Contracts?.includes('Scan') ? 1 : 2;
const rows = commands
  .toSorted((one, other) => rankOf(one) - rankOf(other))
  .map((command) => [nameOf(command), command] as const);
const argvOf = (name: string, company: Company): string[] => {
  const own = commandLines[name];
  if (!own) throw new Error(`Add a command line for ${name} to this test.`);
  return [...name.split(' '), ...own(company)];
};
/** Of a run: no key that is there, and none that it has put where it belongs. */
const expectNoSecret = ({ stdout, stderr }: { stdout: string; stderr: string }, { company, options }: Prepared) => {
  const output = stdout + stderr;
  expect(output).not.toContain('xHCSAPI_');
  expect(output).not.toMatch(/hash/i);
  const directory = options.directory ?? '';
  const keyFiles = readdirSync(directory).filter((file) => file.endsWith('.key'));
  const issued = keyFiles.map((file) => readFileSync(join(directory, file), 'utf8').trim());
  for (const apiKey of [company.key.apiKey, ...issued]) {
    expect(output).not.toContain(apiKey.slice(-49));
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      expect(output).not.toContain(createHash('sha256').update(apiKey).digest(encoding));
  }
};

describe.each(rows)('%s', (name, command) => {
  /** For what changes nothing, or is to be seen to change nothing. */
  let prepared: Prepared;
  beforeAll(async () => {
    prepared = await (hasOwnNeeds(name) ? prepare(name) : prepareOnce(name));
  });

  test('shows JSON as its schema says, and a table, and no secret; it writes nothing, or not as a dry run', async () => {
    const { company, options } = prepared;
    const argv = [...argvOf(name, company), ...(command.changes ? ['--dry-run'] : [])];
    const filesBefore = readdirSync(options.directory ?? '');
    world.proxy.begin();
    const runs = [await operateForJson(argv, options), await operate(argv, options)];
    for (const { action } of world.proxy.exchanges) expect(reads).toContain(action);
    expect(readdirSync(options.directory ?? '')).toEqual(filesBefore);
    expect(runs.map(({ exit, stdout }) => [exit, stdout.startsWith('{')])).toEqual([
      [endOf(name), true],
      [endOf(name), false],
    ]);
    for (const run of runs) {
      expect(run.stdout.trim()).not.toBe('');
      expectNoSecret(run, prepared);
    }
  });

  if (!command.changes) return;

  test('needs a reason, and asks no store before it has one', async () => {
    const { company, options } = prepared;
    for (const reason of [[], ['--reason', ' ']]) {
      world.proxy.begin();
      const { exit, stderr } = await operate([...argvOf(name, company), '--yes', ...reason], options);
      expect([exit, stderr]).toEqual(['usage', expect.stringContaining('--reason')]);
      expect(world.proxy.exchanges).toEqual([]);
    }
  });

  test('writes in transactions only, each with its audit row, and puts out no secret', async () => {
    const own = await prepare(name);
    world.proxy.begin();
    const argv = [...argvOf(name, own.company), '--yes', '--reason', 'to see', '-o', 'json'];
    const ran = await operate(argv, own.options);
    expect(ran.exit, ran.stderr).toBe(endOf(name));
    for (const { action, input } of world.proxy.exchanges) {
      expect([...reads, 'TransactWriteItems']).toContain(action);
      if (action !== 'TransactWriteItems') continue;
      const reasons = JSON.stringify(input).match(/"reason":\{"S":"to see"\}/g) ?? [];
      expect(reasons.length).toBeGreaterThan(0);
    }
    expectNoSecret(ran, own);
  });
});

test('company show has the last refusals of the company from the log lines, newest first, and the query for AWS', async () => {
  const { company, options } = await prepareOnce('company show');
  const { output } = await operateForJson(['company', 'show', company.companyId], options);
  expect(output.lastRefusals.map(({ reason }: { reason: string }) => reason)).toEqual([
    'consent-outdated',
    'rate-limit-exceeded',
  ]);
  const { logsDirectory: _, ...onAws } = options;
  const { stdout } = await operate(['company', 'show', company.companyId], onAws);
  expect(stdout).toContain(`filter companyId = "${company.companyId}" and ispresent(reason)`);
});
