import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type _Record,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { notMadeBefore, withTypesOfEmptyMaps } from './stream-images.ts';

export type StreamRecord = _Record;

export type StreamClients = { readonly tables: DynamoDBClient; readonly streams: DynamoDBStreamsClient };

/** Resolves to how many of the records are done with, the first ones. */
export type TakeRecords = (records: readonly StreamRecord[], shardId: string) => Promise<number>;

/** Hands on the records that are not done with, those of a shard in their order. */
export type ReadStream = (take: TakeRecords) => Promise<void>;

type Shard = {
  iterator?: string | undefined;
  lastSequenceNumber?: string | undefined;
  /** When nothing was left in it to hand on. */
  readToEndAtMs?: number;
  hasEnded: boolean;
};

/**
 * Reads the stream of a table of DynamoDB Local from its beginning: a run that has kept the data of the last one puts
 * that one's events into its own log again. Each call goes on behind the last record that is done with.
 */
export const createStreamReader = ({ tables, streams }: StreamClients, TableName: string): ReadStream => {
  const shards = new Map<string, Shard>();
  let StreamArn: string | undefined;

  const iteratorOf = async (ShardId: string, { lastSequenceNumber }: Shard) => {
    const command = new GetShardIteratorCommand({
      StreamArn,
      ShardId,
      ShardIteratorType: lastSequenceNumber ? 'AFTER_SEQUENCE_NUMBER' : 'TRIM_HORIZON',
      SequenceNumber: lastSequenceNumber,
    });
    return (await streams.send(command)).ShardIterator;
  };

  return async (take) => {
    StreamArn ??= (await tables.send(new DescribeTableCommand({ TableName }))).Table?.LatestStreamArn;
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
    for (const { ShardId = '' } of StreamDescription?.Shards ?? []) {
      const shard = shards.get(ShardId) ?? { hasEnded: false };
      shards.set(ShardId, shard);
      if (shard.hasEnded) continue;
      const ShardIterator = shard.iterator ?? (await iteratorOf(ShardId, shard));
      // Not to be used again should this fail: it may have expired while the machine slept.
      shard.iterator = undefined;
      const startedMs = Date.now();
      const { Records = [], NextShardIterator } = await streams.send(new GetRecordsCommand({ ShardIterator }));
      const mended = Records.map((record) => notMadeBefore(withTypesOfEmptyMaps(record), shard.readToEndAtMs));
      const done = mended.length > 0 ? await take(mended, ShardId) : 0;
      shard.lastSequenceNumber = Records[done - 1]?.dynamodb?.SequenceNumber ?? shard.lastSequenceNumber;
      // What is left has to come before whatever stands in later shards.
      if (done < Records.length) return;
      shard.iterator = NextShardIterator;
      shard.readToEndAtMs = startedMs;
      shard.hasEnded = NextShardIterator === undefined;
    }
  };
};
