import type { DynamoDBStreamEvent } from 'aws-lambda';
import { notifierEnvironment } from '../feed/notifier-environment.ts';
import { recordAndNotify } from '../feed/record-and-notify.ts';
import { webhookFacts } from '../feed/webhook-facts.ts';

const ownEnvironment = notifierEnvironment('recordWebhookEvents', process.env);

/** Tells each company, and operators, which of its webhooks were switched off. */
export const handler = ({ Records }: DynamoDBStreamEvent, _context: unknown, environment = ownEnvironment) =>
  recordAndNotify(environment, 'recordWebhookEvents', Records, webhookFacts);
