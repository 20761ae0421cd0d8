import type { DynamoDBStreamEvent } from 'aws-lambda';
import { type RelayEnvironment, relayRecords } from '../outbound/relay.ts';
import { functionEnvironment, lambdaHandler, requestTimeouts } from '../runtime/function-environment.ts';
import { createQueueSender } from '../runtime/senders.ts';
import { createDone } from '../runtime/set-aside.ts';

const ownEnvironment: RelayEnvironment = {
  ...functionEnvironment(process.env),
  send: createQueueSender(process.env, requestTimeouts),
  done: createDone(),
};

/** Sends the gateway backend the changes that the records of the stream request. */
export const handler = lambdaHandler(ownEnvironment, ({ Records }: DynamoDBStreamEvent, environment) =>
  relayRecords(environment, Records),
);
