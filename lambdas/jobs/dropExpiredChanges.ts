import { dropExpiredChanges } from '../outbound/drop-expired-changes.ts';
import { functionEnvironment, lambdaHandler } from '../runtime/function-environment.ts';

/** Drops the requested changes whose `validUntil` has passed. */
export const handler = lambdaHandler(functionEnvironment(process.env), (_event: unknown, environment) =>
  dropExpiredChanges(environment),
);
