import type { SQSEvent } from 'aws-lambda';
import { lambdaHandler } from '../data/function-environment.ts';
import { consumerEnvironment } from '../inbound/consumer-environment.ts';
import { reportsEffects } from '../inbound/effects/reports/reports-effects.ts';
import { takeMessages } from '../inbound/take-messages.ts';

export const handler = lambdaHandler(
  consumerEnvironment('takeGatewayReports', process.env),
  (event: SQSEvent, environment) => takeMessages('takeGatewayReports', reportsEffects, event, environment),
);
