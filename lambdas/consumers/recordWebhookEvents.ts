import type { DynamoDBStreamEvent } from 'aws-lambda';
import { webhookEvents } from '../feed/company-events.ts';
import { notifierEnvironment, recordEvents } from '../feed/record.ts';
import { lambdaHandler } from '../runtime/function-environment.ts';

/** Records in each company's feed which of its webhooks were disabled, and notifies operators. */
export const handler = lambdaHandler(
  notifierEnvironment('recordWebhookEvents', process.env),
  ({ Records }: DynamoDBStreamEvent, environment) =>
    recordEvents(environment, Records, { operation: 'recordWebhookEvents', eventsOf: webhookEvents }),
);
