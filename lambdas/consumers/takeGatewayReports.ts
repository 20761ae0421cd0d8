import type { SQSEvent } from 'aws-lambda';
import { consumerEnvironment } from '../inbound/consumer-environment.ts';
import { reportsEffects } from '../inbound/effects/reports/reports-effects.ts';
import { takeMessages } from '../inbound/take-messages.ts';

const ownEnvironment = consumerEnvironment('takeGatewayReports', process.env);

export const handler = (event: SQSEvent, _context: unknown, environment = ownEnvironment) =>
  takeMessages('takeGatewayReports', reportsEffects, event, environment);
