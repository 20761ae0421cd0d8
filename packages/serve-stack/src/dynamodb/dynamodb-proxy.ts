import { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { UserFacingError } from '../errors.ts';
import { closeServer, createForwarder, listenerOf, listenOnLoopback } from '../host/servers.ts';
import { refusalMessage } from '../iam/access.ts';
import { type AccessKeys, createAccessKeys, type Principal } from '../iam/principals.ts';
import { defaultEnvironment, type Environment, tableIn } from '../template/stack.ts';
import { type Access, accessesOf, type StoreRequest } from './required-access.ts';

export type DynamoDbProxy = {
  readonly endpoint: string;
  /** Returns a new access key id that acts as the principal. */
  readonly issueAccessKeyId: AccessKeys['issue'];
  /** Applies the fault to all calls until another one, or `undefined`, is set. */
  readonly injectFault: (fault: StoreFault | undefined) => void;
  readonly close: () => Promise<void>;
};

type Options = {
  /** The account and region in the ARNs of tables, as in the roles' policies. */
  readonly environment?: Environment;
  readonly events?: Pick<EventEmitter<StoreEvents>, 'emit' | 'listenerCount'>;
  /** The access keys that this proxy shares with other services of the run. */
  readonly accessKeys?: AccessKeys;
};

/**
 * Starts a proxy between the functions and DynamoDB Local, which grants everyone everything. The proxy enforces the roles'
 * policies as IAM would. The access key id identifies the caller; signatures are not checked.
 */
export const startDynamoDbProxy = async (
  storeEndpoint: string,
  { environment = defaultEnvironment, events = new EventEmitter(), accessKeys = createAccessKeys() }: Options = {},
): Promise<DynamoDbProxy> => {
  const { forward, close: closeForwarder } = createForwarder();
  let fault: StoreFault | undefined;

  const serve = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const body = await buffer(incoming);
    const input: StoreRequest = JSON.parse(body.toString());
    const [, operation = ''] = String(incoming.headers['x-amz-target']).split('.');
    const accesses = accessesOf(environment, operation, input);
    const tables = tablesOf(accesses);
    if (isDown(fault, tables)) return incoming.socket.destroy();
    const refusal = refusalOf(accessKeys.principalOf(incoming), accesses);
    if (refusal) return refuse(answer, refusal);
    const isObserved = events.listenerCount('storeCall') > 0;
    const startedMs = performance.now();
    const delayMs = delayOf(fault, tables);
    if (delayMs > 0) await wait(delayMs);
    const response = await forward(storeEndpoint, incoming, isObserved ? askingForCapacity(input) : body, answer);
    if (isObserved)
      events.emit('storeCall', {
        operation,
        tables,
        status: response.status,
        latencyMs: performance.now() - startedMs,
        consumed: consumedUnitsOf(operation, response.body),
      });
    return answer.writeHead(response.status, response.rawHeaders).end(response.body);
  };

  const server = createServer(
    listenerOf(serve, (error, answer) => {
      if (error instanceof UserFacingError) refuse(answer, { code: 'ValidationException', message: error.message });
    }),
  );
  return {
    endpoint: `http://${await listenOnLoopback(server)}`,
    issueAccessKeyId: accessKeys.issue,
    injectFault: (next) => {
      fault = next;
    },
    close: async () => {
      await closeServer(server);
      closeForwarder();
    },
  };
};

type Refusal = { readonly code: string; readonly message: string };

const refusalOf = (principal: Principal | undefined, accesses: readonly Access[]): Refusal | undefined => {
  if (!principal)
    return { code: 'UnrecognizedClientException', message: 'The security token included in the request is invalid.' };
  for (const access of accesses) {
    const decision = principal.decide(access);
    if (decision !== 'allow')
      return {
        code: 'AccessDeniedException',
        message: refusalMessage(principal, access, {
          kind: 'identity-based',
          isExplicit: decision === 'explicit deny',
        }),
      };
  }
  return undefined;
};

const refuse = (answer: ServerResponse, { code, message }: Refusal) => {
  answer.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
  answer.end(JSON.stringify({ __type: `com.amazon.coral.service#${code}`, Message: message }));
};

/** A call to the store, as metrics record it. */
export type StoreCall = {
  /** `BatchGetItem` */
  readonly operation: string;
  /** Physical names, each once. */
  readonly tables: readonly string[];
  readonly status: number;
  readonly latencyMs: number;
  readonly consumed: readonly ConsumedUnits[];
};

/** Emitted when a call was answered. */
export type StoreEvents = { storeCall: [call: StoreCall] };

export type ConsumedUnits = { readonly table: string; readonly readUnits: number; readonly writeUnits: number };

const tablesOf = (accesses: readonly Access[]): string[] => [
  ...new Set(accesses.flatMap(({ resource }) => tableIn(resource) ?? [])),
];

/** Returns the body of the request with a request for the consumed capacity, unless the request already sets this parameter. */
const askingForCapacity = (input: StoreRequest): Buffer =>
  Buffer.from(JSON.stringify({ ReturnConsumedCapacity: 'TOTAL', ...input }));

type ConsumedCapacity = {
  readonly TableName: string;
  readonly CapacityUnits?: number;
  readonly ReadCapacityUnits?: number;
  readonly WriteCapacityUnits?: number;
};

const readOperations = ['BatchGetItem', 'GetItem', 'Query', 'Scan', 'TransactGetItems'];

/**
 * Returns the consumed units in an answer; a failed call has none. Only answers to transactions distinguish reads from writes.
 */
export const consumedUnitsOf = (operation: string, answer: Buffer): ConsumedUnits[] => {
  const { ConsumedCapacity = [] }: { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] } = JSON.parse(
    answer.toString() || '{}',
  );
  const isRead = readOperations.includes(operation);
  return [ConsumedCapacity].flat().map(({ TableName, CapacityUnits = 0, ReadCapacityUnits, WriteCapacityUnits }) => ({
    table: TableName,
    readUnits: ReadCapacityUnits ?? (isRead ? CapacityUnits : 0),
    writeUnits: WriteCapacityUnits ?? (isRead ? 0 : CapacityUnits),
  }));
};

/**
 * A fault that a preview or a test injects into the store: closed connections or late answers. With a table (its physical
 * name), the fault applies only to calls that use the table.
 */
export type StoreFault =
  | { readonly kind: 'down'; readonly table?: string }
  | { readonly kind: 'slow'; readonly table: string; readonly delayMs: number };

const isDown = (fault: StoreFault | undefined, tables: readonly string[]): boolean =>
  fault?.kind === 'down' && (fault.table === undefined || tables.includes(fault.table));

const delayOf = (fault: StoreFault | undefined, tables: readonly string[]): number =>
  fault?.kind === 'slow' && tables.includes(fault.table) ? fault.delayMs : 0;
