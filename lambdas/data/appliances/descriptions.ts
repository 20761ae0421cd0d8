import type { FamilyName } from '../../api/endpoints/circuit-endpoints.ts';
import type { FactTimes, Gateway } from '../../domain/appliances/appliance.ts';
import { described, type Inventory } from '../../domain/appliances/inventory.ts';
import type { Store } from '../store/store.ts';
import type { TransactItem } from '../store/transaction.ts';
import { deleteAbsentShadows } from './absent-shadows.ts';
import { circuitItemKey, gatewayItemKey, timeProgramItemKey } from './appliances.ts';
import type { FactOutcome } from './fact-outcome.ts';
import { changeInventory } from './inventory-row.ts';

export type GatewayDescription = Pick<Gateway, 'gatewayId' | 'name' | 'type' | 'components' | 'limits'> & {
  readonly circuits: readonly {
    readonly family: FamilyName;
    readonly circuitId: string;
    readonly timeProgramIds: readonly string[];
  }[];
};

/**
 * Tells what a gateway is and which circuits and time programs it has; those that it lists no longer are deleted. The newest
 * description stays, and one from before a removal does not bring the gateway back. An older one says only what was not there
 * at its time. Throws StoreUnavailableError.
 */
export const describeGateway = async (
  store: Store,
  description: GatewayDescription,
  times: FactTimes,
): Promise<FactOutcome> => {
  const { gatewayId } = description;
  const listed = sortKeysOf(description);
  const told = await changeInventory(store, gatewayId, (inventory) => {
    const next = described(inventory, listed, times.atMs);
    return next.describedAtMs > inventory.describedAtMs
      ? { outcome: 'applied', next, gateway: putNameplate(store, description, inventory, times) }
      : { outcome: 'stale', next };
  });
  await deleteAbsentShadows(store, gatewayId, (sk) => !listed.includes(sk), times.atMs);
  return told;
};

const sortKeysOf = ({ gatewayId, circuits }: GatewayDescription): string[] =>
  circuits.flatMap(({ family, circuitId, timeProgramIds }) => [
    circuitItemKey(gatewayId, family, circuitId).sk,
    ...timeProgramIds.map((timeProgramId) => timeProgramItemKey(gatewayId, family, circuitId, timeProgramId).sk),
  ]);

/** A gateway that was not there begins with the facts that its last removal has left; what is older stays out. */
const putNameplate = (
  store: Store,
  { gatewayId, name, type, components, limits }: GatewayDescription,
  { removedAtMs, facts = {} }: Inventory,
  { atMs: describedAtMs, receivedAtMs }: FactTimes,
): TransactItem => {
  const plate = Object.entries({ name, type, components, limits, describedAtMs, removedAtMs, receivedAtMs });
  return {
    Update: {
      TableName: store.tableName('Appliances'),
      Key: gatewayItemKey(gatewayId),
      UpdateExpression: `SET facts = if_not_exists(facts, :facts), ${plate.map(([each]) => `#${each} = :${each}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(plate.map(([each]) => [`#${each}`, each])),
      ExpressionAttributeValues: Object.fromEntries([
        [':facts', facts],
        ...plate.map(([each, value]) => [`:${each}`, value]),
      ]),
    },
  };
};
