import * as z from 'zod';
import { auditPut } from '../../lambdas/data/audit/audit-log.ts';
import { transact } from '../../lambdas/data/store/transaction.ts';
import { flag } from '../cli/arguments.ts';
import { defineCommand } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { formatView, type View } from '../cli/view.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { deadLetterPlace } from '../seams/dead-letter-places.ts';
import { deleteLetter, peek, takeEach } from '../seams/dead-letters.ts';
import { type LetterSummary, letterReads, letterSummary, summaryOf, summaryRow } from '../seams/letter-summary.ts';
import { messageId } from '../seams/message-id.ts';
import { queueActsOf } from '../seams/queue-acts.ts';

const deadLetterActions = ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'] as const;

const output = z.strictObject({
  queue: z.string(),
  outcome: z.literal(['changed', 'unchanged', 'would-change']),
  letters: z.array(letterSummary),
});

export const seamDeadDrop = defineCommand({
  noun: 'seam dead',
  verb: 'drop',
  summary: 'Delete messages that could not be taken or handed on, for good',
  arguments: {
    queue: deadLetterPlace,
    messageIds: {
      summary: 'one or more; or none, with --all',
      schema: z.array(messageId.schema).default([]),
      isVariadic: true,
    },
  },
  options: { all: flag('all that are there') },
  changes: true,
  requirements: {
    tableActions: { ...letterReads, AuditLog: ['PutItem'] },
    queueActions: {
      'portalEvents/deadLetters': deadLetterActions,
      'gatewayReports/deadLetters': deadLetterActions,
      'requestedChanges/deadLetters': deadLetterActions,
      'pokes/deadLetters': deadLetterActions,
      undelivered: deadLetterActions,
      relayFailures: deadLetterActions,
      feedFailures: deadLetterActions,
    },
  },
  confirmedBy: ({ queue }) => queue,
  output,
  run: async (context, { queue, messageIds, all }) => {
    if (all === messageIds.length > 0) throw new OperatorError('usage', 'Which? Write message ids, or --all.');
    const { store, seams } = await context.connect();
    const there = await peek(seams, queue, Number.POSITIVE_INFINITY);
    const found = all ? there : there.filter(({ messageId: id }) => messageIds.includes(id));
    const missing = messageIds.filter((id) => !found.some((letter) => letter.messageId === id));
    if (missing.length > 0)
      throw new OperatorError(
        'not-found',
        `Nothing was deleted: from ${queue} came no message ${missing.join(', ')}. Look: seam dead list ${queue}.`,
      );
    const plan = {
      queue,
      letters: await Promise.all(found.map((letter) => summaryOf({ store, config: context.config }, queue, letter))),
    };
    if (found.length === 0) {
      context.talk('Nothing to delete.');
      return { ...plan, outcome: 'unchanged' as const };
    }
    if (context.isDryRun) {
      context.talk('A dry run: nothing was deleted.');
      return { ...plan, outcome: 'would-change' as const };
    }
    await context.confirm(formatView(viewOf({ ...plan, outcome: 'would-change' })));
    // What came meanwhile was not shown, and stays.
    const doomed = new Map(plan.letters.map((summary) => [summary.messageId, summary]));
    const letters: LetterSummary[] = [];
    await takeEach(seams, queue, async (letter) => {
      const summary = doomed.get(letter.messageId);
      if (!summary) return 'left';
      await putOnRecord(context, queue, summary);
      await deleteLetter(seams, queue, letter);
      letters.push(summary);
      return 'deleted';
    });
    return { queue, outcome: 'changed' as const, letters };
  },
  view: (dropped) => viewOf(dropped),
});

/** On record before it is deleted, since no transaction can hold both. */
const putOnRecord = async (
  context: OperatorContext,
  queue: string,
  { messageId: id, type, eventId }: LetterSummary,
) => {
  const { store, stackName } = await context.connect();
  const auditContext = await context.auditContext(queueActsOf(stackName));
  const ofEvent = { ...(type !== null && { eventType: type }), ...(eventId !== null && { eventId }) };
  await transact(store, { audit: auditPut(store, auditContext, { queue, messageId: id, ...ofEvent }) });
};

const viewOf = ({ queue, outcome, letters }: z.output<typeof output>): View => [
  { title: `${queue}: ${outcome}`, rows: letters.map(summaryRow) },
];
