import type { RelayedChange } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { listOpenChanges, type OpenChange } from '../data/appliances/open-since-index.ts';
import type { Store } from '../data/store/store.ts';
import { itemChangeOf, type StreamRecord } from '../data/store/stream-record.ts';
import type { Shadow } from '../domain/appliance.ts';
import type { StoredFacts } from '../domain/gateway.ts';
import type { FunctionEnvironment } from '../runtime/function-environment.ts';
import { faultFields, writeEvent } from '../runtime/log-lines.ts';
import type { FifoMessage, SendToQueue, StandardMessage } from '../runtime/senders.ts';
import { createSetRecordAside, type Done, isLasting } from '../runtime/set-aside.ts';
import { requestedChangeMessage } from './requested-change-message.ts';

export type RelayEnvironment = Pick<FunctionEnvironment, 'store' | 'setting' | 'log' | 'processTimeMs'> & {
  readonly send: SendToQueue<FifoMessage | StandardMessage>;
  readonly done: Done;
};

/**
 * Sends the gateway backend the changes that the records of the stream request: those of a gateway in order, gateways in
 * parallel. After a failure, Lambda delivers all records from the first failed one on again. This process does not send a
 * record again that it has sent; the queue and the backend recognize other duplicates.
 */
export const relayRecords = async (
  environment: RelayEnvironment,
  records: readonly StreamRecord[],
): Promise<{ readonly batchItemFailures: { readonly itemIdentifier: string }[] }> => {
  const gateways = Map.groupBy(records, gatewayIdOf);
  const failures = await Promise.all([...gateways.values()].map((each) => relayInOrder(environment, each)));
  return { batchItemFailures: failures.flat() };
};

/** Stops at the first record that fails for now, so that later ones do not overtake it. */
const relayInOrder = async (environment: RelayEnvironment, records: readonly StreamRecord[]) => {
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

const relayOrSetAside = async (environment: RelayEnvironment, record: StreamRecord): Promise<void> => {
  try {
    await relay(environment, record);
  } catch (error) {
    if (!isLasting(error)) throw error;
    const { send, done, processTimeMs } = environment;
    await createSetRecordAside(operation, { send, done, nowMs: processTimeMs() })(record, error);
    writeFault(environment, record, 'set-aside', error);
  }
};

const writeFault = (
  environment: RelayEnvironment,
  record: StreamRecord,
  outcome: 'failed' | 'set-aside',
  error: unknown,
): void =>
  writeEvent(environment, environment.processTimeMs(), {
    level: 'ERROR',
    operation,
    gatewayId: gatewayIdOf(record),
    messages: 0,
    outcome,
    ...faultFields(error),
  } satisfies Content);

type Content = EventContent<RelayedChange>;

const operation = 'relayRequestedChanges';

/**
 * Sends the backend what a change of an item asks for: one requested change, or all open changes of a gateway that is
 * online again. Messages of a gateway are sent one after the other, so their order is that of the versions. Throws if a
 * message could not be sent; a message that can never be sent does not block the others.
 */
const relay = async (environment: RelayEnvironment, record: StreamRecord): Promise<void> => {
  const change = applianceChangeOf(record);
  const { gatewayId } = change;
  const found = await changesToSend(environment.store, change);
  if (found === undefined) return;
  const { changes, outcome, delivery } = found;
  const faults: unknown[] = [];
  for (const open of changes)
    try {
      await environment.send('requestedChanges', requestedChangeMessage({ ...open, gatewayId }, delivery));
    } catch (error) {
      if (!isLasting(error)) throw error;
      faults.push(error);
    }
  if (faults.length > 0) throw faults[0];
  const content = { level: 'INFO', operation, gatewayId, outcome, ...newestOf(changes) } as const;
  writeEvent(environment, environment.processTimeMs(), content satisfies Content);
};

/** The changes that the backend gets because of a record, why, and what distinguishes this delivery from the first one. */
type ChangesToSend = {
  readonly changes: readonly OpenChange[];
  readonly outcome: 'sent' | 'reconnected';
  readonly delivery: string;
};

/**
 * Returns what a change of an item asks for: one requested change, or all open changes of a gateway that is online again.
 * Returns undefined if it asks for nothing.
 */
const changesToSend = async (store: Store, change: ApplianceChange): Promise<ChangesToSend | undefined> => {
  if (isReconnected(change)) {
    const delivery = String(change.after?.facts?.connectivity?.atMs);
    return { changes: await listOpenChanges(store, change.gatewayId), outcome: 'reconnected', delivery };
  }
  return isRequested(change) ? { changes: [change.after as OpenChange], outcome: 'sent', delivery: '' } : undefined;
};

/** An item of Appliances before and after a change, from the table's stream. */
type ApplianceChange = {
  readonly gatewayId: string;
  readonly sk: string;
  readonly before: Item | undefined;
  /** Undefined if the item was deleted. */
  readonly after: Item | undefined;
};

type Item = Readonly<Partial<Shadow>> & { readonly facts?: StoredFacts };

/** Returns the change in a record. Throws if an image is not in DynamoDB's format. */
const applianceChangeOf = (record: StreamRecord): ApplianceChange => {
  const { keys, before, after } = itemChangeOf(record);
  return { ...(keys as Pick<ApplianceChange, 'gatewayId' | 'sk'>), before, after };
};

/** Returns whether the record is a partner's requested change of the item. */
const isRequested = ({ before, after }: ApplianceChange): boolean =>
  after?.desired !== undefined && (after.version ?? 0) > (before?.version ?? 0);

/**
 * Returns whether the gateway has reported with this change that it is online: messages sent while it was offline may be
 * lost.
 */
const isReconnected = ({ before, after }: ApplianceChange): boolean =>
  after?.facts?.connectivity?.connectivity === 'online' &&
  after.facts.connectivity.atMs > (before?.facts?.connectivity?.atMs ?? 0);

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

/** As DynamoDB writes it: also of a record that cannot be read otherwise. */
const gatewayIdOf = ({ dynamodb }: StreamRecord): string | undefined =>
  (dynamodb?.Keys?.gatewayId as { readonly S?: string } | undefined)?.S;
