import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { ApplianceFunction } from '../../api/schemas/gateway.ts';
import type { Block, Gateway, Shadow } from '../../domain/appliances/appliance.ts';
import type { Store } from '../store/store.ts';
import { type ApplianceItemKey, gatewayItemKey } from './appliances.ts';

/** What the backend writes that is connected to the gateways. The API itself only reads it. */

/** Creates or replaces what is known of a gateway, its blocks included. */
export const putGateway = async (store: Store, gateway: Gateway): Promise<void> => {
  const item = { ...gatewayItemKey(gateway.gatewayId), ...gateway };
  await store.send(new PutCommand({ TableName: store.tableName('Appliances'), Item: item }));
};

/** Creates or replaces a circuit or a time program under its own ids; nothing is desired. */
export const putShadow = async (
  store: Store,
  key: ApplianceItemKey,
  ids: Readonly<Record<string, string>>,
  { reported, reportedAtMs, version }: Shadow,
): Promise<void> => {
  const item = { ...key, ...ids, reported, reportedAtMs, version };
  await store.send(new PutCommand({ TableName: store.tableName('Appliances'), Item: item }));
};

/**
 * Takes over what an appliance reports of a circuit or a time program, unless a newer report was first; returns whether it
 * did. What is desired stays.
 */
export const report = (
  store: Store,
  key: ApplianceItemKey,
  { reported, reportedAtMs }: Pick<Shadow, 'reported' | 'reportedAtMs'>,
): Promise<boolean> =>
  updateIf(store, {
    Key: key,
    UpdateExpression: 'SET reported = :reported, reportedAtMs = :at',
    ConditionExpression: 'reportedAtMs < :at',
    ExpressionAttributeValues: { ':reported': reported, ':at': reportedAtMs },
  });

/** The same for a report that shows the requested change of this version fulfilled; a newer requested change stays. */
export const confirm = (
  store: Store,
  key: ApplianceItemKey,
  { reported, reportedAtMs, version }: Pick<Shadow, 'reported' | 'reportedAtMs' | 'version'>,
): Promise<boolean> =>
  updateIf(store, {
    Key: key,
    UpdateExpression: 'SET reported = :reported, reportedAtMs = :at REMOVE desired',
    ConditionExpression: 'reportedAtMs < :at AND version = :version',
    ExpressionAttributeValues: { ':reported': reported, ':at': reportedAtMs, ':version': version },
  });

/** The appliance blocks a function; of two such reports the one of the later block stays. */
export const reportBlock = (store: Store, gatewayId: string, name: ApplianceFunction, block: Block): Promise<boolean> =>
  updateIf(store, {
    Key: gatewayItemKey(gatewayId),
    UpdateExpression: 'SET blocks.#name = :block',
    ConditionExpression:
      'attribute_exists(sk) AND (attribute_not_exists(blocks.#name) OR blocks.#name.sinceMs <= :since)',
    ExpressionAttributeNames: { '#name': name },
    ExpressionAttributeValues: { ':block': block, ':since': block.sinceMs },
  });

/** The gateway was heard of, or was not for too long. */
export const reportConnectivity = (
  store: Store,
  { gatewayId, connectivity, lastSeenAtMs }: Pick<Gateway, 'gatewayId' | 'connectivity' | 'lastSeenAtMs'>,
): Promise<boolean> =>
  updateIf(store, {
    Key: gatewayItemKey(gatewayId),
    UpdateExpression: 'SET connectivity = :connectivity, lastSeenAtMs = :at',
    ConditionExpression: 'attribute_exists(sk) AND lastSeenAtMs <= :at',
    ExpressionAttributeValues: { ':connectivity': connectivity, ':at': lastSeenAtMs },
  });

const updateIf = async (store: Store, update: Omit<UpdateCommandInput, 'TableName'>): Promise<boolean> => {
  try {
    await store.send(new UpdateCommand({ TableName: store.tableName('Appliances'), ...update }));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};
