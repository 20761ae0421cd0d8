import { type AccessKeys, credentialsOfPrincipals } from './iam/principals.ts';
import type { ServedMessaging } from './served-stack.ts';
import { startEventService } from './services/event-service.ts';
import { startIpSetService } from './services/ip-set-service.ts';
import { startLogService } from './services/log-service.ts';
import { startMacService } from './services/mac-service.ts';
import { type QueueService, startQueueService } from './services/queue-service.ts';
import type { StackVersion, TelemetryEmitter } from './stack-version.ts';
import type { Environment } from './template/stack.ts';

type Options = {
  readonly environment: Environment;
  readonly accessKeys: AccessKeys;
  readonly telemetry: TelemetryEmitter;
  readonly logsDirectory: string;
  /** Returns the version of the stack whose policies and buses apply now. It is first called by a request to a service. */
  readonly current: () => StackVersion;
  readonly onClose: (closer: () => unknown) => void;
};

/** Starts the services for queues, event buses, keys, logs and IP sets, for the stack and for clients outside it. */
export const openMessaging = async ({
  environment,
  accessKeys,
  telemetry: events,
  logsDirectory,
  current,
  onClose,
}: Options): Promise<{
  readonly queueService: QueueService;
  readonly macEndpoint: string;
  readonly logEndpoint: string;
  readonly ipSets: Awaited<ReturnType<typeof startIpSetService>>;
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
  const destinations = () => current().logDestinations;
  const logService = await startLogService({ environment, accessKeys, logsDirectory, destinations });
  onClose(logService.close);
  const ipSets = await startIpSetService({ environment, accessKeys });
  onClose(ipSets.close);
  return {
    queueService,
    macEndpoint: macService.endpoint,
    logEndpoint: logService.endpoint,
    ipSets,
    served: {
      queueEndpoint: queueService.endpoint,
      queueUrls: () => Object.fromEntries(current().queues.map(({ constructName, url }) => [constructName, url])),
      eventEndpoint: eventService.endpoint,
      logEndpoint: logService.endpoint,
      ipSetEndpoint: ipSets.endpoint,
      macEndpoint: macService.endpoint,
      credentialsOf: credentialsOfPrincipals(environment, accessKeys),
    },
  };
};
