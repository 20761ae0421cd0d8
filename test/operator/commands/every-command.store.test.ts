import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import type { Connection } from '../../../operator/connection/connection.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { type Fixture, openRuns, prepareFor, type Run } from '../../support/operator-fixture.ts';
import { openIntegrations } from '../../support/operator-integrations.ts';
import { rows, runsOf } from '../../support/operator-runs.ts';
import { withPointInTimeRecovery } from '../../support/point-in-time.ts';
import { openWorld, startMs, type World } from '../../support/world.ts';

let world: World;
let stage: { readonly store: World['store']; readonly connection: Partial<Connection> };
beforeAll(async () => {
  world = await openWorld();
  const integrations = await openIntegrations();
  const store = withPointInTimeRecovery(world.store, { earliestMs: 0, latestMs: startMs });
  stage = { store, connection: { stackName: `PartnerApi-${randomUUID()}`, integrations: integrations.integrations } };
  await openRuns({ integrations, operate: (argv, options) => operate(argv, { ...options, ...stage }) });
  return () => integrations.close();
});

const optionsOf = ({ options }: Fixture) => ({
  ...options,
  ...stage,
  connection: { ...options.connection, ...stage.connection },
});

/** The service's time, which the clock of the operator's machine does not show. */
const serviceMs = startMs + 3000;

const reads = ['GetItem', 'Query', 'Scan', 'BatchGetItem', 'DescribeTable'];

/** Expects that the output of a run has no existing key, and no key that the run wrote to a file. */
const expectNoSecret = ({ stdout, stderr }: { stdout: string; stderr: string }, { key, options }: Fixture) => {
  const output = stdout + stderr;
  expect(output).not.toContain('xHCSAPI_');
  expect(output).not.toMatch(/hash/i);
  const keyFiles = readdirSync(options.directory).filter((file) => file.endsWith('.key'));
  const issued = keyFiles.map((file) => readFileSync(join(options.directory, file), 'utf8').trim());
  for (const apiKey of [key.apiKey, ...issued]) {
    expect(output).not.toContain(apiKey.slice(-49));
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      expect(output).not.toContain(createHash('sha256').update(apiKey).digest(encoding));
  }
};

describe.each(rows)('%s', (name, command) => {
  const [run] = runsOf(name) as [Run];
  const { exit = 'ok' } = run;
  const argvFor = (fixture: Fixture) => [...name.split(' '), ...run.argv(fixture)];

  /** For runs that change nothing, such as dry runs. */
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await prepareFor(command, run, true);
  });

  test('shows a table without secrets, and writes nothing; a change as a dry run', async () => {
    const argv = [...argvFor(fixture), ...(command.changes ? ['--dry-run'] : [])];
    const filesBefore = readdirSync(fixture.options.directory);
    world.proxy.begin();
    const ran = await operate(argv, optionsOf(fixture));
    for (const { action } of world.proxy.exchanges) expect(reads).toContain(action);
    expect(readdirSync(fixture.options.directory)).toEqual(filesBefore);
    expect([ran.exit, ran.stdout.startsWith('{')]).toEqual([exit, false]);
    expect(ran.stdout.trim()).not.toBe('');
    expectNoSecret(ran, fixture);
  });

  if (!command.changes) {
    test('shows JSON that matches its schema, without secrets', async () => {
      const ran = await operateForJson(argvFor(fixture), optionsOf(fixture));
      expect([ran.exit, typeof ran.output]).toEqual([exit, 'object']);
      expectNoSecret(ran, fixture);
    });
    return;
  }

  test('requires a reason, and calls no store without one', async () => {
    for (const reason of [[], ['--reason', ' ']]) {
      world.proxy.begin();
      const ran = await operate([...argvFor(fixture), '--yes', ...reason], optionsOf(fixture));
      expect([ran.exit, ran.stderr]).toEqual(['usage', expect.stringContaining('--reason')]);
      expect(world.proxy.exchanges).toEqual([]);
    }
  });

  test('writes only in transactions with an audit row that has the time of the service, and shows valid JSON without secrets', async () => {
    const own = await prepareFor(command, run, false);
    world.proxy.begin();
    const readStoreTimeMs = async () => serviceMs;
    const options = { ...optionsOf(own), connection: { ...stage.connection, readStoreTimeMs } };
    const ran = await operateForJson([...argvFor(own), '--yes', '--reason', 'to see'], options);
    expect([ran.exit, typeof ran.output], ran.stderr).toEqual([exit, 'object']);
    for (const { action } of world.proxy.exchanges) expect([...reads, 'TransactWriteItems']).toContain(action);
    const writes = world.proxy.exchanges.filter(({ action }) => action === 'TransactWriteItems');
    const items = writes.flatMap(({ input }) => input.TransactItems);
    for (const { Put } of items)
      if (Put?.Item.reason?.S === 'to see') expect(Put.Item.at.S).toBe(toTimestamp(serviceMs));
    const isOnRecord = writes.map(({ input }) => JSON.stringify(input).includes('"reason":{"S":"to see"}'));
    // An erasure has audit rows for its start and end only: a row for each step would keep the erased data.
    const asked = command.role === 'privacy' ? [isOnRecord.at(0), isOnRecord.at(-1)] : isOnRecord;
    expect(asked).toEqual(asked.map(() => true));
    expectNoSecret(ran, own);
  });
});
