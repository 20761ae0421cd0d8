import type { ApplianceFunction } from '../api/schemas/gateway.ts';
import { type Block, blockAt, type Gateway } from '../domain/appliances/appliance.ts';
import { toTimestamp } from '../domain/time.ts';

/** A gateway with the functions that it blocks at that time. */
export const gatewayBody = (gateway: Gateway, nowMs: number) => {
  const { gatewayId, name, type, connectivity, lastSeenAtMs, components, blocks, limits } = gateway;
  const blockedFunctions = (Object.keys(blocks) as ApplianceFunction[]).flatMap((name) => {
    const block = blockAt(gateway, name, nowMs);
    return block ? [{ function: name, ...blockMembers(block) }] : [];
  });
  const lastSeenAt = toTimestamp(lastSeenAtMs);
  return { gatewayId, name, type, connectivity, lastSeenAt, components, blockedFunctions, limits };
};

export const blockMembers = ({ sinceMs, untilMs }: Block) => ({
  blockedSince: toTimestamp(sinceMs),
  blockedUntil: untilMs === null ? null : toTimestamp(untilMs),
});
