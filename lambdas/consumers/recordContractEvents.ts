import type { DynamoDBStreamEvent } from 'aws-lambda';
import { contractFacts } from '../feed/contract-facts.ts';
import { recordCompanyFacts } from '../feed/record-company-facts.ts';
import { recorderEnvironment } from '../feed/recorder-environment.ts';

const ownEnvironment = recorderEnvironment('recordContractEvents', process.env);

/** Tells each company what has changed of its contract, its owner's consent and its gateways. */
export const handler = ({ Records }: DynamoDBStreamEvent, _context: unknown, environment = ownEnvironment) => {
  const settings = {
    requiredConsentVersion: environment.setting('requiredConsentVersion'),
    consentPortalUrl: environment.setting('consentPortalUrl'),
  };
  return recordCompanyFacts(environment, 'recordContractEvents', Records, (change) => contractFacts(change, settings));
};
