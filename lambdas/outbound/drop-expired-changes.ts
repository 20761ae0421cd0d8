import { expiryRunSeconds } from '../api/limits.ts';
import type { ExpiryEvent } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { dropChange } from '../data/appliances/dropped-changes.ts';
import { expiredChanges, openPartitions } from '../data/appliances/open-since-index.ts';
import { expiredAt } from '../domain/open-change.ts';
import type { FunctionEnvironment } from '../runtime/function-environment.ts';
import { faultFields, writeEvent } from '../runtime/log-lines.ts';

const operation = 'dropExpiredChanges';
type Content = EventContent<ExpiryEvent>;

/**
 * Drops what has expired of the requested changes of all gateways. It can run any number of times, also concurrently, and can
 * fail at any point: the next run continues. An item that cannot be dropped does not block the others, and neither does a
 * partition of the index that cannot be read. A change that the appliance confirmed or a partner replaced meanwhile stays.
 */
export const dropExpiredChanges = async (environment: FunctionEnvironment): Promise<void> => {
  const { store, processTimeMs } = environment;
  const nowMs = processTimeMs();
  const isLate = () => processTimeMs() >= nowMs + expiryRunSeconds * 1000;
  let dropped = 0;
  const failures: { readonly fault: unknown; readonly gatewayId?: string }[] = [];
  const dropIn = async (partition: string): Promise<void> => {
    for await (const changes of expiredChanges(store, partition, nowMs)) {
      for (const change of changes)
        try {
          const context = { nowMs, operation, actorKey: null };
          const outcome = await dropChange(store, context, change, (requester) => expiredAt(requester, nowMs));
          if (outcome === 'dropped') dropped += 1;
        } catch (fault) {
          failures.push({ fault, gatewayId: change.gatewayId });
        }
      if (isLate()) return;
    }
  };
  await Promise.all(
    openPartitions.map((each) => dropIn(each).catch((fault: unknown) => void failures.push({ fault }))),
  );
  const [first] = failures;
  const outcome =
    first === undefined
      ? ({ level: 'INFO' } as const)
      : ({ level: 'ERROR', AuditWriteFailures: 1, gatewayId: first.gatewayId, ...faultFields(first.fault) } as const);
  writeEvent(environment, nowMs, { operation, dropped, failed: failures.length, ...outcome } satisfies Content);
  if (first) throw first.fault;
};
