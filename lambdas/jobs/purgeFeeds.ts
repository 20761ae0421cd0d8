import { purgeFeeds } from '../feed/purge.ts';
import { functionEnvironment, lambdaHandler } from '../runtime/function-environment.ts';

/** Removes from the rows of feeds what owners have withdrawn. */
export const handler = lambdaHandler(functionEnvironment(process.env), (_event: unknown, environment) =>
  purgeFeeds(environment),
);
