import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { closeServer, listenerOf, listenOnLoopback } from '../host/servers.ts';
import { compileResourcePolicy, type ResourcePolicy, refusalOfAccess } from '../iam/access.ts';
import type { PolicyDocument } from '../iam/policies.ts';
import type { AccessKeys } from '../iam/principals.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import { arnOf, type Environment, type Stack } from '../template/stack.ts';

type Options = {
  readonly environment: Environment;
  readonly accessKeys: AccessKeys;
  /** Returns the current buses. */
  readonly buses: () => ReadonlyMap<string, EventBus>;
  readonly policyOf: (busArn: string) => ResourcePolicy | undefined;
};

const maxEntries = 10;
const noPolicy: ResourcePolicy = () => 'implicit deny';

/** Serves PutEvents as EventBridge does: roles of the account and policies of the buses decide who may put which events. */
export const startEventService = async ({ environment, accessKeys, buses, policyOf }: Options) => {
  const refusalOf = (incoming: IncomingMessage, entries: readonly PutEventsEntry[]): Refusal | undefined => {
    const principal = accessKeys.principalOf(incoming);
    if (!principal) return ['UnrecognizedClientException', 'The security token included in the request is invalid.'];
    for (const { EventBusName = 'default', Source = '', DetailType = '' } of entries) {
      const resource = busArn(environment, EventBusName);
      const event = { source: Source, detailType: DetailType };
      const request = { action: 'events:PutEvents', resource, event, secureTransport: true };
      const owner = { policy: policyOf(resource) ?? noPolicy, accountId: environment.accountId };
      const refusal = refusalOfAccess(principal, request, owner);
      if (refusal) return ['AccessDeniedException', refusal];
    }
    return undefined;
  };

  const put = (entry: PutEventsEntry) => {
    const { EventBusName = 'default', Source = '', DetailType = '', Detail = '', Resources = [], Time } = entry;
    const bus = buses().get(busArn(environment, EventBusName));
    if (!bus)
      return { ErrorCode: 'ResourceNotFoundException', ErrorMessage: `Event bus ${EventBusName} does not exist.` };
    const error = errorOfEntry(entry);
    if (error) return error;
    const atMs = Time && Time * 1000;
    const event = { source: Source, detailType: DetailType, resources: Resources, detail: JSON.parse(Detail), atMs };
    return { EventId: bus.put(event) };
  };

  const serve = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const { Entries = [] } = (await json(incoming)) as { readonly Entries?: readonly PutEventsEntry[] };
    if (incoming.headers['x-amz-target'] !== 'AWSEvents.PutEvents')
      return respond(answer, 400, errorBody('InvalidAction', 'The local run knows only PutEvents of EventBridge.'));
    if (Entries.length < 1 || Entries.length > maxEntries)
      return respond(answer, 400, errorBody('ValidationException', `Entries holds 1 to ${maxEntries} events.`));
    const refusal = refusalOf(incoming, Entries);
    if (refusal) return respond(answer, 400, errorBody(...refusal));
    const results = Entries.map(put);
    const FailedEntryCount = results.filter((result) => 'ErrorCode' in result).length;
    return respond(answer, 200, { FailedEntryCount, Entries: results });
  };

  const server = createServer(listenerOf(serve));
  return { endpoint: `http://${await listenOnLoopback(server)}`, close: () => closeServer(server) };
};

type Refusal = readonly [code: string, message: string];

const errorBody = (code: string, message: string) => ({ __type: code, message });

const respond = (answer: ServerResponse, status: number, body: object) =>
  answer.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));

/** An entry of PutEvents. */
type PutEventsEntry = {
  readonly EventBusName?: string;
  readonly Source?: string;
  readonly DetailType?: string;
  /** JSON of an object. */
  readonly Detail?: string;
  readonly Resources?: readonly string[];
  /** In seconds. */
  readonly Time?: number;
};

/** Returns EventBridge's error for an invalid entry. The other entries of the request are put nevertheless. */
const errorOfEntry = ({ Source, DetailType, Detail }: PutEventsEntry) => {
  for (const [name, value] of Object.entries({ Source, DetailType, Detail }))
    if (!value)
      return error('InvalidArgument', `Parameter ${name} is not valid. Reason: ${name} is a required argument.`);
  if (Source?.startsWith('aws.')) return error('NotAuthorizedForSourceException', 'Not authorized for the source.');
  return isObject(Detail) ? undefined : error('MalformedDetail', 'Detail is malformed.');
};

const error = (ErrorCode: string, ErrorMessage: string) => ({ ErrorCode, ErrorMessage });

const isObject = (text = ''): boolean => {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

type BusPolicyProperties = {
  readonly EventBusName?: string;
  readonly Statement: PolicyDocument['Statement'];
};

const knownProperties = ['EventBusName', 'Statement', 'StatementId'];

/** Compiles the policies of buses, by the ARN of each bus that has one. */
export const compileBusPolicies = (
  { template, environment }: Stack,
  resolve: Resolve,
): ReadonlyMap<string, ResourcePolicy> => {
  const policies = readResources<BusPolicyProperties>(
    template,
    resolve,
    'AWS::Events::EventBusPolicy',
    knownProperties,
  ).map(({ EventBusName = 'default', Statement }) => ({ arn: busArn(environment, EventBusName), Statement }));
  return new Map(
    policies.map(({ arn }) => [
      arn,
      compileResourcePolicy(
        policies.filter((each) => each.arn === arn).map(({ Statement }) => ({ Statement })),
        environment.accountId,
      ),
    ]),
  );
};

export type BusEvent = {
  readonly source: string;
  readonly detailType: string;
  readonly resources?: readonly string[];
  readonly detail: unknown;
  /** The time of the event; now by default. */
  readonly atMs?: number | undefined;
};

/** Puts an event and returns its id. The caller does not learn of its deliveries. */
export type EventBus = { readonly put: (event: BusEvent) => string };

export type BusEnvelope = ReturnType<typeof envelope>;

/** Returns an event in the envelope in which EventBridge delivers it. */
export const envelope = (
  { accountId, region }: Environment,
  { source, detailType, resources = [], detail, atMs = Date.now() }: BusEvent,
) => ({
  version: '0',
  id: randomUUID(),
  'detail-type': detailType,
  source,
  account: accountId,
  // Whole seconds.
  time: new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z'),
  region,
  resources,
  detail,
});

/** Every account has a bus of this name. */
const defaultBus = 'default';

export const busArn = (environment: Environment, nameOrArn: string): string =>
  nameOrArn.startsWith('arn:') ? nameOrArn : arnOf(environment, 'events', `event-bus/${nameOrArn}`);

/** Creates the event buses, by ARN. Each event that is put on a bus is logged as a line and passed to the rules. */
export const createEventBuses = (
  { template, environment }: Stack,
  resolve: Resolve,
  {
    log,
    sendToRules,
  }: { readonly log: (line: string) => void; readonly sendToRules: (busArn: string, event: BusEnvelope) => void },
): ReadonlyMap<string, EventBus> => {
  const known = ['Description', 'Name', 'Tags'];
  const own = readResources(template, resolve, 'AWS::Events::EventBus', known).map(({ logicalId }) =>
    resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] }),
  );
  return new Map(
    [busArn(environment, defaultBus), ...own].map((arn) => [
      arn,
      {
        put: (event) => {
          const enveloped = envelope(environment, event);
          log(JSON.stringify(enveloped));
          sendToRules(arn, enveloped);
          return enveloped.id;
        },
      },
    ]),
  );
};
