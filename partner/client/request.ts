// If this module is missing, run `npm run generate`: it is not in git.
import { operations } from './generated/operations.ts';
import type { OperationId } from './operation-types.ts';

/** The parts of a request of any operation. */
export type RequestParts = {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
};

/** A request in the form that fetch accepts. It may be sent several times. */
export type Prepared = { readonly url: string; readonly init: RequestInit; readonly isRepeatable: boolean };

export type Caller = { readonly baseUrl: string; readonly apiKey: string; readonly userId: string | undefined };

/** Prepares a request. Throws TypeError, which never quotes a key, if an argument is invalid. */
export const prepareRequest = (caller: Caller, operation: Operation, parts: RequestParts): Prepared => {
  const { method } = operation;
  const headers = headersOf(caller, operation, parts);
  const body = parts.body === undefined ? null : JSON.stringify(parts.body);
  return {
    url: urlOf(caller.baseUrl, operation, parts),
    // Following a redirect would send the key elsewhere.
    init: { method, headers, body, redirect: 'manual' },
    // Safe to retry without knowing the outcome: a GET only reads, and the service recognizes a repeated Idempotency-Key.
    isRepeatable: method === 'GET' || headers.has('idempotency-key'),
  };
};

const urlOf = (baseUrl: string, operation: Operation, { path, query = {} }: RequestParts): string => {
  const route = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => segmentOf(name, path?.[name]));
  const url = baseUrl.replace(/\/$/, '') + route;
  const search = new URLSearchParams(present(query)).toString();
  return search === '' ? url : `${url}?${search}`;
};

/** Returns an id encoded for a path. Throws TypeError for an empty id, `.` or `..`, because they would lead to another path. */
const segmentOf = (name: string, id: string | undefined): string => {
  if (id === undefined || /^\.{0,2}$/.test(id))
    throw new TypeError(`'${id ?? ''}' is not a valid ${name} for the path. Pass a ${name} that the API returned.`);
  return encodeURIComponent(id);
};

const headersOf = (caller: Caller, operation: Operation, { headers, body }: RequestParts): Headers =>
  new Headers(
    present({
      'x-api-key': checkedApiKey(caller.apiKey),
      'x-user-id': userIdFor(caller, operation),
      'content-type': body === undefined ? undefined : 'application/json',
      ...headers,
    }),
  );

const present = (values: Readonly<Record<string, string | number | undefined>>): [string, string][] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]]));

/** Returns the key. Throws TypeError if it is malformed; the platform's own error for such a header would quote the key. */
export const checkedApiKey = (apiKey: string): string => {
  if (!/^[!-~]+$/.test(apiKey))
    throw new TypeError('The apiKey is empty or contains invalid characters, for example a line break at its end.');
  return apiKey;
};

const userIdFor = ({ userId }: Caller, { takesUserId, needsUserId }: Operation): string | undefined => {
  if (takesUserId && userId) return userId;
  if (!needsUserId) return undefined;
  throw new TypeError(
    'The operation acts for an owner: pass a userId from listContracts to createPartnerClient or forOwner.',
  );
};

/** The data about an operation that the client needs at run time. */
export type Operation = {
  readonly method: string;
  /** The path after the base URL, with id names in braces: `/hvacs/{gatewayId}`. */
  readonly path: string;
  /** Whether the operation accepts, and whether it requires, `x-user-id`. */
  readonly takesUserId: boolean;
  readonly needsUserId: boolean;
  readonly successStatus: number;
  readonly problemCodes: readonly string[];
};

export const operationOf = (operationId: OperationId): Operation => {
  if (Object.hasOwn(operations, operationId)) return operations[operationId];
  throw new TypeError(`Unknown operation ${operationId}. Pass an operationId of the API document.`);
};
