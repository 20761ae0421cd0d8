import type { SQSEvent } from 'aws-lambda';
import { consumerEnvironment } from '../inbound/consumer-environment.ts';
import { portalEffects } from '../inbound/effects/portal/portal-effects.ts';
import { takeMessages } from '../inbound/take-messages.ts';

const ownEnvironment = consumerEnvironment('takePortalEvents', process.env);

export const handler = (event: SQSEvent, _context: unknown, environment = ownEnvironment) =>
  takeMessages('takePortalEvents', portalEffects, event, environment);
