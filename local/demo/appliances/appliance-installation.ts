import { circuitItemKey, timeProgramItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { reportConnectivity } from '../../../lambdas/data/appliances/connectivity.ts';
import { describeGateway } from '../../../lambdas/data/appliances/descriptions.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import type { DemoAppliance } from './demo-appliances.ts';
import { circuitsOf, type EquippedCircuit, nameplateOf } from './factory-settings.ts';

/** An appliance that is offline was last heard of so long ago. */
const silentForMs = 3 * 3_600_000;

/** Tells what the gateway backend knows of an appliance that has just reported all it has, or did before it went silent. */
export const installAppliance = async (store: Store, appliance: DemoAppliance, nowMs: number): Promise<void> => {
  const { gatewayId, isOffline } = appliance;
  const reportedAtMs = isOffline ? nowMs - silentForMs : nowMs;
  const circuits = circuitsOf(appliance);
  const listed = circuits.map(({ timePrograms, ...circuit }) => ({
    ...circuit,
    timeProgramIds: Object.keys(timePrograms),
  }));
  await describeGateway(store, { ...nameplateOf(appliance), circuits: listed }, reportedAtMs);
  const connectivity = isOffline ? 'offline' : 'online';
  await Promise.all([
    reportConnectivity(store, { gatewayId, connectivity, lastSeenAtMs: reportedAtMs }, reportedAtMs),
    ...circuits.map((circuit) => reportCircuit(store, gatewayId, circuit, reportedAtMs)),
  ]);
};

const reportCircuit = async (
  store: Store,
  gatewayId: string,
  { family, circuitId, reported, timePrograms }: EquippedCircuit,
  reportedAtMs: number,
) => {
  await Promise.all([
    report(store, circuitItemKey(gatewayId, family, circuitId), { circuitId }, { reported, reportedAtMs }),
    ...Object.entries(timePrograms).map(([timeProgramId, program]) => {
      const key = timeProgramItemKey(gatewayId, family, circuitId, timeProgramId);
      return report(store, key, { timeProgramId }, { reported: program, reportedAtMs });
    }),
  ]);
};
