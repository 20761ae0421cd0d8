import { feedDays } from '../limits.ts';
import { cursor } from '../schemas/common.ts';
import type { ProblemDefinition, ProblemDocs } from './definition.ts';

/** Refusals that concern the feed of events. */
export const feedProblems = {
  'cursor-expired': {
    status: 410,
    title: 'Events after the cursor are kept no longer',
    detail: 'Read the state of what you mirror anew, then go on after `oldestCursor`.',
    members: () => ({ oldestCursor: cursor() }),
  },
} as const satisfies Record<string, ProblemDefinition>;

export const feedProblemDocs = (): ProblemDocs<typeof feedProblems> => ({
  'cursor-expired': {
    cause: `You have not read the feed for longer than events are kept, ${feedDays} days, or the operator had to begin a new feed. You may have missed events.`,
    onlyCausedBy: 'time, or the operator',
    example: { oldestCursor: 'M2ZhOTBiMS5xOHYyWHJUbi4w' },
    members: { oldestCursor: 'The cursor that stands before the oldest event that is kept.' },
  },
});
