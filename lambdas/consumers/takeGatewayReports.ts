import { reportsEffects } from '../inbound/report-effects.ts';
import { messageHandler } from '../inbound/take-messages.ts';

export const handler = messageHandler('takeGatewayReports', reportsEffects, process.env);
