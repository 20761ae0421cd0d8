import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { ApplianceState } from '../../simulator/appliance-state.ts';
import { readAllPages } from '../data/store/reads.ts';
import type { Store } from '../data/store/store.ts';
import { putIf } from '../data/store/writes.ts';
import type { SandboxMessage } from './messages.ts';

/** The table of the simulated homes. */
export type HomesTable = Pick<Store, 'send'> & { readonly tableName: () => string };

/** A simulated home between two calls of the function. */
export type StoredHome = {
  readonly state: ApplianceState;
  /**
   * The events that follow from the state and may not have been sent. They are stored with the state and sent afterwards: an
   * event that was sent for a state that is then not stored, because another call has changed the home, would be wrong.
   */
  readonly unsent: readonly SandboxMessage[];
  /** The day of the last full report; an empty text before the first one. */
  readonly reportedAllOn: string;
  /** Until when the home is simulated each minute. */
  readonly livelyUntilMs: number;
  /** When the home is simulated again. */
  readonly dueAtMs: number;
};

/** Returns the gateways of all homes, and when each is due. A home of the last second may be missing: the index lags behind. */
export const listHomes = async (
  table: HomesTable,
): Promise<readonly { readonly gatewayId: string; readonly dueAtMs: number }[]> => {
  const items = await readAllPages((after) =>
    table.send(
      new QueryCommand({
        TableName: table.tableName(),
        IndexName: 'byDue',
        KeyConditionExpression: 'agenda = :agenda',
        ExpressionAttributeValues: { ':agenda': agenda },
        ExclusiveStartKey: after,
      }),
    ),
  );
  return items.map(({ gatewayId, dueAt }) => ({ gatewayId: String(gatewayId), dueAtMs: Date.parse(String(dueAt)) }));
};

/** Returns a home and the version of its item; undefined if there is no such home. */
export const readHome = async (
  table: HomesTable,
  gatewayId: string,
): Promise<{ readonly home: StoredHome; readonly version: number } | undefined> => {
  const command = { TableName: table.tableName(), Key: { gatewayId }, ConsistentRead: true };
  const { Item } = await table.send(new GetCommand(command));
  if (!Item) return undefined;
  const { version, dueAt, content } = Item as HomeItem;
  return { home: { ...JSON.parse(inflateRawSync(content).toString()), dueAtMs: Date.parse(dueAt) }, version };
};

/**
 * Writes a home if its item still has this version, 0 if the home is new. Returns the new version; undefined if another call has
 * changed the item.
 */
export const writeHome = async (
  table: HomesTable,
  { dueAtMs, ...content }: StoredHome,
  seenVersion: number,
): Promise<number | undefined> => {
  const item: HomeItem = {
    gatewayId: content.state.gatewayId,
    version: seenVersion + 1,
    agenda,
    dueAt: new Date(dueAtMs).toISOString(),
    content: deflateRawSync(JSON.stringify(content)),
  };
  const ifUnchanged =
    seenVersion === 0
      ? { ConditionExpression: 'attribute_not_exists(gatewayId)' }
      : { ConditionExpression: 'version = :seen', ExpressionAttributeValues: { ':seen': seenVersion } };
  const { isApplied } = await putIf(table, { TableName: table.tableName(), Item: item, ...ifUnchanged });
  return isApplied ? item.version : undefined;
};

/** The partition of the index. */
const agenda = 'all';

type HomeItem = {
  readonly gatewayId: string;
  readonly version: number;
  readonly agenda: typeof agenda;
  /** With milliseconds, so that the order of the texts is that of the times. */
  readonly dueAt: string;
  /** Compressed JSON: a write has the price of each started kilobyte, and time programs repeat themselves. */
  readonly content: Uint8Array;
};
