import type { FamilyName } from '../../api/endpoints/circuit-families.ts';
import { applianceFunctions } from '../../api/schemas/gateway.ts';
import type { Gateway } from '../../domain/appliances/appliance.ts';
import { described } from '../../domain/appliances/inventory.ts';
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
  atMs: number,
): Promise<FactOutcome> => {
  const { gatewayId } = description;
  const listed = sortKeysOf(description);
  let isNewest = false;
  await changeInventory(store, gatewayId, (inventory) => {
    const next = described(inventory, listed, atMs);
    isNewest = next.describedAtMs > inventory.describedAtMs;
    return { next, gateway: isNewest ? putNameplate(store, description, next) : undefined };
  });
  await deleteAbsentShadows(store, gatewayId, (sk) => !listed.includes(sk), atMs);
  return { outcome: isNewest ? 'applied' : 'stale' };
};

const sortKeysOf = ({ gatewayId, circuits }: GatewayDescription): string[] =>
  circuits.flatMap(({ family, circuitId, timeProgramIds }) => [
    circuitItemKey(gatewayId, family, circuitId).sk,
    ...timeProgramIds.map((timeProgramId) => timeProgramItemKey(gatewayId, family, circuitId, timeProgramId).sk),
  ]);

/** A gateway that was not there is offline and unblocked at first; what is told of the time before its last removal is past. */
const putNameplate = (
  store: Store,
  { gatewayId, name, type, components, limits }: GatewayDescription,
  { describedAtMs, removedAtMs }: { readonly describedAtMs: number; readonly removedAtMs: number },
): TransactItem => {
  const described = { name, type, components, limits, describedAtMs };
  const initial = {
    connectivity: 'offline',
    connectivityAtMs: removedAtMs,
    lastSeenAtMs: removedAtMs,
    blocks:
      removedAtMs > 0 ? Object.fromEntries(applianceFunctions.map((each) => [each, { changedAtMs: removedAtMs }])) : {},
  };
  const values = Object.entries({ ...described, ...initial });
  return {
    Update: {
      TableName: store.tableName('Appliances'),
      Key: gatewayItemKey(gatewayId),
      UpdateExpression: `SET ${[
        ...Object.keys(described).map((each) => `#${each} = :${each}`),
        ...Object.keys(initial).map((each) => `#${each} = if_not_exists(#${each}, :${each})`),
      ].join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(values.map(([each]) => [`#${each}`, each])),
      ExpressionAttributeValues: Object.fromEntries(values.map(([each, value]) => [`:${each}`, value])),
    },
  };
};
