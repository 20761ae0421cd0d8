import { reportBlock, reportUnblock } from '../../../data/appliances/blocks.ts';
import type { Effects } from '../../effect.ts';

export const blockEffects = {
  'function.blocked.v1': ({ store }, { subject: gatewayId, data: { function: name, since, until }, timeMs }) => {
    const block = { sinceMs: Date.parse(since), untilMs: until === null ? null : Date.parse(until) };
    return reportBlock(store, gatewayId, name, block, timeMs);
  },
  'function.unblocked.v1': ({ store }, { subject: gatewayId, data: { function: name }, timeMs }) =>
    reportUnblock(store, gatewayId, name, timeMs),
} satisfies Partial<Effects<'takeGatewayReports'>>;
