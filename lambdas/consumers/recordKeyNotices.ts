import type { DynamoDBStreamEvent } from 'aws-lambda';
import { keyNoticeFacts } from '../feed/key-notice-facts.ts';
import { recordCompanyFacts } from '../feed/record-company-facts.ts';
import { recorderEnvironment } from '../feed/recorder-environment.ts';

const ownEnvironment = recorderEnvironment('recordKeyNotices', process.env);

/** Tells each company which of its keys expire soon. */
export const handler = ({ Records }: DynamoDBStreamEvent, _context: unknown, environment = ownEnvironment) =>
  recordCompanyFacts(environment, 'recordKeyNotices', Records, keyNoticeFacts);
