import { SendMessageCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { QueueName } from '../../../lambdas/api/queues.ts';
import { auditPut } from '../../../lambdas/data/audit.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import { defineCommand, flag, idOf, limitOption } from '../../cli/command.ts';
import type { OperatorContext } from '../../cli/context.ts';
import { changeOutcome } from '../../cli/make-change.ts';
import { formatView, type View } from '../../cli/output.ts';
import { mapConcurrently } from '../../concurrent.ts';
import { OperatorError } from '../../error.ts';
import {
  deadLetterPlace,
  deleteLetter,
  type PlaceName,
  peek,
  placeOf,
  processEach,
} from '../../integrations/dead-letters.ts';
import { type Integrations, readDepth } from '../../integrations/integrations.ts';
import {
  type LetterSummary,
  letterReads,
  letterSummary,
  summaryOf,
  summaryRow,
} from '../../integrations/letter-summary.ts';
import { moveActions, openRedrive } from '../../integrations/move-task.ts';
import { stageSubjects } from '../../owners/audit-entry.ts';

/** Returns the same actions for each queue of dead letters. */
const atEachPlace = <Actions>(actions: Actions) => ({
  'portalEvents/deadLetters': actions,
  'gatewayReports/deadLetters': actions,
  'requestedChanges/deadLetters': actions,
  undelivered: actions,
  relayFailures: actions,
  feedFailures: actions,
});

const messageId = { summary: 'as in integration dead list', schema: idOf('message') };

const deadLetterReads = ['ChangeMessageVisibility', 'GetQueueAttributes', 'ReceiveMessage'] as const;

export const integrationDeadList = defineCommand({
  noun: 'integration dead',
  verb: 'list',
  summary:
    'List dead letters, the messages that could not be processed or delivered; during the command, the messages are invisible to other receivers',
  arguments: { queue: deadLetterPlace },
  options: {
    limit: limitOption(1000),
  },
  changes: false,
  requirements: {
    tableActions: letterReads,
    queueActions: atEachPlace(deadLetterReads),
  },
  output: z.strictObject({ queue: z.string(), letters: z.array(letterSummary) }),
  run: async (context, { queue, limit }) => {
    const { store, integrations } = await context.connect();
    const letters = await peek(integrations, queue, limit);
    if (letters.length === limit) context.talk(`There may be more: raise --limit (${limit}).`);
    return {
      queue,
      letters: await mapConcurrently(letters, (letter) => summaryOf({ store, config: context.config }, queue, letter)),
    };
  },
  view: ({ queue, letters }) => [{ title: queue, rows: letters.map(summaryRow) }],
});

export const integrationDeadShow = defineCommand({
  noun: 'integration dead',
  verb: 'show',
  summary: 'Show a dead letter with its whole content, which may include personal data',
  arguments: { queue: deadLetterPlace, messageId },
  options: {},
  changes: false,
  requirements: {
    tableActions: letterReads,
    queueActions: atEachPlace(deadLetterReads),
  },
  output: letterSummary.extend({ text: z.string(), attributes: z.record(z.string(), z.string()) }),
  run: async (context, { queue, messageId: wanted }) => {
    const { store, integrations } = await context.connect();
    const letter = (await peek(integrations, queue, Number.POSITIVE_INFINITY)).find(
      ({ messageId: id }) => id === wanted,
    );
    if (!letter)
      throw new OperatorError(
        'not-found',
        `${queue} returned no message ${wanted}. See: integration dead list ${queue}. Another caller who reads the queue hides a message for up to a minute.`,
      );
    const { text, attributes } = letter;
    return { ...(await summaryOf({ store, config: context.config }, queue, letter)), text, attributes };
  },
  view: ({ text, attributes, ...summary }) => [
    { fields: { ...summaryRow(summary), ...attributes } },
    { title: 'Text', text },
  ],
});

const redriveActions = ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'] as const;

export const integrationDeadRedrive = defineCommand({
  noun: 'integration dead',
  verb: 'redrive',
  summary: 'Send all dead letters to their queue again; if the command is interrupted, run it again to continue',
  arguments: { queue: deadLetterPlace },
  options: {},
  changes: true,
  shownToCompany: false,
  requirements: {
    tableActions: { AuditLog: ['PutItem'] },
    queueActions: {
      portalEvents: moveActions.queue,
      'portalEvents/deadLetters': moveActions.deadLetters,
      gatewayReports: moveActions.queue,
      'gatewayReports/deadLetters': moveActions.deadLetters,
      requestedChanges: moveActions.queue,
      'requestedChanges/deadLetters': moveActions.deadLetters,
      undelivered: redriveActions,
    },
  },
  output: z.strictObject({
    queue: z.string(),
    outcome: changeOutcome,
    /** The approximate number of moves, counting repeated ones; in a dry run, the number of messages to move. */
    redriven: z.int(),
    /** The approximate number of dead letters afterwards: rejected again, new, or not moved. */
    deadLetters: z.int(),
  }),
  run: async (context, { queue: place }) => {
    const { queue, redrivenTo, insteadOfRedrive } = placeOf(place);
    if (!redrivenTo)
      throw new OperatorError(
        'refused',
        `The messages in ${place} only identify stream records that are no longer retried, and do not contain them. ${insteadOfRedrive} Then integration dead drop ${place} --all.`,
      );
    const { store, integrations, stackName } = await context.connect();
    // SQS moves only from dead-letter queues of a queue. Undelivered events of a rule must also be taken out of their envelope.
    const redrive =
      queue === `${redrivenTo}/deadLetters` ? await openRedrive(integrations, redrivenTo, context.talk) : undefined;
    const { waiting } = await readDepth(integrations, queue);
    if (waiting === 0 && !(await redrive?.isUnderWay())) {
      context.talk('Nothing to send again.');
      return { queue: place, outcome: 'unchanged' as const, redriven: 0, deadLetters: 0 };
    }
    if (context.isDryRun) {
      context.talk('A dry run: nothing was sent.');
      return { queue: place, outcome: 'would-change' as const, redriven: waiting, deadLetters: waiting };
    }
    const auditContext = await context.auditContext(stageSubjects(stackName).queues);
    await transact(store, { audit: auditPut(store, auditContext, { queue: place }) });
    const redriven = await (redrive ? redrive.moveAll() : sendEach(integrations, place, redrivenTo));
    const { waiting: deadLetters } = await readDepth(integrations, queue);
    if (deadLetters > 0)
      context.talk(
        `About ${deadLetters} dead letters remain: rejected again, new, or not moved. See: integration dead list ${place}.`,
      );
    return { queue: place, outcome: 'changed' as const, redriven, deadLetters };
  },
  view: ({ queue, outcome, redriven, deadLetters }) => [
    { title: `${queue}: ${outcome}`, fields: { redriven, 'dead letters': deadLetters } },
  ],
});

/** Sends each message without its envelope, one after the other. Resolves to their number. */
const sendEach = async (integrations: Integrations, place: PlaceName, to: QueueName): Promise<number> => {
  let sent = 0;
  await processEach(integrations, place, async (letter) => {
    await integrations.sqs.send(new SendMessageCommand({ QueueUrl: integrations.urlOf(to), MessageBody: letter.text }));
    // An interruption here leaves the message twice, which is harmless; in the opposite order the message would be lost.
    await deleteLetter(integrations, place, letter);
    sent++;
    return 'deleted';
  });
  return sent;
};

const dropActions = ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'] as const;

const dropOutput = z.strictObject({
  queue: z.string(),
  outcome: changeOutcome,
  letters: z.array(letterSummary),
});

export const integrationDeadDrop = defineCommand({
  noun: 'integration dead',
  verb: 'drop',
  summary: 'Delete dead letters permanently',
  arguments: {
    queue: deadLetterPlace,
    messageIds: {
      summary: 'one or more; or none, with --all',
      schema: z.array(messageId.schema).default([]),
      isVariadic: true,
    },
  },
  options: { all: flag('all dead letters of the queue') },
  changes: true,
  shownToCompany: false,
  requirements: {
    tableActions: { ...letterReads, AuditLog: ['PutItem'] },
    queueActions: atEachPlace(dropActions),
  },
  confirmedBy: ({ queue }) => queue,
  output: dropOutput,
  run: async (context, { queue, messageIds, all }) => {
    if (all === messageIds.length > 0)
      throw new OperatorError('usage', 'Which messages? Either name message ids or add --all.');
    const { store, integrations } = await context.connect();
    const there = await peek(integrations, queue, Number.POSITIVE_INFINITY);
    const found = all ? there : there.filter(({ messageId: id }) => messageIds.includes(id));
    const missing = messageIds.filter((id) => !found.some((letter) => letter.messageId === id));
    if (missing.length > 0)
      throw new OperatorError(
        'not-found',
        `Nothing was deleted: ${queue} returned no message ${missing.join(', ')}. See: integration dead list ${queue}.`,
      );
    const plan = {
      queue,
      letters: await mapConcurrently(found, (letter) => summaryOf({ store, config: context.config }, queue, letter)),
    };
    if (found.length === 0) {
      context.talk('Nothing to delete.');
      return { ...plan, outcome: 'unchanged' as const };
    }
    if (context.isDryRun) {
      context.talk('A dry run: nothing was deleted.');
      return { ...plan, outcome: 'would-change' as const };
    }
    await context.confirm(formatView(dropView({ ...plan, outcome: 'would-change' })));
    // Messages that arrived after the confirmation was shown are kept.
    const doomed = new Map(plan.letters.map((summary) => [summary.messageId, summary]));
    const letters: LetterSummary[] = [];
    await processEach(integrations, queue, async (letter) => {
      const summary = doomed.get(letter.messageId);
      if (!summary) return 'left';
      await putOnRecord(context, queue, summary);
      await deleteLetter(integrations, queue, letter);
      letters.push(summary);
      return 'deleted';
    });
    return { queue, outcome: 'changed' as const, letters };
  },
  view: (dropped) => dropView(dropped),
});

/** Writes the audit row before the message is deleted, since no transaction can include both. */
const putOnRecord = async (
  context: OperatorContext,
  queue: string,
  { messageId: id, type, eventId }: LetterSummary,
) => {
  const { store, stackName } = await context.connect();
  const auditContext = await context.auditContext(stageSubjects(stackName).queues);
  const ofEvent = { ...(type !== null && { eventType: type }), ...(eventId !== null && { eventId }) };
  await transact(store, { audit: auditPut(store, auditContext, { queue, messageId: id, ...ofEvent }) });
};

const dropView = ({ queue, outcome, letters }: z.output<typeof dropOutput>): View => [
  { title: `${queue}: ${outcome}`, rows: letters.map(summaryRow) },
];
