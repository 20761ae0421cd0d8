import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { clientConfigOf } from './dynamodb-local.ts';
import { createStreamReader, type ReadStream } from './stream-reader.ts';

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
