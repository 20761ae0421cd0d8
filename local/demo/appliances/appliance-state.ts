import type { FamilyName } from '../../../lambdas/api/endpoints/circuit-endpoints.ts';
import type { ApplianceFunction } from '../../../lambdas/api/schemas/gateway.ts';
import type { DemoAppliance } from './demo-appliances.ts';
import { circuitsOf } from './factory-settings.ts';

/** A function stays blocked so long. */
export const blockDurationMs = 60 * 60_000;

/** A circuit with its readings, or a time program, as its appliance has it. */
export type ItemState<Content extends object = object> = {
  content: Content;
  /** The version of the requested change that was applied last; an item begins with version 1. */
  appliedVersion: number;
  /** What the appliance is about to do, and when it will have done it. */
  change?: { readonly version: number; readonly desired: object; readonly dueMs: number } | undefined;
};

export type TimeProgramState = ItemState & { readonly timeProgramId: string };

export type CircuitState = ItemState & {
  readonly family: FamilyName;
  readonly circuitId: string;
  readonly timePrograms: readonly TimeProgramState[];
  /** When its sensors were read last. */
  readAtMs: number;
  /** What was reported last. */
  reported: object;
};

/** All that an appliance and its gateway know, as it outlives a run: it can be written as JSON. */
export type ApplianceState = {
  readonly gatewayId: string;
  /** When the gateway told last that it is online; 0 has it tell so at once. */
  toldOnlineAtMs: number;
  readonly circuits: readonly CircuitState[];
  readonly blocks: Partial<Record<ApplianceFunction, { readonly sinceMs: number; readonly untilMs: number }>>;
};

/** An appliance that was installed just now and has reported all it has. */
export const installedAppliance = (appliance: DemoAppliance, nowMs: number): ApplianceState => ({
  gatewayId: appliance.gatewayId,
  toldOnlineAtMs: nowMs,
  circuits: circuitsOf(appliance).map(({ family, circuitId, reported, timePrograms }) => ({
    ...{ family, circuitId, reported, content: reported, readAtMs: nowMs, appliedVersion: 1 },
    timePrograms: Object.entries(timePrograms).map(([timeProgramId, content]) => ({
      ...{ timeProgramId, content, appliedVersion: 1 },
    })),
  })),
  blocks: Object.fromEntries(
    (appliance.blocks ?? []).map((name) => [name, { sinceMs: nowMs, untilMs: nowMs + blockDurationMs }]),
  ),
});

/** An appliance whose backend runs again: it is online anew, and gets its open changes again. */
export const reconnectedAppliance = (kept: ApplianceState): ApplianceState => ({ ...kept, toldOnlineAtMs: 0 });
