import type { FamilyName } from '../lambdas/api/endpoints/circuit-endpoints.ts';
import type { RequestedChangeEvent } from '../lambdas/api/requested-change.ts';
import type { ApplianceFunction } from '../lambdas/api/schemas/gateway.ts';
import type { HolidaySettings } from '../lambdas/api/schemas/holiday.ts';
import { addDays } from '../lambdas/domain/energy.ts';
import { toDate } from '../lambdas/domain/time.ts';
import { hourAt } from './energy-use.ts';
import { type ApplianceProfile, circuitsOf, type EquippedCircuit } from './factory-settings.ts';
import { targetOf } from './targets.ts';

/** How long a function stays blocked. */
export const blockDurationMs = 60 * 60_000;

/** A circuit with its readings, a time program or the holiday, as the appliance has it. */
export type ItemState<Content extends object = object> = {
  content: Content;
  /** The version of the last applied change; an item starts with version 1. */
  appliedVersion: number;
  /** The open change, if any. */
  change?: Change | undefined;
};

/** A requested change that an appliance has not applied yet. */
export type Change = {
  readonly version: number;
  readonly desired: object;
  /** Until when a desired value may be applied, by the name of its property. */
  readonly validUntil?: Readonly<Record<string, string>> | undefined;
  readonly dueMs: number;
  /** Whether the appliance has refused the change; it may still apply the change later. */
  readonly isRefused?: boolean;
};

export type TimeProgramState = ItemState & { readonly timeProgramId: string };

export type CircuitState = ItemState & {
  readonly family: FamilyName;
  readonly circuitId: string;
  readonly timePrograms: readonly TimeProgramState[];
  /** The time of the last sensor reading. */
  readAtMs: number;
  /** The content of the last report. */
  reported: object;
  /** The settings from before the current episode. */
  before?: object | undefined;
};

/** The whole state of an appliance and its gateway. It is JSON, so that it can outlive a run. */
export type ApplianceState = {
  readonly gatewayId: string;
  /** When the gateway last reported that it is online; 0 makes it report at once. */
  reportedOnlineAtMs: number;
  /** The last day whose energy was reported. */
  energyReportedUntil: string;
  /** The end of the last hour whose energy was reported. Absent if the appliance reports no hours. */
  hoursReportedUntilMs?: number | undefined;
  /** When the measurements were last reported. */
  measuredAtMs: number;
  readonly circuits: readonly CircuitState[];
  /** Whether its fault is reported. */
  hasFault: boolean;
  /** Undefined if the appliance does not support holidays. */
  readonly holiday?: ItemState<HolidaySettings> | undefined;
  /** Whether the gateway is unreachable. */
  isOffline: boolean;
  /** Whether the appliance refuses requested changes. */
  isRefusing?: boolean | undefined;
  /** The codes of faults that demo controls have caused. */
  faultCodes?: readonly string[] | undefined;
  /** How often the last reported day was corrected. */
  corrections?: number | undefined;
  readonly blocks: Partial<Record<ApplianceFunction, { readonly sinceMs: number; readonly untilMs: number }>>;
};

/** Returns the state of an appliance that was just installed and has reported everything. */
export const installedAppliance = (appliance: ApplianceProfile, nowMs: number): ApplianceState => ({
  gatewayId: appliance.gatewayId,
  isOffline: appliance.isOffline ?? false,
  reportedOnlineAtMs: nowMs,
  energyReportedUntil: addDays(toDate(nowMs), -1),
  hoursReportedUntilMs: appliance.isOld ? undefined : hourAt(nowMs),
  measuredAtMs: nowMs,
  hasFault: false,
  circuits: circuitsOf(appliance).map((circuit) => installedCircuit(circuit, nowMs)),
  holiday: appliance.isOld ? undefined : { content: { holiday: null }, appliedVersion: 1 },
  blocks: Object.fromEntries(
    (appliance.blocks ?? []).map((name) => [name, { sinceMs: nowMs, untilMs: nowMs + blockDurationMs }]),
  ),
});

const installedCircuit = (
  { family, circuitId, reported, timePrograms }: EquippedCircuit,
  nowMs: number,
): CircuitState => {
  const programs = Object.entries(timePrograms).map(([timeProgramId, content]) => ({
    timeProgramId,
    content,
    appliedVersion: 1,
  }));
  const circuit = { family, circuitId, content: reported, timePrograms: programs };
  const content = { ...reported, target: targetOf({}, circuit, nowMs) };
  return { ...circuit, content, reported: content, readAtMs: nowMs, appliedVersion: 1 };
};

type ChangedItem = { readonly item: ItemState; readonly change: Change; readonly key: ChangeItem };

type ChangeItem = RequestedChangeEvent['data']['item'];

/** Returns all items that have an open change, with the key that events use for each. */
export const changedItemsOf = ({ circuits, holiday }: ApplianceState): ChangedItem[] => {
  const items: readonly (readonly [ItemState | undefined, ChangeItem])[] = [
    [holiday, { kind: 'holiday' }],
    ...circuits.flatMap((circuit) => {
      const { family, circuitId, timePrograms } = circuit;
      return [
        [circuit, { kind: 'circuit', family, circuitId }] as const,
        ...timePrograms.map(
          (program) =>
            [program, { kind: 'time-program', family, circuitId, timeProgramId: program.timeProgramId }] as const,
        ),
      ];
    }),
  ];
  return items.flatMap(([item, key]) => (item?.change ? [{ item, change: item.change, key }] : []));
};

/** Returns a kept state for a new run: the gateway reports at once that it is online. */
export const reconnectedAppliance = (kept: ApplianceState): ApplianceState => ({ ...kept, reportedOnlineAtMs: 0 });
