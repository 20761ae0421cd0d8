import type { DynamoDBStreamEvent } from 'aws-lambda';
import { lambdaHandler } from '../data/function-environment.ts';
import { webhookEvents } from '../feed/company-events.ts';
import { notifierEnvironment, recordEvents } from '../feed/record.ts';

/** Tells each company, and operators, which of its webhooks were switched off. */
export const handler = lambdaHandler(
  notifierEnvironment('recordWebhookEvents', process.env),
  ({ Records }: DynamoDBStreamEvent, environment) =>
    recordEvents(environment, 'recordWebhookEvents', Records, webhookEvents),
);
