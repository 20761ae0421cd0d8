import { type ConsumerName, consumers } from '../api/background-functions.ts';
import { type FunctionEnvironment, functionEnvironment } from '../data/function-environment.ts';

/** Leaves a consumer time to say which messages failed: if it ran out of time, all would be received again. */
const answerSeconds = 2;

/** What a consumer is given by its stage. Nobody waits for it, so its store has almost as long as itself. */
export const consumerEnvironment = (
  name: ConsumerName,
  variables: Readonly<Record<string, string | undefined>>,
): FunctionEnvironment => ({
  ...functionEnvironment(variables),
  storeDeadlineMs: (consumers[name].timeoutSeconds - answerSeconds) * 1000,
});
