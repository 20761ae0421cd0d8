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

/** Keeps the reader of each mapping, so that one which is compiled anew goes on where it was. */
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
  let shards: ReadonlyMap<string, Shard> = new Map();
  /** Until one of them ends, there are no others; a call that fails may have met one that is gone. */
  let areAllListed = false;
  let StreamArn: string | undefined;

  const listShards = async () => {
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
    shards = new Map(
      StreamDescription?.Shards?.map(({ ShardId = '' }) => [ShardId, shards.get(ShardId) ?? { hasEnded: false }]),
    );
  };

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
    if (!areAllListed) await listShards();
    areAllListed = false;
    let hasOneEnded = shards.size === 0;
    for (const [ShardId, shard] of shards) {
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
      hasOneEnded ||= shard.hasEnded;
    }
    areAllListed = !hasOneEnded;
  };
};

type Item = Record<string, AttributeValue>;

/** DynamoDB Local tells an empty map in a stream without its type, which a function could not read; here it gets it. */
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

/** DynamoDB Local tells when a record was made by the minute; one that was not there yet at some time is younger than that. */
const notMadeBefore = (record: _Record, knownMs: number | undefined): _Record => {
  const { dynamodb } = record;
  const toldMs = dynamodb?.ApproximateCreationDateTime?.getTime();
  if (knownMs === undefined || toldMs === undefined || toldMs >= knownMs) return record;
  return { ...record, dynamodb: { ...dynamodb, ApproximateCreationDateTime: new Date(knownMs) } };
};

const typedItem = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, typedValue(value)]));

const typedValue = (value: AttributeValue): AttributeValue => {
  if (value.M) return { M: typedItem(value.M) };
  if (value.L) return { L: value.L.map(typedValue) };
  return Object.keys(value).length > 0 ? value : { M: {} };
};
