import type { DynamoDBStreamEvent } from 'aws-lambda';
import { lambdaHandler } from '../data/function-environment.ts';
import { contractEvents } from '../feed/company-events.ts';
import { recordEvents, recorderEnvironment } from '../feed/record.ts';

/** Tells each company what has changed of its contract, its owner's consent and its gateways. */
export const handler = lambdaHandler(
  recorderEnvironment('recordContractEvents', process.env),
  ({ Records }: DynamoDBStreamEvent, environment) => {
    const settings = {
      requiredConsentVersion: environment.setting('requiredConsentVersion'),
      consentPortalUrl: environment.setting('consentPortalUrl'),
    };
    return recordEvents(environment, 'recordContractEvents', Records, (change) => contractEvents(change, settings));
  },
);
