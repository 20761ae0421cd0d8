import type { DynamoDBStreamEvent } from 'aws-lambda';
import { keyNoticeEvents } from '../feed/company-events.ts';
import { notifierEnvironment, recordEvents } from '../feed/record.ts';
import { lambdaHandler } from '../runtime/function-environment.ts';

/** Records in each company's feed which of its keys expire soon, and notifies operators. */
export const handler = lambdaHandler(
  notifierEnvironment('recordKeyNotices', process.env),
  ({ Records }: DynamoDBStreamEvent, environment) =>
    recordEvents(environment, Records, { operation: 'recordKeyNotices', eventsOf: keyNoticeEvents }),
);
