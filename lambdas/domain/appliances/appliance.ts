import type { ApplianceFunction } from '../../api/schemas/gateway.ts';
import { toTimestamp } from '../time.ts';

/** A function that the appliance blocks; its end may be unknown. */
export type Block = { readonly sinceMs: number; readonly untilMs: number | null };

export type Gateway = {
  readonly gatewayId: string;
  readonly name: string;
  readonly type: string;
  readonly connectivity: 'online' | 'offline';
  readonly lastSeenAtMs: number;
  readonly components: {
    readonly componentId: string;
    readonly type: string;
    readonly model: string;
    readonly serialNumber?: string;
  }[];
  readonly limits: SwitchPointLimits;
  readonly blocks: Readonly<Partial<Record<ApplianceFunction, Block>>>;
};

/** What the appliance can hold of switch points, per time program. */
export type SwitchPointLimits = {
  readonly maxSwitchPoints: number;
  readonly maxSwitchPointsPerDay: number;
  readonly switchPointRasterMinutes: number;
};

/**
 * Something that can be changed: what the appliance last reported, and beside it what was requested since. The
 * version counts changes of what can be changed, not of what is measured.
 */
export type Shadow = {
  readonly reported: Readonly<Record<string, unknown>>;
  readonly reportedAtMs: number;
  readonly desired?: Readonly<Record<string, unknown>>;
  readonly version: number;
};

export type Circuit = Shadow & { readonly gatewayId: string; readonly circuitId: string };
export type TimeProgram = Shadow & { readonly timeProgramId: string };

/** The block of a function at a time, if there is one. */
export const blockAt = ({ blocks }: Gateway, name: ApplianceFunction, nowMs: number): Block | undefined => {
  const block = blocks[name];
  return block && (block.untilMs === null || nowMs < block.untilMs) ? block : undefined;
};

/** A requested change is shown at once; what is measured is shown as it was reported. */
export const presentShadow = ({ reported, reportedAtMs, desired, version }: Shadow) => ({
  ...withoutBrokenSensors(reported),
  ...desired,
  state: desired ? ('pending' as const) : ('confirmed' as const),
  version,
  reportedAt: toTimestamp(reportedAtMs),
});

export const presentGateway = (gateway: Gateway, nowMs: number) => {
  const { gatewayId, name, type, connectivity, lastSeenAtMs, components, blocks, limits } = gateway;
  const blockedFunctions = (Object.keys(blocks) as ApplianceFunction[]).flatMap((name) => {
    const block = blockAt(gateway, name, nowMs);
    return block ? [{ function: name, ...presentBlock(block) }] : [];
  });
  const lastSeenAt = toTimestamp(lastSeenAtMs);
  return { gatewayId, name, type, connectivity, lastSeenAt, components, blockedFunctions, limits };
};

export const presentBlock = ({ sinceMs, untilMs }: Block) => ({
  blockedSince: toTimestamp(sinceMs),
  blockedUntil: untilMs === null ? null : toTimestamp(untilMs),
});

/** What a sensor reads whose wire is broken, and one whose wires touch: the ends of its range. */
export const openSensorCelsius = -3276.8;
export const shortSensorCelsius = 3276.7;

const brokenSensorCelsius: readonly unknown[] = [openSensorCelsius, shortSensorCelsius];

const withoutBrokenSensors = (reported: Shadow['reported']) =>
  Object.fromEntries(
    Object.entries(reported).map(([name, value]) => [name, brokenSensorCelsius.includes(value) ? null : value]),
  );
