import type { ApplianceFunction } from '../../api/schemas/gateway.ts';
import type { Block } from '../../domain/appliances/appliance.ts';
import type { Store } from '../store/store.ts';
import { gatewayItemKey } from './appliances.ts';
import type { FactOutcome } from './fact-outcome.ts';
import { updateIf } from './guarded-update.ts';
import { outcomeWithoutGateway, readInventory } from './inventory-row.ts';

/** The appliance blocks a function, or tells more of a block. Throws StoreUnavailableError. */
export const reportBlock = (
  store: Store,
  gatewayId: string,
  name: ApplianceFunction,
  { sinceMs, untilMs }: Block,
  atMs: number,
): Promise<FactOutcome> => putBlock(store, gatewayId, name, { sinceMs, untilMs, changedAtMs: atMs });

/** The appliance blocks a function no longer; the time of that stays, so that no earlier block comes back. */
export const reportUnblock = (
  store: Store,
  gatewayId: string,
  name: ApplianceFunction,
  atMs: number,
): Promise<FactOutcome> => putBlock(store, gatewayId, name, { changedAtMs: atMs });

const putBlock = async (
  store: Store,
  gatewayId: string,
  name: ApplianceFunction,
  block: Partial<Block> & { readonly changedAtMs: number },
): Promise<FactOutcome> => {
  const { isApplied, item } = await updateIf(store, {
    Key: gatewayItemKey(gatewayId),
    UpdateExpression: 'SET blocks.#name = :block',
    ConditionExpression:
      'attribute_exists(sk) AND (attribute_not_exists(blocks.#name) OR blocks.#name.changedAtMs < :at)',
    ExpressionAttributeNames: { '#name': name },
    ExpressionAttributeValues: { ':block': block, ':at': block.changedAtMs },
  });
  if (isApplied) return { outcome: 'applied' };
  if (item) return { outcome: 'stale' };
  return { outcome: outcomeWithoutGateway(await readInventory(store, gatewayId), block.changedAtMs) };
};
