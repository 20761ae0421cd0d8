import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listOpenChanges } from '../../../lambdas/data/appliances/open-since-index.ts';
import { timeProgramItemKey } from '../../../lambdas/data/appliances/time-programs.ts';
import { findContract, putContract } from '../../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import { withdrawConsent } from '../../../lambdas/data/contracts/owner-decisions.ts';
import { itemName } from '../../../operator/commands/change.ts';
import type { Connection } from '../../../operator/connection/connection.ts';
import { reportGateway } from '../../support/messages.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import type { Stage } from '../../support/stage/stage.ts';
import { requestOf, requestOn } from '../../support/stage/traffic.ts';
import { operatorActOn, readAudit } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let home: Awaited<ReturnType<typeof openHome>>;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  home = await openHome();
});

/**
 * A gateway with changes that a company asked for: a setpoint with the key `key-1`, and a time program. Another company asked for
 * a mode of the same circuit. The company has a second owner, without gateways.
 */
const openHome = async () => {
  const { store } = world;
  const [{ companyId, contract }, other] = [await onboard(store), await onboard(store)];
  const [{ userId }, next] = [contract, `next-owner-of-${companyId}`];
  const gatewayId = `gw-of-${companyId}`;
  await putContract(store, { ...contract, userId: next });
  for (const each of [contract, other.contract]) await grantGateway(store, each, gatewayId, startMs - 2000);
  await reportGateway(store, gatewayId, startMs, contract);
  const stage = { store, now: () => startMs } as Stage;
  await requestOf(stage, { companyId, userId, gatewayId }, { roomSetpointCelsius: 29.5 });
  await requestOf(stage, { ...other.contract, gatewayId }, { operationMode: 'off' });
  return { companyId, userId, next, gatewayId, otherId: other.companyId };
};

/** What is open on the gateway: each item, and who asked for which property. */
const open = async () =>
  Object.fromEntries(
    (await listOpenChanges(world.store, home.gatewayId)).map(({ sk, desiredBy }) => [
      itemName(sk),
      Object.fromEntries(Object.entries(desiredBy).map(([name, { companyId }]) => [name, companyId])),
    ]),
  );

const circuit = 'circuit heating hc1';
const program = 'time-program heating hc1 1';

/** The audit rows of what was dropped, by the dropped properties. */
const drops = async (companyId: string) =>
  (await readAudit(world.store, companyId))
    .filter(({ after }) => (after as { readonly dropped?: string } | undefined)?.dropped)
    .toSorted((one, another) =>
      Object.keys(one.before as object).length < Object.keys(another.before as object).length ? -1 : 1,
    );

const because = ['--yes', '--reason', 'ticket 12'];

const endings: Readonly<Record<string, () => readonly string[]>> = {
  'contract end': () => [home.companyId, '--user', home.userId],
  'contract end --all': () => [home.companyId],
  'consent withdraw': () => [home.companyId, '--user', home.userId],
  'company suspend': () => [home.companyId],
  'gateway revoke': () => [home.companyId, home.gatewayId, '--user', home.userId],
  'gateway move': () => [home.companyId, home.gatewayId, '--from', home.userId, '--to', home.next],
  'gateway grant': () => [home.companyId, home.gatewayId, '--user', home.next],
  'owner erase': () => [home.userId],
};

describe.each(Object.entries(endings))('%s', (command, given) => {
  const end = (...options: readonly string[]) =>
    operate([...command.split(' '), ...given(), ...because, ...options], { ...world, nowMs: startMs + 5000 });

  test('rule 24: drops what the company asked for, on record, and nothing of another company', async () => {
    const planned = await end('--dry-run');
    expect(await drops(home.companyId), planned.stderr).toEqual([]);
    const { exit, stderr } = await end();
    expect(exit, stderr).toBe('ok');
    expect(await open()).toEqual({ [circuit]: { operationMode: home.otherId } });
    const rows = await drops(home.companyId);
    const [operation] = command.split(' --');
    const row = {
      gatewayId: home.gatewayId,
      operator: 'local:tester',
      operation,
      reason: expect.stringContaining('ticket 12'),
    };
    expect(rows).toMatchObject([
      { ...row, circuitId: 'hc1', before: { roomSetpointCelsius: 29.5 }, after: { version: 5 } },
      { ...row, timeProgramId: '1', before: { name: 'Short evenings' }, after: { version: 3 } },
    ]);
    expect(await drops(home.otherId)).toEqual([]);
    expect((await end()).exit).not.toBe('conflict');
    expect(await drops(home.companyId)).toHaveLength(2);
  });
});

describe('change drop', () => {
  const drop = (...options: readonly string[]) =>
    operateForJson(['change', 'drop', home.companyId, '--reason', 'ticket 12', ...options], {
      ...world,
      nowMs: startMs + 5000,
    });

  test('shows its plan, and drops what one key asked for, even if there is no such key any more', async () => {
    const before = await open();
    expect(Object.keys(before)).toEqual([circuit, program]);
    const planned = await drop('--key', 'key-1', '--dry-run');
    expect(planned.output).toMatchObject({
      outcome: 'would-change',
      differences: [{ what: `${home.gatewayId} ${circuit}: roomSetpointCelsius`, before: 29.5, after: null }],
    });
    expect(await open()).toEqual(before);
    // Without a terminal, nobody can confirm.
    expect((await drop('--key', 'key-1')).exit).toBe('usage');
    expect(await open()).toEqual(before);
    expect((await drop('--key', 'key-1', '--yes')).output.outcome).toBe('changed');
    expect(await open()).toEqual({ [circuit]: { operationMode: home.otherId }, [program]: before[program] });
    const [row, ...others] = await drops(home.companyId);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      operation: 'change drop',
      operator: 'local:tester',
      reason: 'ticket 12',
      before: { roomSetpointCelsius: 29.5 },
      after: { dropped: 'dropped-by-operator', version: 5 },
    });
    expect((await drop('--key', 'key-1', '--yes')).output.outcome).toBe('unchanged');
  });

  test('drops everything of the company on one gateway, and nothing on another', async () => {
    const before = await open();
    expect((await drop('--gateway', 'gw-of-nobody', '--yes')).output.outcome).toBe('unchanged');
    expect(await open()).toEqual(before);
    expect((await drop('--gateway', home.gatewayId, '--yes')).output.differences).toHaveLength(3);
    expect(await open()).toEqual({ [circuit]: { operationMode: home.otherId } });
  });
});

test('rule 24: change resend asks again, and sends nothing for which the permission has ended', async () => {
  const sent: string[] = [];
  const sqs = { send: async ({ input }: { input: { MessageBody: string } }) => void sent.push(input.MessageBody) };
  const integrations = { sqs, urlOf: () => 'url' } as unknown as Connection['integrations'];
  const resend = () =>
    operateForJson(['change', 'resend', home.gatewayId, '--reason', 'ticket 12'], {
      ...world,
      nowMs: startMs + 9000,
      connection: { integrations },
    });
  expect((await resend()).output.changes).toHaveLength(2);
  expect(sent).toHaveLength(2);
  // As an ending that was interrupted before it dropped anything.
  await withdrawConsent(world.store, operatorActOn(home.companyId, startMs + 5000), { userId: home.userId });
  expect((await findContract(world.store, home))?.acceptedConsentVersion).toBeNull();
  const { output, stderr } = await resend();
  expect(output).toMatchObject({ outcome: 'unchanged', changes: [] });
  expect(stderr).toContain('Not sent, because access ended or `validUntil` has passed: 2 items.');
  expect(sent).toHaveLength(2);
});

test('change resend sends nothing that has expired by the clock of the service', async () => {
  const stage = { store: world.store, now: () => startMs } as Stage;
  const key = timeProgramItemKey(home.gatewayId, 'heating', 'hc1', '1');
  await requestOn(stage, home, key, { values: { name: 'Tonight' }, validUntilMs: startMs + 9000 });
  const plan = ['change', 'resend', home.gatewayId, '--dry-run', '--reason', 'ticket 12'];
  const connection = { integrations: {}, readStoreTimeMs: async () => startMs + 9000 } as never;
  const { output } = await operateForJson(plan, { ...world, nowMs: startMs, connection });
  expect(output.changes).toMatchObject([{ item: circuit, validUntil: null }]);
});
