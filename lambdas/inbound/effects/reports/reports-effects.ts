import type { Effects } from '../../effect.ts';
import { blockEffects } from './blocks.ts';
import { gatewayEffects } from './gateway.ts';
import { shadowEffects } from './shadows.ts';

/** What the reports of gateways and appliances come to. */
export const reportsEffects: Effects<'takeGatewayReports'> = { ...gatewayEffects, ...blockEffects, ...shadowEffects };
