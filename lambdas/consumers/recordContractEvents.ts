import type { DynamoDBStreamEvent } from 'aws-lambda';
import { lambdaHandler } from '../data/function-environment.ts';
import { contractFacts } from '../feed/contract-facts.ts';
import { recordCompanyFacts } from '../feed/record-company-facts.ts';
import { recorderEnvironment } from '../feed/recorder-environment.ts';

/** Tells each company what has changed of its contract, its owner's consent and its gateways. */
export const handler = lambdaHandler(
  recorderEnvironment('recordContractEvents', process.env),
  ({ Records }: DynamoDBStreamEvent, environment) => {
    const settings = {
      requiredConsentVersion: environment.setting('requiredConsentVersion'),
      consentPortalUrl: environment.setting('consentPortalUrl'),
    };
    return recordCompanyFacts(environment, 'recordContractEvents', Records, (change) =>
      contractFacts(change, settings),
    );
  },
);
