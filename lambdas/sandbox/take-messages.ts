import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { fulfilAfterMs } from '../../simulator/simulated-appliance.ts';
import { type RequestedChangeEvent, requestedChangeType } from '../api/requested-change.ts';
import { parseJson } from '../domain/encoding.ts';
import { type ControlMessage, performControl, readControl } from './controls.ts';
import type { SandboxEnvironment } from './environment.ts';
import { type Cause, changeHome, logHome } from './simulate-homes.ts';

/**
 * Takes messages of a queue: changes that partners request, or controls that operators send. Those of different homes are
 * processed concurrently, those of one home in their order. Returns the messages that are received again: after a failure, also
 * the later ones of the same home, because a FIFO queue would lose their order.
 */
export const takeSandboxMessages = async (
  environment: SandboxEnvironment,
  records: readonly SQSRecord[],
): Promise<SQSBatchResponse> => {
  const messages = records.map(readMessage);
  for (const { gatewayId } of messages) if (gatewayId === undefined) logHome(environment, { outcome: 'unreadable' });
  const failures = await Promise.all(
    [...Map.groupBy(messages, ({ gatewayId }) => gatewayId)].map(async ([gatewayId, ofHome]) => {
      if (gatewayId === undefined) return [];
      const left = causesOf(environment, ofHome);
      try {
        for (let [next] = left; next; [next] = left) {
          await changeHome(environment, gatewayId, next.cause);
          left.shift();
        }
      } catch {
        // The log line of the home has the error.
      }
      return left.flatMap(({ messageIds }) => messageIds.map((itemIdentifier) => ({ itemIdentifier })));
    }),
  );
  return { batchItemFailures: failures.flat() };
};

/** A message of one of the two queues; one without a gateway is unreadable, and no retry fixes it. */
type Message = {
  readonly messageId: string;
  readonly gatewayId?: string | undefined;
  readonly change?: RequestedChangeEvent;
  readonly control?: ControlMessage;
};

const readMessage = ({ messageId, body }: SQSRecord): Message => {
  const message = parseJson(body);
  const { type, subject } = Object(message) as Partial<RequestedChangeEvent>;
  // The service itself has written the rest of the event.
  if (type === requestedChangeType && subject !== undefined)
    return { messageId, gatewayId: subject, change: message as RequestedChangeEvent };
  const control = readControl(message);
  return { messageId, ...(control && { gatewayId: control.gatewayId, control }) };
};

type Task = { readonly cause: Cause; readonly messageIds: readonly string[] };

/** All changes of a home are one cause, so that the appliance needs its time only once. */
const causesOf = (environment: SandboxEnvironment, messages: readonly Message[]): Task[] => {
  const changes = messages.flatMap(({ change }) => change ?? []);
  const idsOfChanges = messages.flatMap(({ change, messageId }) => (change ? [messageId] : []));
  return [
    ...(changes.length > 0 ? [{ cause: causeOfChanges(environment, changes), messageIds: idsOfChanges }] : []),
    ...messages.flatMap(({ control, messageId }) =>
      control ? [{ cause: causeOfControl(environment, control), messageIds: [messageId] }] : [],
    ),
  ];
};

/** Waits as long as an appliance takes to apply a change: a partner sees it pending for a moment, as with a real appliance. */
const causeOfChanges = (
  { wait, processTimeMs }: SandboxEnvironment,
  changes: readonly RequestedChangeEvent[],
): Cause => ({
  act: async (appliance) => {
    for (const change of changes) appliance.receive(change, processTimeMs());
    if (!appliance.state.isOffline) await wait(fulfilAfterMs);
    return [];
  },
});

const causeOfControl = ({ processTimeMs, setting }: SandboxEnvironment, message: ControlMessage): Cause => ({
  control: message.control,
  act: async (appliance, home) =>
    performControl(message, home, appliance, {
      // A millisecond earlier than the step that follows, so that what changes in the step is newer.
      nowMs: processTimeMs() - 1,
      requiredConsentVersion: setting('requiredConsentVersion'),
    }),
});
