import { reportsEffects } from '../inbound/effects/reports/reports-effects.ts';
import { messageHandler } from '../inbound/take-messages.ts';

export const handler = messageHandler('takeGatewayReports', reportsEffects, process.env);
