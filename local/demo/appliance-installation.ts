import type { ApplianceFunction } from '../../lambdas/api/schemas/gateway.ts';
import { circuitItemKey, timeProgramItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { describeGateway } from '../../lambdas/data/appliances/descriptions.ts';
import { reportFacts } from '../../lambdas/data/appliances/gateway-facts.ts';
import { report } from '../../lambdas/data/appliances/reports.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { FactTimes } from '../../lambdas/domain/appliances/appliance.ts';
import { blockFacts, connectivityFacts } from '../../lambdas/domain/appliances/gateway-facts.ts';
import { type ApplianceState, type CircuitState, installedAppliance } from './appliances/appliance-state.ts';
import type { DemoAppliance } from './appliances/demo-appliances.ts';
import { nameplateOf } from './appliances/factory-settings.ts';

/** An appliance that is offline was last heard of so long ago. */
const silentForMs = 3 * 3_600_000;

/**
 * Fills the table with an appliance that has just reported all it has, or did before it went silent. It is there before
 * anything is served, as an operator's import would be; whatever is reported later comes through the queue.
 */
export const installAppliance = async (
  store: Store,
  appliance: DemoAppliance,
  nowMs: number,
): Promise<ApplianceState> => {
  const { gatewayId, isOffline } = appliance;
  const state = installedAppliance(appliance, nowMs);
  const atMs = isOffline ? nowMs - silentForMs : nowMs;
  const times = { atMs, receivedAtMs: nowMs };
  const circuits = state.circuits.map(({ family, circuitId, timePrograms }) => ({
    ...{ family, circuitId },
    timeProgramIds: timePrograms.map(({ timeProgramId }) => timeProgramId),
  }));
  await describeGateway(store, { ...nameplateOf(appliance), circuits }, times);
  const connectivity = isOffline ? 'offline' : 'online';
  await Promise.all([
    reportFacts(store, gatewayId, connectivityFacts(connectivity, atMs), times),
    ...state.circuits.map((circuit) => installCircuit(store, gatewayId, circuit, times)),
  ]);
  for (const [name, block] of Object.entries(state.blocks))
    await reportFacts(store, gatewayId, blockFacts(name as ApplianceFunction, block), times);
  return state;
};

const installCircuit = async (
  store: Store,
  gatewayId: string,
  { family, circuitId, reported, timePrograms }: CircuitState,
  times: FactTimes,
) => {
  await Promise.all([
    report(store, circuitItemKey(gatewayId, family, circuitId), { circuitId }, { reported }, times),
    ...timePrograms.map(({ timeProgramId, content }) => {
      const key = timeProgramItemKey(gatewayId, family, circuitId, timeProgramId);
      return report(store, key, { timeProgramId }, { reported: content }, times);
    }),
  ]);
};
