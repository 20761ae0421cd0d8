import type { RelayedChange } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { listOpenChanges, type OpenChange, requestedChangeMessage } from '../data/appliances/open-changes.ts';
import { writeEvent } from '../data/event-log.ts';
import type { FunctionEnvironment } from '../data/function-environment.ts';
import { type ItemChange, isReconnected, isRequested } from './changes-to-send.ts';
import type { SendToQueue } from '../data/senders.ts';
import { faultFields } from '../domain/log-fields.ts';

export type RelayEnvironment = Pick<FunctionEnvironment, 'store' | 'setting' | 'log' | 'processTimeMs'> & {
  readonly sendToQueue: SendToQueue;
};

type Content = EventContent<RelayedChange>;

const operation = 'relayRequestedChanges';

/**
 * Sends the backend what a change of an item asks for: a change that was requested, or all open ones of a gateway that is
 * online again. Messages of a gateway are sent one after the other, so that their order is that of the versions. Throws if
 * one could not be sent.
 */
export const relay = async (environment: RelayEnvironment, change: ItemChange): Promise<void> => {
  const { gatewayId } = change;
  const isAgain = isReconnected(change);
  if (!isAgain && !isRequested(change)) return;
  const nowMs = environment.processTimeMs();
  try {
    const changes = isAgain ? await listOpenChanges(environment.store, gatewayId) : [change.after as OpenChange];
    const delivery = isAgain ? String(change.after?.facts?.connectivity?.atMs) : '';
    for (const open of changes)
      await environment.sendToQueue('requestedChanges', requestedChangeMessage({ ...open, gatewayId }, delivery));
    const outcome = isAgain ? ('reconnected' as const) : ('sent' as const);
    writeEvent(environment, nowMs, {
      level: 'INFO',
      operation,
      gatewayId,
      outcome,
      ...newestOf(changes),
    } satisfies Content);
  } catch (error) {
    const fault = { level: 'ERROR', operation, gatewayId, messages: 0, outcome: 'failed' } as const;
    writeEvent(environment, nowMs, { ...fault, ...faultFields(error) } satisfies Content);
    throw error;
  }
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
