import { portalEffects } from '../inbound/effects/portal/portal-effects.ts';
import { messageHandler } from '../inbound/take-messages.ts';

export const handler = messageHandler('takePortalEvents', portalEffects, process.env);
