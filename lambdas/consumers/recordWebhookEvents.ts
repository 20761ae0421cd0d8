import type { DynamoDBStreamEvent } from 'aws-lambda';
import { notifierEnvironment } from '../feed/notifier-environment.ts';
import { recordCompanyFacts } from '../feed/record-company-facts.ts';
import { webhookFacts } from '../feed/webhook-facts.ts';

const ownEnvironment = notifierEnvironment('recordWebhookEvents', process.env);

/** Tells each company, and operators, which of its webhooks were switched off. */
export const handler = ({ Records }: DynamoDBStreamEvent, _context: unknown, environment = ownEnvironment) =>
  recordCompanyFacts(environment, 'recordWebhookEvents', Records, webhookFacts);
