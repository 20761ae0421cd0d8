import { randomUUID } from 'node:crypto';
import {
  CancelMessageMoveTaskCommand,
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  type ListMessageMoveTasksCommandOutput,
  SendMessageBatchCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { maxMessageBytes } from '../../../lambdas/api/limits.ts';
import type { StageQueue } from '../../../operator/integrations/integrations.ts';
import { eventLike } from '../../support/messages.ts';
import { operateForJson } from '../../support/operator.ts';
import { type OpenIntegrations, openIntegrations } from '../../support/operator-integrations.ts';
import { readAudit } from '../../support/store.ts';
import { openWorld } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let opened: OpenIntegrations;
beforeAll(async () => {
  world = await openWorld();
  opened = await openIntegrations();
  return opened.close;
});
beforeEach(async () => {
  for (const queue of ['portalEvents', 'gatewayReports', 'requestedChanges'] as const)
    for (const each of [queue, `${queue}/deadLetters`] as const) await opened.purge(each);
  for (const queue of ['undelivered', 'relayFailures'] as const) await opened.purge(queue);
});

type Send = OpenIntegrations['integrations']['sqs']['send'];

/** Runs the command. `intercept` is called for each call of SQS, and may replace it. */
const redrive = (
  queue: string,
  {
    own = ['--reason', 'an outage', '--yes'],
    intercept,
  }: { own?: string[]; intercept?: (command: object) => unknown } = {},
) => {
  const send = (command: object) => intercept?.(command) ?? opened.integrations.sqs.send(command as never);
  const sqs = { ...opened.integrations.sqs, send: send as Send };
  const integrations = { ...opened.integrations, sqs: sqs as OpenIntegrations['integrations']['sqs'] };
  return operateForJson(['integration', 'dead', 'redrive', queue, ...own], { ...world, connection: { integrations } });
};

const fill = async (queue: StageQueue, bodies: readonly object[]) => {
  const entries = bodies.map((body, index) => ({ Id: `${index}`, MessageBody: JSON.stringify(body) }));
  for (let begin = 0; begin < entries.length; begin += 10) {
    const Entries = entries.slice(begin, begin + 10);
    await opened.integrations.sqs.send(new SendMessageBatchCommand({ QueueUrl: opened.urlOf(queue), Entries }));
  }
};
const manyReports = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));
const bodiesIn = async (queue: StageQueue) =>
  (await opened.drain(queue)).map(({ Body = '' }) => JSON.parse(Body) as Record<string, unknown>);

test('redrives hundreds with one task, undelivered events without envelope, with an audit row', async () => {
  // A unique reason, so that audit rows of earlier runs do not match.
  const reason = `outage ${randomUUID()}`;
  const own = ['--reason', reason, '--yes'];
  const reports = manyReports(300);
  await fill('gatewayReports/deadLetters', reports);
  const withdrawal = eventLike('portal.consent.withdrawn.v1', { subject: 'acme' });
  await opened.send('undelivered', { 'detail-type': withdrawal.type, source: 'portal', detail: withdrawal });
  const dry = await redrive('gatewayReports', { own: ['--dry-run'] });
  expect(dry.output).toMatchObject({ outcome: 'would-change', redriven: 300, deadLetters: 300 });
  expect(await bodiesIn('gatewayReports')).toEqual([]);
  const moved = { outcome: 'changed', redriven: 300, deadLetters: 0 };
  expect((await redrive('gatewayReports', { own })).output).toMatchObject(moved);
  expect((await redrive('undelivered', { own })).output).toMatchObject({ ...moved, redriven: 1 });
  const numbers = (await bodiesIn('gatewayReports')).map(({ n }) => n as number);
  expect(numbers.toSorted((one, other) => one - other)).toEqual(reports.map(({ n }) => n));
  expect(await bodiesIn('portalEvents')).toEqual([withdrawal]);
  expect((await redrive('gatewayReports', { own })).output).toMatchObject({ outcome: 'unchanged', redriven: 0 });
  const acts = (await readAudit(world.store, 'PartnerApi-local/queues')).filter((act) => act.reason === reason);
  expect(acts.map(({ operation, queue }) => [operation, queue]).toSorted()).toEqual(
    ['gatewayReports', 'undelivered'].map((queue) => ['integration dead redrive', queue]),
  );
});

test('refuses dead letters of the relay, and shows what to do', async () => {
  await opened.send('relayFailures', { DDBStreamBatchInfo: {} });
  const { exit, stderr } = await redrive('relayFailures');
  expect([exit, stderr]).toEqual(['refused', expect.stringContaining('change resend <gatewayId>')]);
  expect(await opened.drain('relayFailures')).toHaveLength(1);
});

/** Acts as a consumer that rejects all messages at once, until the returned function is called. */
const refuseAll = () => {
  let isStopped = false;
  const refusing = (async () => {
    while (!isStopped) await fill('gatewayReports/deadLetters', await bodiesIn('gatewayReports'));
  })();
  return async () => {
    isStopped = true;
    await refusing;
    await fill('gatewayReports/deadLetters', await bodiesIn('gatewayReports'));
  };
};

const isCount = (command: object): command is GetQueueAttributesCommand =>
  command instanceof GetQueueAttributesCommand &&
  command.input.AttributeNames?.includes('ApproximateNumberOfMessages') === true;

test('ends even if all messages are rejected again, and reports them', async () => {
  await fill('gatewayReports/deadLetters', manyReports(100));
  await opened.startMove('gatewayReports', 100);
  const stop = refuseAll();
  let counts = 0;
  const { exit, output, stderr } = await redrive('gatewayReports', {
    intercept: (command) => {
      if (!isCount(command) || ++counts === 1) return undefined;
      // Stops the consumer before the count after the move: messages that it holds are in neither queue.
      return stop().then(() => opened.integrations.sqs.send(command));
    },
  });
  expect([exit, output.outcome]).toEqual(['ok', 'changed']);
  expect(output.redriven).toBeGreaterThanOrEqual(100);
  expect(stderr).toContain('integration dead list gatewayReports');
  const there = [...(await bodiesIn('gatewayReports')), ...(await bodiesIn('gatewayReports/deadLetters'))];
  expect(new Set(there.map(({ n }) => n)).size).toBe(100);
});

describe('interrupted and run again', () => {
  test('waits for the task that SQS is already running, since SQS refuses a second one', async () => {
    await fill('gatewayReports/deadLetters', manyReports(30));
    await opened.startMove('gatewayReports', 30);
    const intercept = (command: object) => {
      if (command instanceof StartMessageMoveTaskCommand) throw new Error('There is already a task running.');
    };
    const { output, stderr } = await redrive('gatewayReports', { intercept });
    expect(output).toMatchObject({ outcome: 'changed', redriven: 30, deadLetters: 0 });
    expect(stderr).toContain('already moving');
    expect(await bodiesIn('gatewayReports')).toHaveLength(30);
  });

  test.each(['ListMessageMoveTasksCommand', 'StartMessageMoveTaskCommand'])(
    'keeps the order per gateway, and loses or repeats no change: before a %s',
    async (step) => {
      const bodies = Array.from({ length: 20 }, (_, version) => ({ version }));
      for (const body of bodies) await opened.send('requestedChanges/deadLetters', body, { groupId: 'gw-1' });
      let isStarted = false;
      const intercept = (command: object) => {
        if (command.constructor.name === step && (isStarted || step.startsWith('Start'))) throw new Error('killed');
        if (command instanceof StartMessageMoveTaskCommand) isStarted = true;
      };
      expect((await redrive('requestedChanges', { intercept })).exit).toBe('error');
      expect(await redrive('requestedChanges')).toMatchObject({ exit: 'ok', output: { deadLetters: 0 } });
      expect(await bodiesIn('requestedChanges')).toEqual(bodies);
    },
  );

  test('sends undelivered events one by one, each at most twice', async () => {
    for (const id of ['1', '2', '3']) await opened.send('undelivered', { 'detail-type': 't', detail: { id } });
    let deletions = 0;
    const intercept = (command: object) => {
      if (command.constructor.name === 'DeleteMessageCommand' && ++deletions === 2) throw new Error('killed');
    };
    expect((await redrive('undelivered', { intercept })).exit).toBe('error');
    expect((await redrive('undelivered')).output).toMatchObject({ outcome: 'changed', redriven: 2, deadLetters: 0 });
    expect((await bodiesIn('portalEvents')).map(({ id }) => id).toSorted()).toEqual(['1', '2', '2', '3']);
  });
});

test('shows why SQS stopped', async () => {
  await opened.send('portalEvents/deadLetters', 'x'.repeat(maxMessageBytes + 1));
  const { exit, stderr } = await redrive('portalEvents');
  expect([exit, stderr]).toEqual([
    'error',
    expect.stringMatching(/stopped after about 0 messages: \S*InvalidParameterValue\. .* run the command again/),
  ]);
});

test('does not confuse an ended task with its own task', async () => {
  const listedBefore = async (count: number, lags: number) => {
    await fill('gatewayReports/deadLetters', manyReports(count));
    let first: Promise<ListMessageMoveTasksCommandOutput> | undefined;
    return redrive('gatewayReports', {
      intercept: (command) => {
        if (!(command instanceof ListMessageMoveTasksCommand)) return undefined;
        first ??= opened.integrations.sqs.send(command);
        return lags-- > 0 ? first : undefined;
      },
    });
  };
  expect((await listedBefore(2, 0)).output).toMatchObject({ redriven: 2 });
  expect((await listedBefore(7, 3)).output).toMatchObject({ redriven: 7, deadLetters: 0 });
});

test('succeeds even if another caller has cancelled the task, or it has ended', async () => {
  await fill('gatewayReports/deadLetters', manyReports(10));
  await opened.startMove('gatewayReports', 10);
  const cancelTwice = async (command: CancelMessageMoveTaskCommand) => {
    await opened.integrations.sqs.send(command);
    return opened.integrations.sqs.send(command);
  };
  const { exit, output } = await redrive('gatewayReports', {
    intercept: (command) => (command instanceof CancelMessageMoveTaskCommand ? cancelTwice(command) : undefined),
  });
  expect([exit, output.redriven]).toEqual(['ok', 10]);
});
