import { functionEnvironment, lambdaHandler } from '../runtime/function-environment.ts';
import { createLogReader } from '../runtime/log-queries.ts';
import { recordUsage, type UsageEnvironment, type UsageInput } from '../usage/record-usage.ts';

/** CloudWatch may take this long until it begins to answer. */
const logTimeouts = { connectionTimeout: 1000, requestTimeout: 10_000 };

const ownEnvironment: UsageEnvironment = {
  ...functionEnvironment(process.env),
  queryLog: createLogReader(process.env, logTimeouts),
};

/** Counts the requests of each company in the log, by outcome and hour. */
export const handler = lambdaHandler(ownEnvironment, (input: UsageInput, environment) =>
  recordUsage(environment, input),
);
