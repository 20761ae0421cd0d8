import type { SQSEvent } from 'aws-lambda';
import { lambdaHandler } from '../data/function-environment.ts';
import { consumerEnvironment } from '../inbound/consumer-environment.ts';
import { portalEffects } from '../inbound/effects/portal/portal-effects.ts';
import { takeMessages } from '../inbound/take-messages.ts';

export const handler = lambdaHandler(
  consumerEnvironment('takePortalEvents', process.env),
  (event: SQSEvent, environment) => takeMessages('takePortalEvents', portalEffects, event, environment),
);
