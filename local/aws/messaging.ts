import { startEventService } from './events/event-service.ts';
import type { AccessKeys } from './iam/access-keys.ts';
import { credentialsOfPrincipals } from './iam/outside-principals.ts';
import type { ServedMessaging } from './served-stack.ts';
import { type QueueService, startQueueService } from './sqs/queue-service.ts';
import type { StackVersion } from './stack-version.ts';
import type { TelemetryEmitter } from './telemetry.ts';
import type { Environment } from './template/environment.ts';

type Options = {
  readonly environment: Environment;
  readonly accessKeys: AccessKeys;
  readonly telemetry: TelemetryEmitter;
  /** Gives the version of the stack whose policies and buses count now; asked for the first time by a call. */
  readonly current: () => StackVersion;
  readonly onClose: (closer: () => unknown) => void;
};

/** Starts what queues and event buses are reached by, within the stack and from outside. */
export const openMessaging = async ({
  environment,
  accessKeys,
  telemetry: events,
  current,
  onClose,
}: Options): Promise<{ readonly queueService: QueueService; readonly served: ServedMessaging }> => {
  const policyOf = (arn: string) => current().resourcePolicies.get(arn);
  const queueService = await startQueueService({ environment, accessKeys, policyOf, events });
  onClose(queueService.close);
  const buses = () => current().background.buses;
  const eventService = await startEventService({ environment, accessKeys, buses, policyOf });
  onClose(eventService.close);
  return {
    queueService,
    served: {
      queueEndpoint: queueService.endpoint,
      queueUrls: () => Object.fromEntries(current().queues.map(({ constructName, url }) => [constructName, url])),
      eventEndpoint: eventService.endpoint,
      credentialsOf: credentialsOfPrincipals(environment, accessKeys),
    },
  };
};
