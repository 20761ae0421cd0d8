import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { inject, vi } from 'vitest';
import * as z from 'zod/mini';
import { keyWatchEvent } from '../../lambdas/api/events/key-watch-event.ts';
import { handler } from '../../lambdas/jobs/watchKeyExpiry.ts';
import { clientConfigOf } from '../../local/aws/dynamodb/dynamodb-local.ts';
import { createStreamReader, type StreamRecord } from '../../local/aws/dynamodb/stream-reader.ts';
import { theWorld } from './world.ts';

/** Lets watches run at once at a time of the test's, and tells the lines that they wrote and the errors that they threw. */
export const watchAt = async (nowMs: number, watches = 1) => {
  vi.setSystemTime(nowMs);
  const { environment } = theWorld();
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  try {
    const outcomes = await Promise.allSettled(
      Array.from({ length: watches }, () => handler.withEnvironment({ ...environment, log })(undefined, undefined)),
    );
    return {
      lines,
      events: lines.map((line) => z.parse(keyWatchEvent, JSON.parse(line))),
      errors: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])),
    };
  } finally {
    vi.useRealTimers();
  }
};

/** Everything that ever happened to the rows of notices, in order, as the table's stream tells it. */
export const readNoticeChanges = async () => {
  const config = clientConfigOf(inject('dynamoDbEndpoint'));
  const clients = { tables: new DynamoDBClient(config), streams: new DynamoDBStreamsClient(config) };
  const records: StreamRecord[] = [];
  await createStreamReader(
    clients,
    theWorld().store.tableName('KeyNotices'),
  )(async (taken) => {
    records.push(...taken);
    return taken.length;
  });
  return records.map(({ eventName, dynamodb }) => ({
    eventName,
    row: unmarshall((dynamodb?.NewImage ?? {}) as Parameters<typeof unmarshall>[0]),
  }));
};
