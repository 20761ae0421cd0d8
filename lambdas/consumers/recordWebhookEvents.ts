import type { DynamoDBStreamEvent } from 'aws-lambda';
import { lambdaHandler } from '../data/function-environment.ts';
import { notifierEnvironment } from '../feed/notifier-environment.ts';
import { recordCompanyFacts } from '../feed/record-company-facts.ts';
import { webhookFacts } from '../feed/webhook-facts.ts';

/** Tells each company, and operators, which of its webhooks were switched off. */
export const handler = lambdaHandler(
  notifierEnvironment('recordWebhookEvents', process.env),
  ({ Records }: DynamoDBStreamEvent, environment) =>
    recordCompanyFacts(environment, 'recordWebhookEvents', Records, webhookFacts),
);
