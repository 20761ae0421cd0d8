import type { DynamoDBStreamEvent } from 'aws-lambda';
import { lambdaHandler } from '../data/function-environment.ts';
import { webhookFacts } from '../feed/company-facts.ts';
import { notifierEnvironment, recordFacts } from '../feed/record.ts';

/** Tells each company, and operators, which of its webhooks were switched off. */
export const handler = lambdaHandler(
  notifierEnvironment('recordWebhookEvents', process.env),
  ({ Records }: DynamoDBStreamEvent, environment) =>
    recordFacts(environment, 'recordWebhookEvents', Records, webhookFacts),
);
