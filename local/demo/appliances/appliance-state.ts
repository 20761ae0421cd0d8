import type { FamilyName } from '../../../lambdas/api/endpoints/circuit-endpoints.ts';
import type { RequestedChangeEvent } from '../../../lambdas/api/requested-change.ts';
import type { ApplianceFunction } from '../../../lambdas/api/schemas/gateway.ts';
import type { HolidaySettings } from '../../../lambdas/api/schemas/holiday.ts';
import { addDays } from '../../../lambdas/domain/energy.ts';
import { toDate } from '../../../lambdas/domain/time.ts';
import { circuitsOf, type DemoAppliance } from './factory-settings.ts';

/** A function stays blocked so long. */
export const blockDurationMs = 60 * 60_000;

/** A circuit with its readings, or a time program, as its appliance has it. */
export type ItemState<Content extends object = object> = {
  content: Content;
  /** The version of the requested change that was applied last; an item begins with version 1. */
  appliedVersion: number;
  /** What the appliance is about to do, and when it will have done it. */
  change?: Change | undefined;
};

/** A requested change that an appliance has not applied yet. */
export type Change = {
  readonly version: number;
  readonly desired: object;
  readonly dueMs: number;
  /** Whether the appliance has refused it; it may still apply it later. */
  readonly isRefused?: boolean;
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
  /** What was set before an episode began. */
  before?: object | undefined;
};

/** All that an appliance and its gateway know, as it outlives a run: it can be written as JSON. */
export type ApplianceState = {
  readonly gatewayId: string;
  /** When the gateway told last that it is online; 0 has it tell so at once. */
  toldOnlineAtMs: number;
  /** The last day of which it told its energy; an earlier version knew of none. */
  energyToldUntil?: string | undefined;
  readonly circuits: readonly CircuitState[];
  /** Whether its fault is reported; an earlier version knew of none. */
  hasFault?: boolean | undefined;
  /** Undefined if it has no holidays. */
  readonly holiday?: ItemState<HolidaySettings> | undefined;
  /** Whether nobody reaches its gateway. An earlier version did not store it, because it never changed. */
  isOffline?: boolean | undefined;
  /** Whether it refuses what is requested of it. */
  isRefusing?: boolean | undefined;
  /** The codes of the faults that a person has caused. */
  faultCodes?: readonly string[] | undefined;
  /** How often the last day of its energy was corrected. */
  corrections?: number | undefined;
  readonly blocks: Partial<Record<ApplianceFunction, { readonly sinceMs: number; readonly untilMs: number }>>;
};

/** An appliance that was installed just now and has reported all it has. */
export const installedAppliance = (appliance: DemoAppliance, nowMs: number): ApplianceState => ({
  gatewayId: appliance.gatewayId,
  isOffline: appliance.isOffline ?? false,
  toldOnlineAtMs: nowMs,
  energyToldUntil: addDays(toDate(nowMs), -1),
  circuits: circuitsOf(appliance).map(({ family, circuitId, reported, timePrograms }) => ({
    family,
    circuitId,
    reported,
    content: reported,
    readAtMs: nowMs,
    appliedVersion: 1,
    timePrograms: Object.entries(timePrograms).map(([timeProgramId, content]) => ({
      timeProgramId,
      content,
      appliedVersion: 1,
    })),
  })),
  holiday: appliance.isOld ? undefined : { content: { holiday: null }, appliedVersion: 1 },
  blocks: Object.fromEntries(
    (appliance.blocks ?? []).map((name) => [name, { sinceMs: nowMs, untilMs: nowMs + blockDurationMs }]),
  ),
});

type ChangedItem = { readonly item: ItemState; readonly change: Change; readonly key: ChangeItem };

type ChangeItem = RequestedChangeEvent['data']['item'];

/** All items that have a requested change, with the name of each in events. */
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

/** An appliance whose backend runs again: it is online anew, and gets its open changes again. */
export const reconnectedAppliance = (kept: ApplianceState): ApplianceState => ({ ...kept, toldOnlineAtMs: 0 });
