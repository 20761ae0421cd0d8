import type { StreamConsumerName } from '../api/background-functions.ts';
import { EnvironmentError } from '../api/environment.ts';
import { isStoreUnavailable } from '../data/store/attempts.ts';
import type { StreamRecord } from '../data/store/stream-record.ts';
import { toTimestamp } from '../domain/time.ts';
import { createMemory } from './process-memory.ts';
import type { SendToQueue, StandardMessage } from './senders.ts';

/**
 * Whether a record or a message causes the same error at every retry, because the fault is in its content or in our code. All
 * other errors of AWS may be temporary: a service is down, slow or throttling, or somebody removed a permission, a queue or a
 * key, which affects all other records and messages, too.
 */
export const isLasting = (error: unknown): boolean => {
  if (isStoreUnavailable(error) || error instanceof EnvironmentError) return false;
  const { name, $metadata, CancellationReasons = [] } = Object(error) as AwsError;
  if ($metadata === undefined) return true;
  return refusals.has(name) || CancellationReasons.some(({ Code = '' }) => refusals.has(Code));
};

type AwsError = Error & {
  readonly $metadata?: object;
  /** For a transaction, the result of each of its items. */
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
};

/** The error codes of AWS for a request, or an item of it, with invalid content. */
const refusals = new Set([
  'InvalidAttributeValue',
  'InvalidMessageContents',
  'InvalidParameterValue',
  'ItemCollectionSizeLimitExceeded',
  'ItemCollectionSizeLimitExceededException',
  'MalformedDetail',
  'SerializationException',
  'ValidationError',
  'ValidationException',
]);

/**
 * Calls `act` with all; after an error that no retry fixes, calls it with each alone, and sets aside those that still fail with
 * such an error.
 */
export const isolateFailures = async <Each>(
  all: readonly Each[],
  act: (some: readonly Each[]) => Promise<void>,
  setAside: (each: Each, error: unknown) => Promise<void>,
): Promise<void> => {
  try {
    await act(all);
  } catch (error) {
    if (!isLasting(error)) throw error;
    const [only, ...others] = all;
    if (only !== undefined && others.length === 0) return setAside(only, error);
    for (const each of all) await isolateFailures([each], act, setAside);
  }
};

/** What operators read of a record that was set aside. The content of the item stays in the table. */
export type SetAsideRecord = {
  readonly consumer: StreamConsumerName;
  /** The same for every delivery of the record. */
  readonly recordId: string;
  /** The key of the item, as DynamoDB writes it. */
  readonly keys: object;
  /** The company whose feed lacks the record; absent if the feeds of all companies concerned lack it, or if no feed does. */
  readonly companyId?: string | undefined;
  readonly sequenceNumber: string;
  readonly changedAt: string;
  readonly setAsideAt: string;
  readonly error: string;
};

/** Resolves when the failure queue has accepted a message about the record. Each process sends it once. */
export type SetRecordAside = (record: StreamRecord, error: unknown, companyId?: string) => Promise<void>;

/** Many times the number of records that are retried after a failure, which are those of ten batches at once. */
const maxRemembered = 10_000;

/** Remembers the ids of the records, or of parts of them, that this process has finished. */
export const createDone = () => createMemory<true>(maxRemembered);

export type Done = ReturnType<typeof createDone>;

export const createSetRecordAside =
  (
    consumer: StreamConsumerName,
    { send, done, nowMs }: { readonly send: SendToQueue<StandardMessage>; readonly done: Done; readonly nowMs: number },
  ): SetRecordAside =>
  async ({ eventID: recordId = '', dynamodb = {} }, error, companyId) => {
    const id = `set aside ${recordId} ${companyId ?? ''}`;
    if (done.get(id)) return;
    const message: SetAsideRecord = {
      consumer,
      recordId,
      keys: dynamodb.Keys ?? {},
      companyId,
      sequenceNumber: dynamodb.SequenceNumber ?? '',
      changedAt: toTimestamp((dynamodb.ApproximateCreationDateTime ?? 0) * 1000),
      setAsideAt: toTimestamp(nowMs),
      error: String(error).slice(0, maxErrorCharacters),
    };
    await send('failures', { body: JSON.stringify(message) });
    done.put(id, true);
  };

const maxErrorCharacters = 1000;
