import type { DynamoDBStreamEvent } from 'aws-lambda';
import { lambdaHandler } from '../data/function-environment.ts';
import { applianceFacts } from '../feed/appliance-facts.ts';
import { recorderEnvironment, recordFacts, toViewers } from '../feed/record.ts';

/** Tells each company that may see it what has changed at its gateways. */
export const handler = lambdaHandler(
  recorderEnvironment('recordApplianceEvents', process.env),
  ({ Records }: DynamoDBStreamEvent, environment) => {
    const tell = toViewers(environment.setting('requiredConsentVersion'));
    return recordFacts(environment, 'recordApplianceEvents', Records, applianceFacts, tell);
  },
);
