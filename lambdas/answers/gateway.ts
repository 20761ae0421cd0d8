import { cutText, maxComponents } from '../api/limits.ts';
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
  return {
    gatewayId,
    name: cutText(name),
    type: cutText(type),
    connectivity,
    lastSeenAt,
    components: components.slice(0, maxComponents).map(componentBody),
    blockedFunctions,
    limits,
  };
};

/** The appliance has written its texts; an answer bounds them. */
const componentBody = ({ componentId, type, model, serialNumber }: Gateway['components'][number]) => ({
  componentId: cutText(componentId),
  type: cutText(type),
  model: cutText(model),
  ...(serialNumber !== undefined && { serialNumber: cutText(serialNumber) }),
});

export const blockMembers = ({ sinceMs, untilMs }: Block) => ({
  blockedSince: toTimestamp(sinceMs),
  blockedUntil: untilMs === null ? null : toTimestamp(untilMs),
});
