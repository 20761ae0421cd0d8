import * as z from 'zod';
import { defineCommand } from '../cli/command.ts';
import { deadLetterPlace } from '../seams/dead-letter-places.ts';
import { peek } from '../seams/dead-letters.ts';
import { letterReads, letterSummary, summaryOf, summaryRow } from '../seams/letter-summary.ts';

const deadLetterReads = ['ChangeMessageVisibility', 'GetQueueAttributes', 'ReceiveMessage'] as const;

export const seamDeadList = defineCommand({
  noun: 'seam dead',
  verb: 'list',
  summary:
    'List messages that could not be taken or handed on, by their ids; they are hidden from others while the list is made',
  arguments: { queue: deadLetterPlace },
  options: {
    limit: {
      summary: 'at most so many, up to 1000',
      placeholder: 'n',
      schema: z.coerce
        .number('is no number.')
        .int('is no whole number.')
        .min(1, 'is less than 1.')
        .max(1000, 'is more than 1000.')
        .default(100),
    },
  },
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
  output: z.strictObject({ queue: z.string(), letters: z.array(letterSummary) }),
  run: async (context, { queue, limit }) => {
    const { store, seams } = await context.connect();
    const letters = await peek(seams, queue, limit);
    if (letters.length === limit) context.talk(`There may be more: raise --limit (${limit}).`);
    return {
      queue,
      letters: await Promise.all(letters.map((letter) => summaryOf({ store, config: context.config }, queue, letter))),
    };
  },
  view: ({ queue, letters }) => [{ title: queue, rows: letters.map(summaryRow) }],
});
