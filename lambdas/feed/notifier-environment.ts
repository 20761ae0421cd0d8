import type { FeedRecorder } from '../api/log-events/background-events.ts';
import { createBusSender } from '../data/buses/bus-sender.ts';
import { requestTimeouts } from '../data/function-environment.ts';
import type { RecorderEnvironment } from './record-events.ts';
import { recorderEnvironment } from './recorder-environment.ts';

/** What a function that writes to the feed and tells operators is given by its stage. */
export const notifierEnvironment = (
  name: FeedRecorder,
  variables: Readonly<Record<string, string | undefined>>,
): RecorderEnvironment => ({
  ...recorderEnvironment(name, variables),
  putOnBus: createBusSender(variables, requestTimeouts),
});
