import type { FamilyName } from '../../../lambdas/api/endpoints/circuit-families.ts';
import { pageSize } from '../../../lambdas/api/limits.ts';
import type { ApplianceFunction } from '../../../lambdas/api/schemas/gateway.ts';
import {
  circuitItemKey,
  listCircuits,
  listTimePrograms,
  readGateways,
  timeProgramItemKey,
} from '../../../lambdas/data/appliances/appliances.ts';
import { reportBlock } from '../../../lambdas/data/appliances/blocks.ts';
import { reportConnectivity } from '../../../lambdas/data/appliances/connectivity.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import type { Circuit, Gateway, Shadow, TimeProgram } from '../../../lambdas/domain/appliances/appliance.ts';
import type { SwitchPoint } from '../../../lambdas/domain/appliances/switch-points.ts';
import type { DemoAppliance } from './demo-appliances.ts';
import { createRequestedChangeWatch } from './requested-change-watch.ts';
import { type DhwReport, driftDhw, driftHeating, type HeatingReport } from './thermal-model.ts';
import { levelAt } from './time-program-level.ts';

/** An appliance that is online reports this often what its sensors read. */
export const reportIntervalMs = 10_000;

/** A function stays blocked so long, and is free so long before it is blocked again. */
export const blockDurationMs = 60 * 60_000;
export const blockPauseMs = 60_000;

/**
 * An appliance with its gateway and the backend that the gateway talks to. Each call does what is due at that time; what
 * has happened before it takes from the table, so that a run can go on where another has ended.
 */
export const createSimulatedAppliance = (
  store: Store,
  { gatewayId, isOffline = false, blocks = [] }: DemoAppliance,
): ((nowMs: number) => Promise<void>) => {
  const requestedChanges = createRequestedChangeWatch();

  const step = async (nowMs: number) => {
    if (isOffline) return;
    const [gateway] = await readGateways(store, [gatewayId]);
    if (!gateway) return;
    await beHeardOf(gateway, nowMs);
    await renewBlocks(gateway, nowMs);
    for (const family of ['heating', 'dhw'] as const) {
      const { circuits } = await listCircuits(store, { gatewayId, family }, pageSize.max);
      for (const circuit of circuits) await stepCircuit(family, circuit, nowMs);
    }
  };

  const beHeardOf = async ({ lastSeenAtMs }: Gateway, nowMs: number) => {
    if (nowMs - lastSeenAtMs < reportIntervalMs) return;
    await reportConnectivity(store, { gatewayId, connectivity: 'online', lastSeenAtMs: nowMs }, nowMs);
  };

  const renewBlocks = async (gateway: Gateway, nowMs: number) => {
    const isDue = (name: ApplianceFunction) => nowMs >= (gateway.blocks[name]?.untilMs ?? 0) + blockPauseMs;
    for (const name of blocks.filter(isDue))
      await reportBlock(store, gatewayId, name, { sinceMs: nowMs, untilMs: nowMs + blockDurationMs }, nowMs);
  };

  const stepCircuit = async (family: FamilyName, circuit: Circuit, nowMs: number) => {
    const { circuitId, reportedAtMs } = circuit;
    const { programs } = await listTimePrograms(store, { gatewayId, family, circuitId }, pageSize.max);
    for (const program of programs) await stepTimeProgram(family, circuitId, program, nowMs);

    const key = circuitItemKey(gatewayId, family, circuitId);
    const intervals = Math.floor((nowMs - reportedAtMs) / reportIntervalMs);
    const reported = drift(family, circuit, activeLevel(circuit, programs, nowMs), intervals);
    if (requestedChanges.isFulfilled(key, circuit, nowMs))
      await report(store, key, { circuitId }, asDesired({ ...circuit, reported }, nowMs));
    else if (intervals > 0) await report(store, key, { circuitId }, { reported, reportedAtMs: nowMs });
  };

  const stepTimeProgram = async (family: FamilyName, circuitId: string, program: TimeProgram, nowMs: number) => {
    const { timeProgramId } = program;
    const key = timeProgramItemKey(gatewayId, family, circuitId, timeProgramId);
    if (requestedChanges.isFulfilled(key, program, nowMs))
      await report(store, key, { timeProgramId }, asDesired(program, nowMs));
  };

  return step;
};

const asDesired = ({ reported, desired, version }: Shadow, nowMs: number) => ({
  reported: { ...reported, ...desired },
  reportedAtMs: nowMs,
  fulfilsVersion: version,
});

/** Finds the level by what the appliance has taken over, not by what is desired. */
const activeLevel = ({ reported }: Circuit, programs: readonly TimeProgram[], nowMs: number) => {
  const active = programs.find(({ timeProgramId }) => timeProgramId === reported.activeTimeProgramId);
  return active && levelAt(active.reported.switchPoints as SwitchPoint[], nowMs);
};

/** Computes the next readings; an item holds what its family's appliances report. */
const drift = (family: FamilyName, { reported }: Circuit, level: string | undefined, intervals: number) =>
  family === 'heating'
    ? driftHeating(reported as HeatingReport, level, intervals)
    : driftDhw(reported as DhwReport, level, intervals);
