import type { StageConfig } from '../config/schema.ts';
import type { QueueName } from '../lambdas/api/queues.ts';
import { UserFacingError } from './aws/errors/user-facing-error.ts';
import type { ServedStack } from './aws/served-stack.ts';
import { resourcesOf } from './aws/template/template.ts';
import type { BackendConnection } from './demo/appliances/backend-queues.ts';

/** Tells the portal where its bus is, and as whom it asks. */
type PortalConnection = Pick<BackendConnection, 'endpoint' | 'accessKeyId' | 'secretAccessKey'> & {
  readonly eventBusName: string;
};

/** What the maker's other systems need to reach the service of this run: the content of `seams.json`. */
export type NeighbourConnections = {
  readonly region: string;
  readonly portal: PortalConnection;
  readonly gatewayBackend: Omit<BackendConnection, 'region'>;
};

/** Gives the neighbours keys for the principals that the configuration names. Policies decide what these may do. */
export const connectNeighbours = (served: ServedStack, { neighbours }: StageConfig): NeighbourConnections => {
  const { messaging } = served;
  const credentialsOf = (principals: readonly string[] = []) => {
    if (principals[0] !== undefined) return messaging.credentialsOf(principals[0]);
    throw new UserFacingError('The configuration names no neighbours; add them to config/local.json.');
  };
  return {
    region: served.version().stack.environment.region,
    portal: {
      endpoint: messaging.eventEndpoint,
      eventBusName: portalBusOf(served),
      ...credentialsOf(neighbours?.portalPrincipals),
    },
    gatewayBackend: {
      endpoint: messaging.queueEndpoint,
      ...credentialsOf(neighbours?.gatewayBackendPrincipals),
      gatewayReports: queueUrlOf(served, 'gatewayReports'),
      requestedChanges: queueUrlOf(served, 'requestedChanges'),
    },
  };
};

/** The stack has a construct of each queue's name, and its dead letters beside it. */
const queueUrlOf = ({ messaging }: ServedStack, name: QueueName): string => {
  const url = messaging.queueUrls()[`${name}-Queue`];
  if (url !== undefined) return url;
  throw new UserFacingError(`The template has no queue ${name}, which lambdas/api/queues.ts declares.`);
};

const portalBusOf = (served: ServedStack): string => {
  const { stack, resolve } = served.version();
  const bus = resourcesOf(stack.template, 'AWS::Events::EventBus').find(({ Metadata }) =>
    String(Metadata?.['aws:cdk:path']).endsWith('/Portal/Bus/Resource'),
  );
  if (bus) return resolve({ Ref: bus.logicalId });
  throw new UserFacingError('The template has no event bus of the portal, which infra/seams declares.');
};
