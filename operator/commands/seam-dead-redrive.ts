import { SendMessageCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { queues } from '../../lambdas/api/queues.ts';
import { auditPut } from '../../lambdas/data/audit/audit-log.ts';
import { transact } from '../../lambdas/data/store/transaction.ts';
import { defineCommand } from '../cli/command.ts';
import type { Seams } from '../connection/seams.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { deadLetterPlace, placeOf } from '../seams/dead-letter-places.ts';
import { type DeadLetter, deleteLetter, takeEach } from '../seams/dead-letters.ts';
import { readDepth } from '../seams/depth.ts';
import { queueActsOf } from '../seams/queue-acts.ts';

const deadLetterActions = ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'] as const;

export const seamDeadRedrive = defineCommand({
  noun: 'seam dead',
  verb: 'redrive',
  summary:
    'Send all messages that could not be taken or handed on to their queue again; broken off and run again, it goes on',
  arguments: { queue: deadLetterPlace },
  options: {},
  changes: true,
  requirements: {
    tableActions: { AuditLog: ['PutItem'] },
    queueActions: {
      portalEvents: ['SendMessage'],
      'portalEvents/deadLetters': deadLetterActions,
      gatewayReports: ['SendMessage'],
      'gatewayReports/deadLetters': deadLetterActions,
      requestedChanges: ['SendMessage'],
      'requestedChanges/deadLetters': deadLetterActions,
      pokes: ['SendMessage'],
      'pokes/deadLetters': deadLetterActions,
      undelivered: deadLetterActions,
    },
  },
  output: z.strictObject({
    queue: z.string(),
    outcome: z.literal(['changed', 'unchanged', 'would-change']),
    /** Or would be, as a dry run: about so many. */
    redriven: z.int(),
  }),
  run: async (context, { queue: place }) => {
    const { queue, redrivenTo, insteadOfRedrive } = placeOf(place);
    if (!redrivenTo)
      throw new OperatorError(
        'refused',
        `What is in ${place} tells which records of a stream were given up, not what they say. ${insteadOfRedrive} Then seam dead drop ${place} --all.`,
      );
    const { store, seams, stackName } = await context.connect();
    const { waiting } = await readDepth(seams, queue);
    if (waiting === 0) {
      context.talk('Nothing to send again.');
      return { queue: place, outcome: 'unchanged' as const, redriven: 0 };
    }
    if (context.isDryRun) {
      context.talk('A dry run: nothing was sent.');
      return { queue: place, outcome: 'would-change' as const, redriven: waiting };
    }
    const auditContext = await context.auditContext(queueActsOf(stackName));
    await transact(store, { audit: auditPut(store, auditContext, { queue: place }) });
    let redriven = 0;
    await takeEach(seams, place, async (letter) => {
      // Broken off in between, the message is there twice, which changes nothing; the other way round it would be lost.
      await send(seams, redrivenTo, letter);
      await deleteLetter(seams, place, letter);
      redriven++;
      return 'deleted';
    });
    return { queue: place, outcome: 'changed' as const, redriven };
  },
  view: ({ queue, outcome, redriven }) => [{ title: `${queue}: ${outcome}`, facts: { redriven } }],
});

/** By the dead letter's own id, a FIFO queue knows one that is sent again after a break, and takes none for what it knew. */
const send = async (
  { sqs, urlOf }: Seams,
  to: NonNullable<ReturnType<typeof placeOf>['redrivenTo']>,
  { messageId, text, groupId }: DeadLetter,
) => {
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: urlOf(to),
      MessageBody: text,
      MessageGroupId: groupId,
      ...(queues[to].kind === 'fifo' && { MessageDeduplicationId: messageId }),
    }),
  );
};
