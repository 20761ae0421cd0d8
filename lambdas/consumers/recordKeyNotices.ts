import type { DynamoDBStreamEvent } from 'aws-lambda';
import { itemChangeOf } from '../data/store/stream-record.ts';
import { feedEventOf } from '../feed/feed-fact.ts';
import { keyNoticeFacts } from '../feed/key-notice-facts.ts';
import { recordEvents } from '../feed/record-events.ts';
import { recorderEnvironment } from '../feed/recorder-environment.ts';

const ownEnvironment = recorderEnvironment('recordKeyNotices', process.env);

/** Tells each company which of its keys expire soon. */
export const handler = async ({ Records }: DynamoDBStreamEvent, _context: unknown, environment = ownEnvironment) => {
  const events = Records.flatMap((record) => {
    const change = itemChangeOf(record);
    const companyId = String(change.keys.companyId);
    return keyNoticeFacts(change).map((fact) => ({
      ...{ companyId, record },
      event: feedEventOf(fact, change, companyId),
    }));
  });
  return recordEvents(environment, 'recordKeyNotices', events);
};
