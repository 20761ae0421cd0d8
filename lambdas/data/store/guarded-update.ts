import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { TableName } from '../../api/tables.ts';
import type { Store } from './store.ts';

type Item = Readonly<Record<string, unknown>>;

export type GuardedUpdate =
  /** The item as it has become. */
  | { readonly isApplied: true; readonly item: Item }
  /** The item that the condition did not hold for; undefined if it is absent. */
  | { readonly isApplied: false; readonly item: Item | undefined };

/** Updates an item if its condition holds. Throws what the store throws. */
export const updateIf = async (
  store: Store,
  table: TableName,
  update: Omit<UpdateCommandInput, 'TableName'> & { readonly ConditionExpression: string },
): Promise<GuardedUpdate> => {
  const command = new UpdateCommand({
    TableName: store.tableName(table),
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ...update,
  });
  try {
    const { Attributes = {} } = await store.send(command);
    return { isApplied: true, item: Attributes };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // The document client leaves the items of errors as they came.
    return { isApplied: false, item: error.Item && unmarshall(error.Item) };
  }
};
