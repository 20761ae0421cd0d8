import type { DynamoDBStreamEvent } from 'aws-lambda';
import { applianceEvents } from '../feed/appliance-events.ts';
import { recordEvents, recorderEnvironment, toViewers } from '../feed/record.ts';
import { lambdaHandler } from '../runtime/function-environment.ts';

/** Records what has changed at gateways in the feed of each company that may see it. */
export const handler = lambdaHandler(
  recorderEnvironment('recordApplianceEvents', process.env),
  ({ Records }: DynamoDBStreamEvent, environment) =>
    recordEvents(environment, Records, {
      operation: 'recordApplianceEvents',
      eventsOf: applianceEvents,
      fanOut: toViewers(environment.setting('requiredConsentVersion')),
    }),
);
