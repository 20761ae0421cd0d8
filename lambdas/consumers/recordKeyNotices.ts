import type { DynamoDBStreamEvent } from 'aws-lambda';
import { lambdaHandler } from '../data/function-environment.ts';
import { keyNoticeFacts } from '../feed/key-notice-facts.ts';
import { notifierEnvironment } from '../feed/notifier-environment.ts';
import { recordCompanyFacts } from '../feed/record-company-facts.ts';

/** Tells each company, and operators, which of its keys expire soon. */
export const handler = lambdaHandler(
  notifierEnvironment('recordKeyNotices', process.env),
  ({ Records }: DynamoDBStreamEvent, environment) =>
    recordCompanyFacts(environment, 'recordKeyNotices', Records, keyNoticeFacts),
);
