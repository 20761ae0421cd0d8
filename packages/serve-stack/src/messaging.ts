import { startEventService } from './events/event-service.ts';
import type { AccessKeys } from './iam/access-keys.ts';
import { credentialsOfPrincipals } from './iam/outside-principals.ts';
import { startMacService } from './kms/mac-service.ts';
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

/** Starts what queues, event buses and keys are reached by within the stack, the first two also from outside. */
export const openMessaging = async ({
  environment,
  accessKeys,
  telemetry: events,
  current,
  onClose,
}: Options): Promise<{
  readonly queueService: QueueService;
  readonly macEndpoint: string;
  readonly served: ServedMessaging;
}> => {
  const policyOf = (arn: string) => current().resourcePolicies.get(arn);
  const queueService = await startQueueService({ environment, accessKeys, policyOf, events });
  onClose(queueService.close);
  const buses = () => current().background.buses;
  const eventService = await startEventService({ environment, accessKeys, buses, policyOf });
  onClose(eventService.close);
  const macService = await startMacService({ environment, accessKeys, keys: () => current().macKeys });
  onClose(macService.close);
  return {
    queueService,
    macEndpoint: macService.endpoint,
    served: {
      queueEndpoint: queueService.endpoint,
      queueUrls: () => Object.fromEntries(current().queues.map(({ constructName, url }) => [constructName, url])),
      eventEndpoint: eventService.endpoint,
      credentialsOf: credentialsOfPrincipals(environment, accessKeys),
    },
  };
};
