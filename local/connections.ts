import { resolve } from 'node:path';
import { WAFV2Client } from '@aws-sdk/client-wafv2';
import { type ServedStack, UserFacingError } from 'serve-stack';
import { replaceFile } from 'serve-stack/host';
import { resourcesOf } from 'serve-stack/template';
import type { StageConfig } from '../config/schema.ts';
import type { QueueName } from '../lambdas/api/queues.ts';
import { listCompanies } from '../lambdas/data/contracts/companies.ts';
import type { Store } from '../lambdas/data/store/store.ts';
import { ipSetsOf } from '../operator/connection/ip-sets.ts';
import type { BackendConnection } from './demo/appliances/backend-queues.ts';

/** The endpoint, bus and credentials that the portal uses. */
type PortalConnection = Pick<BackendConnection, 'endpoint' | 'accessKeyId' | 'secretAccessKey'> & {
  readonly eventBusName: string;
};

/** Endpoints and credentials for the maker's other systems: the content of `integrations.json`. */
export type NeighbourConnections = {
  readonly region: string;
  readonly portal: PortalConnection;
  readonly gatewayBackend: Omit<BackendConnection, 'region'>;
};

/**
 * Returns the neighbours' connections, with credentials for the principals that the configuration names. The stack's
 * policies decide what these principals may do.
 */
export const connectNeighbours = (served: ServedStack, { neighbours }: StageConfig): NeighbourConnections => {
  const { queueEndpoint, eventEndpoint, queueUrls, portalBus } = operatorMessagingOf(served);
  const credentialsOf = (principals: readonly string[] = []) => {
    if (principals[0] !== undefined) return served.messaging.credentialsOf(principals[0]);
    throw new UserFacingError('The configuration names no neighbours; add them to config/local.json.');
  };
  const queue = (name: QueueName) => found(queueUrls[`IntegrationsQueues${name}Queue`], `queue ${name}`);
  return {
    region: served.version().stack.environment.region,
    portal: {
      endpoint: eventEndpoint,
      eventBusName: found(portalBus, 'bus of the portal'),
      ...credentialsOf(neighbours?.portalPrincipals),
    },
    gatewayBackend: {
      endpoint: queueEndpoint,
      ...credentialsOf(neighbours?.gatewayBackendPrincipals),
      gatewayReports: queue('gatewayReports'),
      requestedChanges: queue('requestedChanges'),
    },
  };
};

const found = (address: string | undefined, what: string): string => {
  if (address !== undefined) return address;
  throw new UserFacingError(`The template has no ${what}, which infra/integrations declares.`);
};

/** Returns how the operator CLI reaches the store, the queues and the bus of this run: the content of `operator.json`. */
export const connectOperator = (served: ServedStack) => {
  const { version, tables, logsDirectory, baseUrl, caFile } = served;
  const { stack, api } = version();
  return {
    stackName: stack.name,
    dynamoDbEndpoint: tables.endpoint,
    region: stack.environment.region,
    tables: tables.names,
    logsDirectory: resolve(logsDirectory),
    policy: api.policy,
    baseUrl,
    caFile: resolve(caFile),
    messaging: operatorMessagingOf(served),
  };
};

/**
 * Returns the endpoints, names and ARNs of queues, portal bus, logs, IP sets and MAC keys, with the account owner's
 * credentials. Queues and MAC keys are listed by logical id without its hash.
 */
export const operatorMessagingOf = ({ version, messaging }: ServedStack) => {
  const { stack, resolve: resolveIn } = version();
  const idsOf = (type: string) =>
    Object.fromEntries(
      resourcesOf(stack.template, type).map(({ logicalId }) => [
        nameOf(logicalId),
        resolveIn<string>({ Ref: logicalId }),
      ]),
    );
  const { queueEndpoint, eventEndpoint, logEndpoint, ipSetEndpoint, macEndpoint, credentialsOf } = messaging;
  const arnOf = (logicalId: string) => resolveIn<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] });
  return {
    queueEndpoint,
    eventEndpoint,
    logEndpoint,
    requestLog: found(idsOf('AWS::Logs::LogGroup').RequestLog, 'log of requests'),
    accessLog: found(idsOf('AWS::Logs::LogGroup').AccessLog, 'log of accesses'),
    consumerLog: found(idsOf('AWS::Logs::LogGroup').ConsumerLog, 'log of consumers'),
    ipSetEndpoint,
    ipSets: Object.values(idsOf('AWS::WAFv2::IPSet')),
    macEndpoint,
    macKeys: Object.fromEntries(
      resourcesOf(stack.template, 'AWS::KMS::Key').map(({ logicalId }) => [nameOf(logicalId), arnOf(logicalId)]),
    ),
    queueUrls: idsOf('AWS::SQS::Queue'),
    portalBus: idsOf('AWS::Events::EventBus').IntegrationsPortalBus,
    credentials: credentialsOf(),
  };
};

/** Strips the hash from a logical id. */
const nameOf = (logicalId: string): string => logicalId.replace(/[0-9A-F]{8}$/, '');

/**
 * Adds the addresses of all stored companies to the IP sets, where AWS WAF has the allowlist. The operator CLI does the
 * same when it registers a company.
 */
export const admitCompanies = async (served: ServedStack, store: Store): Promise<void> => {
  const { ipSetEndpoint: endpoint, ipSets: physicalIds, credentials } = operatorMessagingOf(served);
  const { region } = served.version().stack.environment;
  const ipSets = ipSetsOf(new WAFV2Client({ endpoint, region, credentials }), physicalIds);
  const companies = await listCompanies(store);
  await ipSets?.add([...new Set(companies.flatMap(({ allowedCidrs }) => allowedCidrs))]);
  ipSets?.close();
};

/** Writes a JSON file with mode 0600: only its owner can read it. */
export const writePrivately = (file: string, content: unknown): void =>
  replaceFile(file, `${JSON.stringify(content, null, 2)}\n`, 0o600);
