import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { busVariable } from '../../api/environment.ts';
import { type BusName, eventSource } from '../../api/queues.ts';
import { maxAttempts, type RequestTimeouts } from '../store/store.ts';

/** What rules see of an event beyond its source. */
export type BusEvent = { readonly detailType: string; readonly detail: object };

/**
 * Resolves when the bus has all of the events. Throws what the SDK throws if the bus does not answer, and an error that
 * quotes EventBridge if it refuses one of them; it may have taken others then.
 */
export type PutOnBus = (bus: BusName, events: readonly BusEvent[]) => Promise<void>;

/** EventBridge takes so many events at once. */
const maxEntries = 10;

/** Puts events on the buses whose names stand in those variables. */
export const createBusSender = (
  variables: Readonly<Record<string, string | undefined>>,
  timeouts: RequestTimeouts,
): PutOnBus => {
  const client = new EventBridgeClient({ maxAttempts, requestHandler: { ...timeouts, throwOnRequestTimeout: true } });
  return async (bus, events) => {
    const variable = busVariable(bus);
    const busName = variables[variable];
    // Without a name, EventBridge would put the events on the default bus of the account.
    if (busName === undefined)
      throw new Error(`${variable} is not set. The stack sets it for every function whose row names the bus in buses.`);
    for (let first = 0; first < events.length; first += maxEntries)
      await putTogether(client, busName, events.slice(first, first + maxEntries));
  };
};

const putTogether = async (client: EventBridgeClient, busName: string, events: readonly BusEvent[]): Promise<void> => {
  const entries = events.map(({ detailType, detail }) => ({
    EventBusName: busName,
    Source: eventSource,
    DetailType: detailType,
    Detail: JSON.stringify(detail),
  }));
  const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: entries }));
  const refused = Entries.find(({ ErrorCode }) => ErrorCode !== undefined);
  if (refused)
    throw new Error(`The bus ${busName} has not taken all events: ${refused.ErrorCode}, ${refused.ErrorMessage}.`);
};
