import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import type { SandboxEnvironment } from '../../../lambdas/sandbox/environment.ts';
import type { HomesTable } from '../../../lambdas/sandbox/simulated-homes.ts';
import { fulfilAfterMs } from '../../../simulator/simulated-appliance.ts';
import { campaign, playRounds } from '../../support/campaign.ts';
import { changeOf, dataOf, type OpenSandbox, openSandbox } from '../../support/sandbox.ts';
import { overtakenBy, setAttributes } from '../../support/store.ts';
import { onboard, openWorld } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let companyId: string;
let gatewayId: string;
beforeAll(async () => {
  world = await openWorld();
  ({ companyId } = await onboard(world.store));
  gatewayId = `sim-${companyId}-1`;
});

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A sandbox whose only home was installed a minute ago. */
const openInstalled = async () => {
  const sandbox = await openSandbox();
  await sandbox.runSchedule();
  sandbox.pass(minuteMs);
  return sandbox;
};

const control = (name: string, value?: string) => ({ control: name, gatewayId, value });

/** The versions that reports of circuits confirm. */
const confirmed = (sent: Parameters<typeof dataOf>[0]) =>
  dataOf(sent, 'circuit.reported.v1').flatMap(({ fulfilsVersion }) => fulfilsVersion ?? []);

/** The table of a sandbox, which runs an action before its first write. */
const overtaken = ({ environment }: OpenSandbox, act: () => Promise<unknown>): HomesTable =>
  overtakenBy(environment.homesTable, act, 1, PutCommand);

describe('requested changes', () => {
  test('are confirmed after the time that an appliance takes, all of a home together', async () => {
    const sandbox = await openInstalled();
    const deliveredMs = sandbox.nowMs();
    const { failures, sent, logged } = await sandbox.deliver([changeOf(gatewayId, 2, 18), changeOf(gatewayId, 3, 23)]);
    expect([failures, sandbox.nowMs() - deliveredMs]).toEqual([[], fulfilAfterMs]);
    expect(confirmed(sent)).toEqual([3]);
    expect(logged).toMatchObject([{ gatewayId, outcome: 'simulated', messages: sent.length }]);
  });

  test('of an offline home wait for its gateway, which the service resends them to', async () => {
    const sandbox = await openInstalled();
    await sandbox.deliver([control('offline')]);
    const deliveredMs = sandbox.nowMs();
    expect(await sandbox.deliver([changeOf(gatewayId, 2, 18)])).toMatchObject({ failures: [], sent: [] });
    expect(sandbox.nowMs()).toBe(deliveredMs);
    const online = await sandbox.deliver([control('online')]);
    expect(dataOf(online.sent, 'gateway.connectivity.v1')).toMatchObject([{ connectivity: 'online' }]);
    expect(confirmed((await sandbox.deliver([changeOf(gatewayId, 2, 18)])).sent)).toEqual([2]);
  });

  test('that the home refuses are reported as refused, and applied after it accepts them', async () => {
    const sandbox = await openInstalled();
    await sandbox.deliver([control('refuse')]);
    const refused = await sandbox.deliver([changeOf(gatewayId, 2, 18)]);
    expect(dataOf(refused.sent, 'change.refused.v1')).toMatchObject([{ version: 2 }]);
    expect(confirmed((await sandbox.deliver([control('accept')])).sent)).toEqual([2]);
  });
});

describe('the schedule', () => {
  test('simulates a home each minute for an hour after a change, then each hour', async () => {
    const sandbox = await openInstalled();
    const minutesOfRuns = async (minutes: number) => {
      const written: number[] = [];
      for (let minute = 1; minute <= minutes; minute++) {
        sandbox.pass(minuteMs);
        const homesTable = overtaken(sandbox, async () => written.push(minute));
        expect((await sandbox.runSchedule({ homesTable })).fault).toBeUndefined();
      }
      return written;
    };
    sandbox.pass(2 * hourMs);
    expect(await minutesOfRuns(62)).toEqual([1, 61]);
    await sandbox.deliver([changeOf(gatewayId, 2, 18)]);
    expect(await minutesOfRuns(121)).toEqual([...Array.from({ length: 60 }, (_, index) => index + 1), 119]);
  });

  test('lets readings drift to the new setting, and reports them', async () => {
    const sandbox = await openInstalled();
    await sandbox.deliver([changeOf(gatewayId, 2, 28)]);
    sandbox.pass(60_000);
    const [reported] = dataOf((await sandbox.runSchedule()).sent, 'circuit.reported.v1');
    expect(reported).toMatchObject({ circuitId: 'hc1', reported: { roomSetpointCelsius: 28 } });
  });

  test('reports everything once a day, with the energy of the day before', async () => {
    const sandbox = await openInstalled();
    sandbox.pass(12 * hourMs);
    const { sent } = await sandbox.runSchedule();
    expect(dataOf(sent, 'energy.reported.v1')).toMatchObject([{ day: '2036-03-10' }]);
    expect(sent[0]?.type).toBe('gateway.described.v1');
    expect(dataOf(sent, 'time-program.reported.v1')).toHaveLength(7);
    sandbox.pass(hourMs);
    expect(dataOf((await sandbox.runSchedule()).sent, 'gateway.described.v1')).toEqual([]);
  });

  test('reports the end of an override within the minute', async () => {
    const sandbox = await openInstalled();
    const until = new Date(sandbox.nowMs() + 90 * minuteMs).toISOString();
    const since = new Date(sandbox.nowMs()).toISOString();
    const change = changeOf(gatewayId, 2, 21);
    const override = { roomSetpointCelsius: 25, until, since };
    await sandbox.deliver([{ ...change, data: { ...change.data, desired: { override } } }]);
    sandbox.pass(61 * minuteMs);
    await sandbox.runSchedule();
    sandbox.pass(29 * minuteMs);
    const [ended] = dataOf((await sandbox.runSchedule()).sent, 'circuit.reported.v1');
    expect(ended).toMatchObject({ circuitId: 'hc1', reported: { override: null } });
  });
});

describe('concurrent calls', () => {
  test('a call that another one overtakes begins again, and no effect is lost', async () => {
    const sandbox = await openInstalled();
    const homesTable = overtaken(sandbox, () => sandbox.deliver([control('fault', 'F.28')]));
    const { fault, sent } = await sandbox.runSchedule({ homesTable }).then(async (scheduled) => ({
      ...scheduled,
      sent: (await sandbox.deliver([control('fault-cleared', 'F.28')])).sent,
    }));
    expect(fault).toBeUndefined();
    expect(dataOf(sent, 'fault.cleared.v1')).toEqual([{ code: 'F.28', componentId: '1' }]);
  });

  test('a home is read strongly consistent, so that a call sees what the last one has written', async () => {
    const sandbox = await openInstalled();
    world.proxy.begin();
    await sandbox.deliver([control('fault')]);
    const reads = world.proxy.exchanges.filter(({ action }) => action === 'GetItem');
    expect(reads.map(({ input }) => input.ConsistentRead)).toEqual([true]);
  });

  test('of concurrent calls, none loses what another one did', campaign, async (context) => {
    await playRounds(context, { test: 2, seconds: 10, full: 100 }, async () => {
      const sandbox = await openInstalled();
      const codes = ['F.1', 'F.2', 'F.3'];
      /** Delivers a message again until its call succeeds, as its queue does. */
      const delivered = async (message: object) => {
        while (((await sandbox.deliver([message])).failures?.length ?? 1) > 0);
      };
      await Promise.all([
        sandbox.runSchedule(),
        ...codes.map((code) => delivered(control('fault', code))),
        delivered(changeOf(gatewayId, 2, 18)),
      ]);
      sandbox.pass(hourMs);
      await sandbox.runSchedule();
      for (const code of codes) {
        const { sent } = await sandbox.deliver([control('fault-cleared', code)]);
        expect(dataOf(sent, 'fault.cleared.v1')).toMatchObject([{ code }]);
      }
      // If the change was applied, its repeat is only reported; if the change was lost, its repeat sets another temperature.
      const [repeated] = dataOf((await sandbox.deliver([changeOf(gatewayId, 2, 25)])).sent, 'circuit.reported.v1');
      expect(repeated).toMatchObject({ fulfilsVersion: 2, reported: { roomSetpointCelsius: 18 } });
    });
  });

  test('two runs at the same time install a home once', async () => {
    const sandbox = await openSandbox();
    const homesTable = overtaken(sandbox, () => sandbox.runSchedule());
    const { fault, logged } = await sandbox.runSchedule({ homesTable });
    const installations = logged.filter((line) => line.gatewayId === gatewayId && line.outcome === 'installed');
    expect([fault, installations.length]).toEqual([undefined, 1]);
  });
});

describe('faults', () => {
  test('events that could not be sent are sent by the next run, and those that were sent are not', async () => {
    const sandbox = await openInstalled();
    const accepted: Parameters<SandboxEnvironment['send']>[0][] = [];
    const failing: SandboxEnvironment['send'] = async (message) => {
      if (accepted.length === 1) throw new Error('The queue is down.');
      accepted.push(message);
    };
    const change = changeOf(gatewayId, 2, 18);
    const failed = await sandbox.deliver([control('fault'), change, 'unreadable'], { send: failing });
    expect(failed.failures).toEqual(['1', '0']);
    expect(failed.logged).toMatchObject([
      { outcome: 'unreadable' },
      { outcome: 'failed', level: 'ERROR', error: 'Error: The queue is down.' },
    ]);
    const { sent, fault } = await sandbox.runSchedule();
    expect(fault).toBeUndefined();
    const all = [...accepted, ...sent];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(confirmed(all)).toEqual([2]);
    expect(await sandbox.runSchedule()).toMatchObject({ sent: [] });
    // The queue delivers again what did not happen.
    const repeated = await sandbox.deliver([control('fault')]);
    expect(dataOf(repeated.sent, 'fault.reported.v1')).toHaveLength(1);
  });

  test('a home stays as small as it is while sending fails, however long', async () => {
    const sandbox = await openInstalled();
    const send = async () => {
      throw new Error('The queue is down.');
    };
    await sandbox.deliver([control('fault')], { send });
    for (let hour = 0; hour < 30; hour++) {
      sandbox.pass(hourMs);
      await sandbox.runSchedule({ send });
    }
    const first = await sandbox.runSchedule();
    expect(dataOf(first.sent, 'fault.reported.v1')).toHaveLength(1);
    // What the home would have reported in that time: online once, a full report, and the energy of a day and of its hours.
    expect(dataOf(first.sent, 'gateway.connectivity.v1')).toHaveLength(1);
    expect(dataOf(first.sent, 'gateway.described.v1')).toHaveLength(1);
  });

  test('the homes of a suspended company rest, and go on when it is active again', async () => {
    const sandbox = await openInstalled();
    sandbox.pass(hourMs);
    const setState = (state: string) => setAttributes(world.store, 'Companies', { companyId }, { state });
    await setState('suspended');
    expect((await sandbox.runSchedule()).sent).toEqual([]);
    await setState('active');
    expect((await sandbox.runSchedule()).sent).not.toEqual([]);
  });

  test('after a failure, only the messages that were not done are received again', async () => {
    const sandbox = await openInstalled();
    const send: SandboxEnvironment['send'] = async ({ data }) => {
      if ('code' in data && data.code === 'F.2') throw new Error('The queue is down.');
    };
    const { failures } = await sandbox.deliver(
      ['F.1', 'F.2', 'F.3'].map((code) => control('fault', code)),
      { send },
    );
    expect(failures).toEqual(['1', '2']);
  });

  test('a home that fails blocks no other, and the call fails in the end', async () => {
    const other = await onboard(world.store);
    const sandbox = await openSandbox(2);
    const send = async ({ subject }: { readonly subject: string }) => {
      if (subject === gatewayId) throw new Error('This home fails.');
    };
    const { fault, logged } = await sandbox.runSchedule({ send });
    expect(fault).toEqual(new Error('This home fails.'));
    const outcomeOf = (home: string) => logged.filter((line) => line.gatewayId === home).at(-1)?.outcome;
    expect([outcomeOf(gatewayId), outcomeOf(`sim-${other.companyId}-1`)]).toEqual(['failed', 'simulated']);
  });

  test('a run that cannot list the homes has a log line, and fails', async () => {
    const sandbox = await openInstalled();
    const homesTable = { ...sandbox.environment.homesTable, tableName: () => 'no-such-table' };
    const { fault, logged } = await sandbox.runSchedule({ homesTable });
    expect(fault).toMatchObject({ name: 'ResourceNotFoundException' });
    expect(logged).toMatchObject([{ level: 'ERROR', outcome: 'failed' }]);
  });

  test('messages that no retry helps leave their queue, with a log line', async () => {
    const sandbox = await openInstalled();
    const messages = [
      'no JSON',
      {},
      { control: 'explode', gatewayId },
      { control: 'owner-sets', gatewayId, value: '99' },
      changeOf('gw-1001', 2, 20),
      { control: 'offline', gatewayId: 'sim-nobody-1' },
    ];
    const { failures, sent, logged } = await sandbox.deliver(messages);
    expect([failures, sent]).toEqual([[], []]);
    expect(logged.map(({ outcome }) => outcome).toSorted()).toEqual([
      ...['unknown-home', 'unknown-home'],
      ...['unreadable', 'unreadable', 'unreadable', 'unreadable'],
    ]);
  });
});
