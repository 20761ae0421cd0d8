import type { RelayedChange } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { dropChange } from '../data/appliances/dropped-changes.ts';
import { listOpenChanges, type OpenChange } from '../data/appliances/open-since-index.ts';
import { readWhyEnded } from '../data/ended-changes.ts';
import type { Store } from '../data/store/store.ts';
import { itemChangeOf, type StreamRecord } from '../data/store/stream-record.ts';
import type { StoredFacts } from '../domain/gateway.ts';
import { newestOf } from '../domain/open-change.ts';
import type { FunctionEnvironment } from '../runtime/function-environment.ts';
import { faultFields, writeEvent } from '../runtime/log-lines.ts';
import type { FifoMessage, SendToQueue, StandardMessage } from '../runtime/senders.ts';
import { createSetRecordAside, type Done, isLasting } from '../runtime/set-aside.ts';
import { type ChangeToSend, requestedChangeMessage } from './requested-change-message.ts';

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
  const { outcome, delivery } = found;
  const changes = await withoutEnded(environment, found.changes);
  const faults: unknown[] = [];
  for (const open of changes)
    try {
      await environment.send('requestedChanges', requestedChangeMessage(open, delivery));
    } catch (error) {
      if (!isLasting(error)) throw error;
      faults.push(error);
    }
  if (faults.length > 0) throw faults[0];
  const dropped = found.changes.length - changes.length;
  const content = {
    level: 'INFO',
    operation,
    gatewayId,
    outcome,
    ...countsOf(changes),
    ...(dropped > 0 && { dropped }),
  } as const;
  writeEvent(environment, environment.processTimeMs(), content satisfies Content);
};

/**
 * Asks again for the permission of each change, immediately before it is sent, and returns those that may be sent. Drops what
 * the others ask for without permission, or what has expired: the stream then delivers the new version, with what is left of it.
 */
const withoutEnded = async (
  { store, setting, processTimeMs }: RelayEnvironment,
  changes: readonly ChangeToSend[],
): Promise<ChangeToSend[]> => {
  const open = changes.flatMap(openOnly);
  const nowMs = processTimeMs();
  const whyEnded = await readWhyEnded(
    store,
    { requiredConsentVersion: setting('requiredConsentVersion'), nowMs },
    open,
  );
  const outcomes = await Promise.all(
    open.map(async (each) => {
      const dropContext = { nowMs, operation, actorKey: null };
      return [each.sk, await dropChange(store, dropContext, each, whyEnded)] as const;
    }),
  );
  // An item that was changed meanwhile has a record of its own, which is delivered later.
  const isKept = new Map(outcomes.map(([sk, outcome]) => [sk, outcome === 'kept']));
  return changes.filter(({ sk }) => isKept.get(sk) ?? true);
};

const openOnly = (change: ChangeToSend): OpenChange[] =>
  change.desired && change.desiredBy ? [change as OpenChange] : [];

/** The changes that the backend gets because of a record, why, and what distinguishes this delivery from the first one. */
type ChangesToSend = {
  readonly changes: readonly ChangeToSend[];
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
  if (!isNewVersion(change)) return undefined;
  const { gatewayId, sk } = change;
  return { changes: [{ ...(change.after as ChangeToSend), gatewayId, sk }], outcome: 'sent', delivery: '' };
};

/** An item of Appliances before and after a change, from the table's stream. */
type ApplianceChange = {
  readonly gatewayId: string;
  readonly sk: string;
  readonly before: Item | undefined;
  /** Undefined if the item was deleted. */
  readonly after: Item | undefined;
};

type Item = Readonly<Partial<ChangeToSend>> & { readonly facts?: StoredFacts };

/** Returns the change in a record. Throws if an image is not in DynamoDB's format. */
const applianceChangeOf = (record: StreamRecord): ApplianceChange => {
  const { keys, before, after } = itemChangeOf(record);
  return { ...(keys as Pick<ApplianceChange, 'gatewayId' | 'sk'>), before, after };
};

/** Returns whether a partner has requested a change of the item, or something of a requested change was dropped. */
const isNewVersion = ({ before, after }: ApplianceChange): boolean =>
  (after?.desired ?? after?.lastDropped) !== undefined && (after?.version ?? 0) > (before?.version ?? 0);

/**
 * Returns whether the gateway has reported with this change that it is online: messages sent while it was offline may be
 * lost.
 */
const isReconnected = ({ before, after }: ApplianceChange): boolean =>
  after?.facts?.connectivity?.connectivity === 'online' &&
  after.facts.connectivity.atMs > (before?.facts?.connectivity?.atMs ?? 0);

/** The number of messages, and the newest request among them. */
const countsOf = (changes: readonly ChangeToSend[]) => {
  const newest = changes.toSorted((one, other) => other.version - one.version)[0];
  const requester = newest?.desiredBy && newestOf(newest.desiredBy);
  return {
    messages: changes.length,
    ...(newest && { version: newest.version }),
    ...(requester && { companyId: requester.companyId, requestId: requester.requestId }),
  };
};

/** As DynamoDB writes it: also of a record that cannot be read otherwise. */
const gatewayIdOf = ({ dynamodb }: StreamRecord): string | undefined =>
  (dynamodb?.Keys?.gatewayId as { readonly S?: string } | undefined)?.S;
