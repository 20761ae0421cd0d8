import type { RequestEvent } from '../api/log-events/request-event.ts';
import { condensedStack } from '../api/log-events/stack-frames.ts';

/** What an event says of a fault of ours: apart, so that a long message leaves room for the frames. */
export const faultFields = (fault: unknown): Required<Pick<RequestEvent, 'error' | 'stack'>> => ({
  error: String(fault),
  stack: fault instanceof Error ? condensedStack(fault.stack ?? '') : undefined,
});
