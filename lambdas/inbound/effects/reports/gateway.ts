import { reportConnectivity } from '../../../data/appliances/connectivity.ts';
import { describeGateway } from '../../../data/appliances/descriptions.ts';
import { removeGateway } from '../../../data/appliances/removals.ts';
import type { Effects } from '../../effect.ts';

export const gatewayEffects = {
  'gateway.described.v1': ({ store }, { subject: gatewayId, data, timeMs }) =>
    describeGateway(store, { gatewayId, ...data }, timeMs),
  'gateway.removed.v1': ({ store }, { subject: gatewayId, timeMs }) => removeGateway(store, gatewayId, timeMs),
  'gateway.connectivity.v1': ({ store }, { subject: gatewayId, data: { connectivity, lastSeenAt }, timeMs }) => {
    // Nothing was seen later than it is told; a time ahead would outlast all that come after it.
    const lastSeenAtMs = Math.min(Date.parse(lastSeenAt), timeMs);
    return reportConnectivity(store, { gatewayId, connectivity, lastSeenAtMs }, timeMs);
  },
} satisfies Partial<Effects<'takeGatewayReports'>>;
