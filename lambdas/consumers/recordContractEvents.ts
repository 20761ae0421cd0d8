import type { DynamoDBStreamEvent } from 'aws-lambda';
import { contractEvents } from '../feed/company-events.ts';
import { recordEvents, recorderEnvironment } from '../feed/record.ts';
import { lambdaHandler } from '../runtime/function-environment.ts';

/** Records changes of contracts, consents and gateway grants in the feeds of their companies. */
export const handler = lambdaHandler(
  recorderEnvironment('recordContractEvents', process.env),
  ({ Records }: DynamoDBStreamEvent, environment) => {
    const settings = {
      requiredConsentVersion: environment.setting('requiredConsentVersion'),
      consentPortalUrl: environment.setting('consentPortalUrl'),
    };
    return recordEvents(environment, Records, {
      operation: 'recordContractEvents',
      eventsOf: (change) => contractEvents(change, settings),
    });
  },
);
