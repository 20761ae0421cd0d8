import type { DynamoDBStreamEvent } from 'aws-lambda';
import { itemChangeOf } from '../data/store/stream-record.ts';
import { feedEventOf } from '../feed/feed-fact.ts';
import { recordEvents } from '../feed/record-events.ts';
import { recorderEnvironment } from '../feed/recorder-environment.ts';
import { webhookFacts } from '../feed/webhook-facts.ts';

const ownEnvironment = recorderEnvironment('recordWebhookEvents', process.env);

/** Tells each company which of its webhooks were switched off. */
export const handler = async ({ Records }: DynamoDBStreamEvent, _context: unknown, environment = ownEnvironment) => {
  const events = Records.flatMap((record) => {
    const change = itemChangeOf(record);
    const companyId = String(change.keys.companyId);
    return webhookFacts(change).map((fact) => ({
      ...{ companyId, record },
      event: feedEventOf(fact, change, companyId),
    }));
  });
  return recordEvents(environment, 'recordWebhookEvents', events);
};
