import { portalEffects } from '../inbound/portal-effects.ts';
import { messageHandler } from '../inbound/take-messages.ts';

export const handler = messageHandler('takePortalEvents', portalEffects, process.env);
