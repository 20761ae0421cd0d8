import type { StreamConsumerName } from '../api/background-functions.ts';
import { EnvironmentError } from '../api/environment.ts';
import { createMemory } from '../domain/process-memory.ts';
import { toTimestamp } from '../domain/time.ts';
import type { SendToQueue, StandardMessage } from './senders.ts';
import { isStoreUnavailable } from './store/attempts.ts';
import type { StreamRecord } from './store/stream-record.ts';

/**
 * Whether a record or a message meets the same error whenever it comes again: the fault is its own, or our code's. Whatever
 * else AWS answers may be over tomorrow: it is down, slow or throttling, or somebody took a right, a queue or a key away, which
 * all others meet, too.
 */
export const isLasting = (error: unknown): boolean => {
  if (isStoreUnavailable(error) || error instanceof EnvironmentError) return false;
  const { name, $metadata, CancellationReasons = [] } = Object(error) as AwsError;
  if ($metadata === undefined) return true;
  return refusals.has(name) || CancellationReasons.some(({ Code = '' }) => refusals.has(Code));
};

type AwsError = Error & {
  readonly $metadata?: object;
  /** Of a transaction: what became of each of its items. */
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
};

/** Words of AWS for a request, or an item of it, that says something which cannot be. */
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

/** Does it with all at once; or if no retry mends what that meets, with each alone, and sets aside what fails even so. */
export const togetherOrAlone = async <Each>(
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
    for (const each of all) await togetherOrAlone([each], act, setAside);
  }
};

/** What operators read of a record that was set aside. What its item says stays in the table. */
export type SetAsideRecord = {
  readonly consumer: StreamConsumerName;
  /** The same however often the record comes. */
  readonly recordId: string;
  /** The key of the item, as DynamoDB writes it. */
  readonly keys: object;
  /** The company whose feed lacks the record; absent if that is each company whom it concerns, or no feed. */
  readonly companyId?: string | undefined;
  readonly sequenceNumber: string;
  readonly changedAt: string;
  readonly setAsideAt: string;
  readonly error: string;
};

/** Resolves when the failure queue has word of the record. It has it once from each process. */
export type SetRecordAside = (record: StreamRecord, error: unknown, companyId?: string) => Promise<void>;

/** Many times what comes again after a failure: the records of a batch, of ten batches at once. */
const maxRemembered = 10_000;

/** Remembers the records, or parts of them, that this process is done with, by their ids. */
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
    const word: SetAsideRecord = {
      consumer,
      recordId,
      keys: dynamodb.Keys ?? {},
      companyId,
      sequenceNumber: dynamodb.SequenceNumber ?? '',
      changedAt: toTimestamp((dynamodb.ApproximateCreationDateTime ?? 0) * 1000),
      setAsideAt: toTimestamp(nowMs),
      error: String(error).slice(0, maxErrorCharacters),
    };
    await send('failures', { body: JSON.stringify(word) });
    done.put(id, true);
  };

const maxErrorCharacters = 1000;
