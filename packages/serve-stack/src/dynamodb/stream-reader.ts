import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type _Record,
  type AttributeValue,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { clientConfigOf } from './dynamodb-local.ts';

/** Keeps the reader of each mapping, so that a mapping that is compiled again continues where it was. */
export const openStreamReaders = (endpoint: string) => {
  const tables = new DynamoDBClient(clientConfigOf(endpoint));
  const streams = new DynamoDBStreamsClient(clientConfigOf(endpoint));
  const readers = new Map<string, ReadStream>();
  return {
    streamReaderOf: (readerName: string, tableName: string): ReadStream => {
      const key = `${readerName} ${tableName}`;
      const reader = readers.get(key) ?? createStreamReader({ tables, streams }, tableName);
      readers.set(key, reader);
      return reader;
    },
    close: () => {
      tables.destroy();
      streams.destroy();
    },
  };
};

export type StreamRecord = _Record;

type StreamClients = { readonly tables: DynamoDBClient; readonly streams: DynamoDBStreamsClient };

/** Resolves to the number of records, from the first on, that are done. */
export type TakeRecords = (records: readonly StreamRecord[], shardId: string) => Promise<number>;

/** Passes on the records that are not done; the records of a shard keep their order. */
export type ReadStream = (take: TakeRecords) => Promise<void>;

type Shard = {
  iterator?: string | undefined;
  lastSequenceNumber?: string | undefined;
  /** The start of the last read that left no record of the shard. */
  readToEndAtMs?: number;
  hasEnded: boolean;
};

/**
 * Reads the stream of a table of DynamoDB Local from its beginning: a run that keeps the data of the previous run writes
 * the previous run's events to its own log again. Each call continues after the last record that is done.
 */
export const createStreamReader = ({ tables, streams }: StreamClients, TableName: string): ReadStream => {
  let shards: ReadonlyMap<string, Shard> = new Map();
  /** New shards appear only when one ends. A failed call may have met a shard that no longer exists. */
  let areAllListed = false;
  let StreamArn: string | undefined;

  const listShards = async () => {
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
    shards = new Map(
      StreamDescription?.Shards?.map(({ ShardId = '' }) => [ShardId, shards.get(ShardId) ?? { hasEnded: false }]),
    );
  };

  const iteratorOf = async (ShardId: string, lastSequenceNumber?: string) => {
    const command = new GetShardIteratorCommand({
      StreamArn,
      ShardId,
      ShardIteratorType: lastSequenceNumber ? 'AFTER_SEQUENCE_NUMBER' : 'TRIM_HORIZON',
      SequenceNumber: lastSequenceNumber,
    });
    return (await streams.send(command)).ShardIterator;
  };

  const recordsAt = (ShardIterator: string | undefined) => streams.send(new GetRecordsCommand({ ShardIterator }));

  /**
   * Reads on from the oldest record if DynamoDB Local refuses an iterator as older than that record. It numbers the records of
   * all tables in one sequence: an iterator of a shard without records has a lower number than the first record of the shard.
   */
  const readOn = (ShardId: string, ShardIterator: string | undefined) =>
    recordsAt(ShardIterator).catch(async (error: Error) => {
      if (error.name !== 'TrimmedDataAccessException') throw error;
      return recordsAt(await iteratorOf(ShardId));
    });

  return async (take) => {
    StreamArn ??= (await tables.send(new DescribeTableCommand({ TableName }))).Table?.LatestStreamArn;
    if (!areAllListed) await listShards();
    areAllListed = false;
    let hasOneEnded = shards.size === 0;
    for (const [ShardId, shard] of shards) {
      if (shard.hasEnded) continue;
      const ShardIterator = shard.iterator ?? (await iteratorOf(ShardId, shard.lastSequenceNumber));
      // Must not be used again if this fails: it may have expired while the machine slept.
      shard.iterator = undefined;
      const startedMs = Date.now();
      const { Records = [], NextShardIterator } = await readOn(ShardId, ShardIterator);
      const mended = Records.map((record) => notMadeBefore(withTypesOfEmptyMaps(record), shard.readToEndAtMs));
      const done = mended.length > 0 ? await take(mended, ShardId) : 0;
      shard.lastSequenceNumber = Records[done - 1]?.dynamodb?.SequenceNumber ?? shard.lastSequenceNumber;
      // The remaining records have to come before those of later shards.
      if (done < Records.length) return;
      shard.iterator = NextShardIterator;
      shard.readToEndAtMs = startedMs;
      shard.hasEnded = NextShardIterator === undefined;
      hasOneEnded ||= shard.hasEnded;
    }
    areAllListed = !hasOneEnded;
  };
};

type Item = Record<string, AttributeValue>;

/** Adds the type of empty maps, which DynamoDB Local omits in streams, so that a function can read them. */
const withTypesOfEmptyMaps = (record: _Record): _Record => {
  const { dynamodb } = record;
  if (!dynamodb) return record;
  const { NewImage, OldImage } = dynamodb;
  return {
    ...record,
    dynamodb: {
      ...dynamodb,
      ...(NewImage && { NewImage: typedItem(NewImage) }),
      ...(OldImage && { OldImage: typedItem(OldImage) }),
    },
  };
};

/**
 * Corrects the creation time of a record, which DynamoDB Local gives by the minute: a record that did not exist yet at
 * `knownMs` was created later.
 */
const notMadeBefore = (record: _Record, knownMs: number | undefined): _Record => {
  const { dynamodb } = record;
  const createdMs = dynamodb?.ApproximateCreationDateTime?.getTime();
  if (knownMs === undefined || createdMs === undefined || createdMs >= knownMs) return record;
  return { ...record, dynamodb: { ...dynamodb, ApproximateCreationDateTime: new Date(knownMs) } };
};

const typedItem = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, typedValue(value)]));

const typedValue = (value: AttributeValue): AttributeValue => {
  if (value.M) return { M: typedItem(value.M) };
  if (value.L) return { L: value.L.map(typedValue) };
  return Object.keys(value).length > 0 ? value : { M: {} };
};
