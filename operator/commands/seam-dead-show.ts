import * as z from 'zod';
import { defineCommand } from '../cli/command.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { deadLetterPlace } from '../seams/dead-letter-places.ts';
import { peek } from '../seams/dead-letters.ts';
import { letterReads, letterSummary, summaryOf, summaryRow } from '../seams/letter-summary.ts';
import { messageId } from '../seams/message-id.ts';

const deadLetterReads = ['ChangeMessageVisibility', 'GetQueueAttributes', 'ReceiveMessage'] as const;

export const seamDeadShow = defineCommand({
  noun: 'seam dead',
  verb: 'show',
  summary: 'Show a message that could not be taken or handed on with all that it says, which may be about a person',
  arguments: { queue: deadLetterPlace, messageId },
  options: {},
  changes: false,
  requirements: {
    tableActions: letterReads,
    queueActions: {
      'portalEvents/deadLetters': deadLetterReads,
      'gatewayReports/deadLetters': deadLetterReads,
      'requestedChanges/deadLetters': deadLetterReads,
      'pokes/deadLetters': deadLetterReads,
      undelivered: deadLetterReads,
      relayFailures: deadLetterReads,
      feedFailures: deadLetterReads,
    },
  },
  output: letterSummary.extend({ text: z.string(), attributes: z.record(z.string(), z.string()) }),
  run: async (context, { queue, messageId: wanted }) => {
    const { store, seams } = await context.connect();
    const letter = (await peek(seams, queue, Number.POSITIVE_INFINITY)).find(({ messageId: id }) => id === wanted);
    if (!letter)
      throw new OperatorError(
        'not-found',
        `No message ${wanted} came from ${queue}. Look: seam dead list ${queue}. Somebody else who looks hides it for a minute at most.`,
      );
    const { text, attributes } = letter;
    return { ...(await summaryOf({ store, config: context.config }, queue, letter)), text, attributes };
  },
  view: ({ text, attributes, ...summary }) => [
    { facts: { ...summaryRow(summary), ...attributes } },
    { title: 'Text', text },
  ],
});
