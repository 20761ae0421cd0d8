import type { DynamoDBStreamEvent } from 'aws-lambda';
import { itemChangeOf } from '../data/store/stream-record.ts';
import { contractFacts } from '../feed/contract-facts.ts';
import { feedEventOf } from '../feed/feed-fact.ts';
import { recordEvents } from '../feed/record-events.ts';
import { recorderEnvironment } from '../feed/recorder-environment.ts';

const ownEnvironment = recorderEnvironment('recordContractEvents', process.env);

/** Tells each company what has changed of its contract, its owner's consent and its gateways. */
export const handler = async ({ Records }: DynamoDBStreamEvent, _context: unknown, environment = ownEnvironment) => {
  const settings = {
    requiredConsentVersion: environment.setting('requiredConsentVersion'),
    consentPortalUrl: environment.setting('consentPortalUrl'),
  };
  const events = Records.flatMap((record) => {
    const change = itemChangeOf(record);
    const companyId = String(change.keys.companyId);
    return contractFacts(change, settings).map((fact) => ({
      ...{ companyId, record },
      event: feedEventOf(fact, change, companyId),
    }));
  });
  return recordEvents(environment, 'recordContractEvents', events);
};
