import type { DynamoDBStreamEvent } from 'aws-lambda';
import { lambdaHandler } from '../data/function-environment.ts';
import { keyNoticeFacts } from '../feed/company-facts.ts';
import { notifierEnvironment, recordFacts } from '../feed/record.ts';

/** Tells each company, and operators, which of its keys expire soon. */
export const handler = lambdaHandler(
  notifierEnvironment('recordKeyNotices', process.env),
  ({ Records }: DynamoDBStreamEvent, environment) =>
    recordFacts(environment, 'recordKeyNotices', Records, keyNoticeFacts),
);
