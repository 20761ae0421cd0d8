import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { RelayedChange } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { listOpenChanges, type OpenChange, requestedChangeMessage } from '../data/appliances/open-changes.ts';
import {
  type FunctionEnvironment,
  functionEnvironment,
  lambdaHandler,
  requestTimeouts,
} from '../data/function-environment.ts';
import { createQueueSender, type FifoMessage, type SendToQueue, type StandardMessage } from '../data/senders.ts';
import { createDone, createSetRecordAside, type Done, isLasting } from '../data/set-aside.ts';
import { itemChangeOf } from '../data/store/stream-record.ts';
import type { Shadow } from '../domain/appliance.ts';
import type { StoredFacts } from '../domain/gateway.ts';
import { faultFields, writeEvent } from '../domain/log-events.ts';

const ownEnvironment: RelayEnvironment = {
  ...functionEnvironment(process.env),
  send: createQueueSender(process.env, requestTimeouts),
  done: createDone(),
};

/**
 * Sends the gateway backend the changes that the records of the stream request: those of a gateway in order, gateways in
 * parallel. After a failure, Lambda delivers all records from the first failed one on again. This process does not send a
 * record again that it has sent; the queue and the backend recognize other duplicates.
 */
export const handler = lambdaHandler(
  ownEnvironment,
  async ({ Records }: DynamoDBStreamEvent, environment): Promise<DynamoDBBatchResponse> => {
    const gateways = Map.groupBy(Records, ({ dynamodb }) => dynamodb?.Keys?.gatewayId?.S);
    const failures = await Promise.all([...gateways.values()].map((records) => relayInOrder(environment, records)));
    return { batchItemFailures: failures.flat() };
  },
);

/** Stops at the first record that fails for now, so that later ones do not overtake it. */
const relayInOrder = async (environment: RelayEnvironment, records: readonly DynamoDBRecord[]) => {
  for (const record of records) {
    const { eventID = '' } = record;
    if (environment.done.get(eventID)) continue;
    try {
      await relayOrSetAside(environment, record);
    } catch (error) {
      writeFault(environment, record, 'failed', error);
      return [{ itemIdentifier: record.dynamodb?.SequenceNumber ?? '' }];
    }
    environment.done.put(eventID, true);
  }
  return [];
};

const relayOrSetAside = async (environment: RelayEnvironment, record: DynamoDBRecord): Promise<void> => {
  try {
    await relay(environment, toItemChange(record));
  } catch (error) {
    if (!isLasting(error)) throw error;
    const { send, done, processTimeMs } = environment;
    await createSetRecordAside(operation, { send, done, nowMs: processTimeMs() })(record, error);
    writeFault(environment, record, 'set-aside', error);
  }
};

const writeFault = (
  environment: RelayEnvironment,
  { dynamodb }: DynamoDBRecord,
  outcome: 'failed' | 'set-aside',
  error: unknown,
): void =>
  writeEvent(environment, environment.processTimeMs(), {
    level: 'ERROR',
    operation,
    gatewayId: dynamodb?.Keys?.gatewayId?.S,
    messages: 0,
    outcome,
    ...faultFields(error),
  } satisfies Content);

const toItemChange = (record: DynamoDBRecord): ItemChange => {
  const { keys, before, after } = itemChangeOf(record);
  return { ...(keys as Pick<ItemChange, 'gatewayId' | 'sk'>), before, after };
};

type RelayEnvironment = Pick<FunctionEnvironment, 'store' | 'setting' | 'log' | 'processTimeMs'> & {
  readonly send: SendToQueue<FifoMessage | StandardMessage>;
  readonly done: Done;
};

type Content = EventContent<RelayedChange>;

const operation = 'relayRequestedChanges';

/**
 * Sends the backend what a change of an item asks for: one requested change, or all open changes of a gateway that is
 * online again. Messages of a gateway are sent one after the other, so their order is that of the versions. Throws if a
 * message could not be sent; a message that can never be sent does not block the others.
 */
const relay = async (environment: RelayEnvironment, change: ItemChange): Promise<void> => {
  const { gatewayId } = change;
  const isAgain = isReconnected(change);
  if (!isAgain && !isRequested(change)) return;
  const changes = isAgain ? await listOpenChanges(environment.store, gatewayId) : [change.after as OpenChange];
  const delivery = isAgain ? String(change.after?.facts?.connectivity?.atMs) : '';
  const faults: unknown[] = [];
  for (const open of changes)
    try {
      await environment.send('requestedChanges', requestedChangeMessage({ ...open, gatewayId }, delivery));
    } catch (error) {
      if (!isLasting(error)) throw error;
      faults.push(error);
    }
  if (faults.length > 0) throw faults[0];
  const outcome = isAgain ? ('reconnected' as const) : ('sent' as const);
  const content = { level: 'INFO', operation, gatewayId, outcome, ...newestOf(changes) } as const;
  writeEvent(environment, environment.processTimeMs(), content satisfies Content);
};

const newestOf = (changes: readonly OpenChange[]) => {
  const newest = changes.toSorted((one, other) => other.version - one.version)[0];
  return {
    messages: changes.length,
    ...(newest && {
      version: newest.version,
      companyId: newest.desiredBy.companyId,
      requestId: newest.desiredBy.requestId,
    }),
  };
};

/** An item of Appliances before and after a change, from the table's stream. */
type ItemChange = {
  readonly gatewayId: string;
  readonly sk: string;
  readonly before: Item | undefined;
  /** Undefined if the item was deleted. */
  readonly after: Item | undefined;
};

type Item = Readonly<Partial<Shadow>> & { readonly facts?: StoredFacts };

/** Returns whether the record is a partner's requested change of the item. */
const isRequested = ({ before, after }: ItemChange): boolean =>
  after?.desired !== undefined && (after.version ?? 0) > (before?.version ?? 0);

/**
 * Returns whether the gateway has reported with this change that it is online: messages sent while it was offline may be
 * lost.
 */
const isReconnected = ({ before, after }: ItemChange): boolean =>
  after?.facts?.connectivity?.connectivity === 'online' &&
  after.facts.connectivity.atMs > (before?.facts?.connectivity?.atMs ?? 0);
