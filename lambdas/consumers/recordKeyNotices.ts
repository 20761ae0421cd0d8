import type { DynamoDBStreamEvent } from 'aws-lambda';
import { lambdaHandler } from '../data/function-environment.ts';
import { keyNoticeEvents } from '../feed/company-events.ts';
import { notifierEnvironment, recordEvents } from '../feed/record.ts';

/** Tells each company, and operators, which of its keys expire soon. */
export const handler = lambdaHandler(
  notifierEnvironment('recordKeyNotices', process.env),
  ({ Records }: DynamoDBStreamEvent, environment) =>
    recordEvents(environment, 'recordKeyNotices', Records, keyNoticeEvents),
);
