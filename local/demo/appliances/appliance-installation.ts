import { putGateway, putShadow } from '../../../lambdas/data/appliances/appliance-reports.ts';
import { circuitItemKey, timeProgramItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import type { DemoAppliance } from './demo-appliances.ts';
import { circuitsOf, type EquippedCircuit, nameplateOf } from './factory-settings.ts';

/** An appliance that is offline was last heard of so long ago. */
const silentForMs = 3 * 3_600_000;

/** Writes what the gateway backend knows of an appliance that has just reported all it has, or did before it went silent. */
export const installAppliance = async (store: Store, appliance: DemoAppliance, nowMs: number): Promise<void> => {
  const reportedAtMs = appliance.isOffline ? nowMs - silentForMs : nowMs;
  await Promise.all([
    putGateway(store, {
      ...nameplateOf(appliance),
      connectivity: appliance.isOffline ? 'offline' : 'online',
      lastSeenAtMs: reportedAtMs,
      blocks: {},
    }),
    ...circuitsOf(appliance).map((circuit) => installCircuit(store, appliance.gatewayId, circuit, reportedAtMs)),
  ]);
};

const installCircuit = async (
  store: Store,
  gatewayId: string,
  { family, circuitId, reported, timePrograms }: EquippedCircuit,
  reportedAtMs: number,
) => {
  const standing = { reportedAtMs, version: 1 };
  await Promise.all([
    putShadow(store, circuitItemKey(gatewayId, family, circuitId), { circuitId }, { reported, ...standing }),
    ...Object.entries(timePrograms).map(([timeProgramId, program]) => {
      const key = timeProgramItemKey(gatewayId, family, circuitId, timeProgramId);
      return putShadow(store, key, { timeProgramId }, { reported: program, ...standing });
    }),
  ]);
};
