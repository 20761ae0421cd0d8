import type { DynamoDBStreamEvent } from 'aws-lambda';
import { lambdaHandler } from '../data/function-environment.ts';
import { contractFacts } from '../feed/company-facts.ts';
import { recorderEnvironment, recordFacts } from '../feed/record.ts';

/** Tells each company what has changed of its contract, its owner's consent and its gateways. */
export const handler = lambdaHandler(
  recorderEnvironment('recordContractEvents', process.env),
  ({ Records }: DynamoDBStreamEvent, environment) => {
    const settings = {
      requiredConsentVersion: environment.setting('requiredConsentVersion'),
      consentPortalUrl: environment.setting('consentPortalUrl'),
    };
    return recordFacts(environment, 'recordContractEvents', Records, (change) => contractFacts(change, settings));
  },
);
