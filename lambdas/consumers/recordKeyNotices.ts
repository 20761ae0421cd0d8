import type { DynamoDBStreamEvent } from 'aws-lambda';
import { keyNoticeFacts } from '../feed/key-notice-facts.ts';
import { notifierEnvironment } from '../feed/notifier-environment.ts';
import { recordCompanyFacts } from '../feed/record-company-facts.ts';

const ownEnvironment = notifierEnvironment('recordKeyNotices', process.env);

/** Tells each company, and operators, which of its keys expire soon. */
export const handler = ({ Records }: DynamoDBStreamEvent, _context: unknown, environment = ownEnvironment) =>
  recordCompanyFacts(environment, 'recordKeyNotices', Records, keyNoticeFacts);
