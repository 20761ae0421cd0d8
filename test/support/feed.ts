import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { clientConfigOf, createStreamReader, type StreamRecord } from 'serve-stack/dynamodb';
import { inject } from 'vitest';
import * as z from 'zod/mini';
import { keyWatchEvent } from '../../lambdas/api/log-events/background-events.ts';
import { contractDocs } from '../../lambdas/api/schemas/contract.ts';
import { consentGivenAt } from '../../lambdas/domain/consent.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import type { FeedEvent, StoredEvent } from '../../lambdas/domain/feed-event.ts';
import { handler } from '../../lambdas/jobs/watchKeyExpiry.ts';
import { createDone, type SetAsideRecord } from '../../lambdas/runtime/set-aside.ts';
import { startMs, theWorld } from './world.ts';

/** The contract of a company whose owner has consented at 1000. */
export const consentedContract: Contract = {
  companyId: 'acme',
  userId: 'owner-1',
  state: 'active',
  sinceMs: 0,
  gateways: {},
  stateChangedAtMs: null,
  stateClaimedAtMs: null,
  erasedAtMs: null,
  removeAt: null,
  ...consentGivenAt(3, 1000),
};

/** An event of the company level, which its company can always read. `note` makes it unique. */
export const companyEvent = (note: number | string, overrides: Partial<FeedEvent> = {}): FeedEvent => ({
  id: `evt_${randomUUID().replaceAll('-', '').slice(0, 22)}`,
  type: 'contract.changed',
  atMs: startMs,
  resource: '/contract',
  data: { ...contractDocs().example, note },
  ...overrides,
});

export const companyEvents = (count: number, first = 1): FeedEvent[] =>
  Array.from({ length: count }, (_, index) => companyEvent(first + index));

export const notesOf = (events: readonly (StoredEvent | Pick<FeedEvent, 'data'>)[]) =>
  events.map((event) => ('data' in event ? (event.data as { readonly note: number }).note : Number.NaN));

export const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

type Item = Readonly<Record<string, unknown>>;

/**
 * A stream record of a table whose items have these keys: the item before and after a change, or undefined. Records with the
 * same number are the same record.
 */
const recordWith =
  (partitionKey: string) => (sequenceNumber: number, before: Item | undefined, after: Item | undefined) => {
    const { [partitionKey]: partition, sk } = { ...before, ...after };
    return {
      eventID: `record-${sequenceNumber}`,
      dynamodb: {
        ApproximateCreationDateTime: Date.parse('2036-03-10T12:00:00Z') / 1000,
        SequenceNumber: String(sequenceNumber),
        Keys: imageOf({ [partitionKey]: partition, sk }),
        ...(before && { OldImage: imageOf(before) }),
        ...(after && { NewImage: imageOf(after) }),
      },
    } satisfies DynamoDBRecord;
  };

export const applianceRecord = recordWith('gatewayId');
export const companyRecord = recordWith('companyId');
export const contractRecord = recordWith('contractId');

const imageOf = (item: Item) =>
  marshall(item, { removeUndefinedValues: true }) as NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;

/** The environment of a stream consumer in a new process, and the reasons of the records that it sets aside. */
export const newStreamProcess = () => {
  const setAside: SetAsideRecord[] = [];
  const send = async (queue: string, { body }: { readonly body: string }): Promise<void> => {
    if (queue === 'failures') setAside.push(JSON.parse(body));
  };
  return { done: createDone(), send, setAside: setAside as readonly SetAsideRecord[] };
};

/** The error that an unavailable AWS service throws. */
export const unavailable = (message = 'The service is down.'): Error =>
  Object.assign(new Error(message), { name: 'ServiceUnavailable', $metadata: { httpStatusCode: 503 } });

/** Runs watches concurrently at a time that the test sets; returns the lines that they wrote and the errors that they threw. */
export const watchAt = async (nowMs: number, watches = 1) => {
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const watch = handler.withEnvironment({ ...theWorld().environment, log, processTimeMs: () => nowMs });
  const outcomes = await Promise.allSettled(Array.from({ length: watches }, () => watch(undefined, undefined)));
  return {
    lines,
    events: lines.map((line) => z.parse(keyWatchEvent, JSON.parse(line))),
    errors: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])),
  };
};

/** All changes of the rows of notices, in the order of the table's stream. */
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
