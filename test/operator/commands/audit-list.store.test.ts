import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { auditPut } from '../../../lambdas/data/audit.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { reportedCircuits, reportedProgram } from '../../support/appliance.ts';
import { call, equipCompany, goodCall, goodProgram, registerWebhook } from '../../support/call.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

const dayMs = 24 * 60 * 60 * 1000;
const [companyId, userId, gatewayId] = ['acme', 'owner-1', 'gw-1'];

/** Ten changes, one per day, the last one now. */
let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
  for (let daysBack = 9; daysBack >= 0; daysBack--) {
    const nowMs = startMs - daysBack * dayMs;
    const auditContext = {
      companyId,
      nowMs,
      requestId: randomUUID(),
      operation: 'updateHeatingCircuit',
      actorKey: null,
      userId,
    };
    await transact(world.store, { audit: auditPut(world.store, auditContext, { gatewayId, circuitId: 'hc-1' }) });
  }
});

const timesOf = async (...commandLine: string[]): Promise<string[]> =>
  (await operateForJson(['audit', 'list', ...commandLine], world)).output.entries.map(({ at }: { at: string }) => at);
const daysBack = (days: number[]) => days.map((each) => toTimestamp(startMs - each * dayMs));

describe('audit list', () => {
  test.each([
    ['--company', companyId],
    ['--user', userId],
    ['--gateway', gatewayId],
  ])('%s lists its changes, the newest first', async (option, id) => {
    expect(await timesOf(option, id)).toEqual(daysBack([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
    expect(await timesOf(option, 'other')).toEqual([]);
  });

  test.each([
    ['3d', [0, 1, 2, 3]],
    ['2036-03-09', [0, 1]],
    ['1d', [0, 1]],
    ['24h', [0, 1]],
    ['30m', [0]],
    [toTimestamp(startMs - dayMs + 1000), [0]],
    ['2037-01-01', []],
  ])('since %s', async (since, expected) => {
    expect(await timesOf('--company', companyId, '--since', since)).toEqual(daysBack(expected));
  });

  test('stops at the limit and reports it, and reads no more pages than necessary', async () => {
    world.proxy.begin();
    const { output, stderr } = await operateForJson(['audit', 'list', '--company', companyId, '--limit', '4'], world);
    expect([output.entries.length, output.hasMore]).toEqual([4, true]);
    expect(stderr).toContain('raise --limit (4)');
    expect(world.proxy.exchanges).toHaveLength(1);
    expect(
      (await operateForJson(['audit', 'list', '--company', companyId, '--limit', '10'], world)).output.hasMore,
    ).toBe(false);
  });

  let days = 30;
  test('a time alone lists the changes of all companies, sorted by time', async () => {
    // A day on which nothing else has changed, even if the test runs again.
    const nowMs = startMs + days++ * dayMs;
    const [one, two] = await Promise.all([onboard(world.store), onboard(world.store)]);
    const acts = [
      ['suspend', one],
      ['suspend', two],
      ['resume', one],
    ] as const;
    for (const [minute, [verb, company]] of acts.entries())
      await operate(['company', verb, company.companyId, '--reason', 'r'], {
        ...world,
        nowMs: nowMs + minute * 60_000,
      });
    const list = async (...options: string[]) =>
      (await operateForJson(['audit', 'list', ...options], { ...world, nowMs: nowMs + 300_000 })).output;
    const made = acts.map(([verb, company]) => [`company ${verb}`, company.companyId]).toReversed();
    const shown = ({ entries }: { readonly entries: readonly Record<string, unknown>[] }) =>
      entries.map((entry) => [entry.operation, entry.companyId]);
    const all = await list('--since', '1h');
    expect([shown(all), all.hasMore]).toEqual([made, false]);
    const some = await list('--since', '1h', '--limit', '2');
    expect([shown(some), some.hasMore]).toEqual([made.slice(0, 2), true]);
  });

  test('--key lists the changes with a key and to it, of any company, and of no other key', async () => {
    const company = await equipCompany(world.store);
    const { body: made } = await call('createApiKey', { apiKey: company.key.apiKey });
    const nowMs = startMs + 2000;
    await call('deleteApiKey', { apiKey: made.apiKey, nowMs, pathParameters: { keyId: company.key.keyId } });
    const of = async (keyId: string, ...options: string[]) =>
      (await operateForJson(['audit', 'list', '--key', keyId, ...options], { ...world, nowMs })).output.entries.map(
        ({ operation }: { readonly operation: string }) => operation,
      );
    expect(await of(made.keyId)).toEqual(['deleteApiKey', 'createApiKey']);
    expect(await of(company.key.keyId)).toEqual(expect.arrayContaining(['deleteApiKey', 'createApiKey']));
    expect(await of(made.keyId, '--company', company.companyId)).toHaveLength(2);
    expect(await of(made.keyId, '--company', companyId)).toEqual([]);
    const onAws = { ...world, connection: { requestLogGroup: 'log' } };
    const { stderr } = await operate(['audit', 'list', '--key', made.keyId], onAws);
    expect(stderr).toContain(`| filter keyId = "${made.keyId}"\n`);
  });

  test('shows who made an operator’s change, why, and the values before and after', async () => {
    const company = await onboard(world.store);
    await operate(['company', 'suspend', company.companyId, '--reason', 'ticket 4'], { ...world, nowMs: startMs + 1 });
    const commandLine = ['audit', 'list', '--company', company.companyId, '--limit', '1'];
    expect((await operateForJson(commandLine, world)).output.entries).toMatchObject([
      {
        operation: 'company suspend',
        operator: 'local:tester',
        actorKeyId: null,
        reason: 'ticket 4',
        before: { state: 'active' },
        after: { state: 'suspended' },
      },
    ]);
    expect((await operate(commandLine, world)).stdout).toMatch(
      /company suspend +local:tester +.*"suspended".*ticket 4/,
    );
  });

  test('shows times as timestamps', async () => {
    const { companyId: ended } = await onboard(world.store, { state: 'ended' });
    const nowMs = startMs + 60_000;
    const open = ['contract', 'open', ended, '--user', partiesOf(ended).userId, '--reason', 'ticket 5'];
    await operate(open, { ...world, nowMs });
    const { entries } = (await operateForJson(['audit', 'list', '--company', ended, '--limit', '1'], world)).output;
    expect(entries).toMatchObject([
      { before: { since: toTimestamp(startMs) }, after: { state: 'active', since: toTimestamp(nowMs) } },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/Ms"/);
  });

  test('a table shows the owner of the contract, and no times that only order facts', async () => {
    const { companyId: company } = await onboard(world.store);
    const { userId: owner } = partiesOf(company);
    const by = { ...world, nowMs: startMs + 60_000 };
    const reason = ['--reason', 'ticket 6'];
    const moved = ['gateway', 'move', company, 'gw-1', '--from', owner, '--to', 'owner-new'];
    await operate(['contract', 'open', company, '--user', 'owner-new', ...reason], by);
    await operate(['gateway', 'grant', company, 'gw-1', '--user', owner, ...reason], by);
    const outputs = await Promise.all([
      operate([...moved, ...reason], by),
      operate(['consent', 'withdraw', company, '--user', owner, '--yes', ...reason], by),
    ]);
    outputs.push(await operate(['contract', 'end', company, '--user', owner, '--yes', ...reason], by));
    const { stdout } = await operate(['audit', 'list', '--company', company], by);
    const lineOf = (operation: string) => stdout.split('\n').find((line) => line.includes(operation));
    expect(lineOf('OPERATION')).toMatch(/ COMPANY +USER +OPERATION /);
    expect(lineOf('contract end')).toMatch(new RegExp(` ${owner} .*\\{"state":"active"\\} +\\{"state":"ended"\\}`));
    expect(lineOf('contract open')).toMatch(/ owner-new .*\{"since":"[^"]*","state":"active"\} /);
    expect(lineOf('consent withdraw')).toMatch(/\{("accepted(ConsentVersion|At)":null,?){2}\} +ticket 6/);
    expect(lineOf('gateway move')).toMatch(new RegExp(` owner-new .* gw-1 .*"formerUserId":"${owner}"`));
    const shown = stdout + outputs.map((output) => output.stdout).join('');
    expect(shown).not.toMatch(/(Claimed|Changed|Began|Received)At/);
    const { entries } = (await operateForJson(['audit', 'list', '--company', company], by)).output;
    expect(JSON.stringify(entries)).toMatch(/stateClaimedAt.*consentBeganAt|consentBeganAt.*stateClaimedAt/);
  });

  test('shows the webhook of a change', async () => {
    const company = await equipCompany(world.store);
    const other = await registerWebhook(world.store, company.companyId, 'https://hooks.acme.example/another');
    const both = [company.webhook, other].map(({ webhookId }) => webhookId);
    for (const [index, webhookId] of both.entries()) {
      const good = goodCall('deleteWebhook', company);
      await call('deleteWebhook', { ...good, nowMs: startMs + 1000 * (index + 1), pathParameters: { webhookId } });
    }
    const commandLine = ['audit', 'list', '--company', company.companyId, '--limit', '2'];
    const { entries } = (await operateForJson(commandLine, world)).output;
    expect(entries).toMatchObject(both.toReversed().map((webhookId) => ({ operation: 'deleteWebhook', webhookId })));
    for (const webhookId of both)
      expect((await operate(commandLine, world)).stdout).toMatch(new RegExp(`deleteWebhook .*${webhookId}`));
  });

  test('shows what a partner requested of an appliance, and what that replaced', async () => {
    const company = await equipCompany(world.store);
    const { heating, dhw } = reportedCircuits;
    const asked = [
      ['updateHeatingCircuit', { operationMode: 'off' }, { operationMode: heating.operationMode }],
      ['updateDhwCircuit', { waterSetpointCelsius: 60 }, { waterSetpointCelsius: dhw.waterSetpointCelsius }],
      ['updateHeatingTimeProgram', goodProgram, reportedProgram],
      ['updateDhwTimeProgram', goodProgram, reportedProgram],
      // Replaces what was requested and not reported yet.
      [
        'updateHeatingCircuit',
        { operationMode: 'manual', roomSetpointCelsius: 30 },
        { operationMode: 'off', roomSetpointCelsius: heating.roomSetpointCelsius },
      ],
    ] as const;
    for (const [minute, [operationId, body]] of asked.entries()) {
      const nowMs = startMs + minute * 60_000;
      expect((await call(operationId, { ...goodCall(operationId, company), body, nowMs })).status).toBe(202);
    }
    const commandLine = ['audit', 'list', '--gateway', company.gatewayId];
    const { entries } = (await operateForJson([...commandLine, '--limit', `${asked.length}`], world)).output;
    expect(
      entries
        .toReversed()
        .map(({ operation, after, before, actorKeyId, family, circuitId }: Record<string, unknown>) => [
          ...[operation, after, before],
          ...[actorKeyId, family, circuitId],
        ]),
    ).toEqual(
      asked.map(([operationId, after, before]) => [
        ...[operationId, after, before],
        ...[company.key.keyId, operationId.includes('Dhw') ? 'dhw' : 'heating', 'c1'],
      ]),
    );
    expect((await operate(commandLine, world)).stdout).toContain('{"operationMode":"off","roomSetpointCelsius":21}');
  });

  test('shows where to find reads: query and log group on AWS, the folder of a local run', async () => {
    const onAws = { ...world, connection: { requestLogGroup: 'PartnerApi-prod-RequestLog1' } };
    const { stderr, stdout } = await operate(['audit', 'list', '--gateway', gatewayId, '-o', 'json'], onAws);
    expect(stderr).toContain('over the group PartnerApi-prod-RequestLog1:\nfields @timestamp');
    expect(stderr).toContain('| filter path like /^\\/hvacs\\/gw-1(\\/|$)/ or gatewayId = "gw-1"\n');
    expect(stdout).not.toContain('@timestamp');
    const locally = await operate(['audit', 'list', '--user', userId], { ...world, logsDirectory: '/there' });
    expect(locally.stderr).toContain('the log lines in /there');
  });

  test.each([
    [[], 'Add one of'],
    [['--company', 'acme', '--user', 'owner-1'], 'Add one of'],
    [['--restores', '--queues', '--since', '1d'], 'Add one of'],
    [['--company', 'acme', '--since', 'yesterday'], '--since is not a time'],
    [['--company', 'acme', '--since', '2036-13-01'], '--since is not a time'],
    [['--company', 'acme', '--limit', '0'], '--limit is less than 1'],
    [['--company', 'acme', '--limit', 'ten'], '--limit is not a number'],
    [['--user', 'o"|x'], '--user is not a user id'],
  ])('%j is refused', async (options, expected) => {
    const { exit, stderr } = await operate(['audit', 'list', ...options], world);
    expect([exit, stderr]).toEqual(['usage', expect.stringContaining(expected)]);
  });
});
