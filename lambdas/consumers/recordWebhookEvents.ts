import type { DynamoDBStreamEvent } from 'aws-lambda';
import { recordCompanyFacts } from '../feed/record-company-facts.ts';
import { recorderEnvironment } from '../feed/recorder-environment.ts';
import { webhookFacts } from '../feed/webhook-facts.ts';

const ownEnvironment = recorderEnvironment('recordWebhookEvents', process.env);

/** Tells each company which of its webhooks were switched off. */
export const handler = ({ Records }: DynamoDBStreamEvent, _context: unknown, environment = ownEnvironment) =>
  recordCompanyFacts(environment, 'recordWebhookEvents', Records, webhookFacts);
