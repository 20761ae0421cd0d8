// If this module is missing, run `npm run generate`: it is not in git.
import { operations } from './generated/operations.ts';
import type { OperationId } from './operation-types.ts';

/** The parts of a request of any operation. */
export type RequestParts = {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string | number | undefined>>;
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
const segmentOf = (name: string, id: unknown): string => {
  const remedy = `Pass a ${name} that the API returned.`;
  const text = checkedText(name, id ?? '', remedy);
  if (/^\.{0,2}$|\s/.test(text)) throw new TypeError(`'${text}' is not a valid ${name} for the path. ${remedy}`);
  return encodeURIComponent(text);
};

const headersOf = (caller: Caller, operation: Operation, { headers, body }: RequestParts): Headers => {
  const sent = new Headers(
    present({
      'x-api-key': checkedApiKey(caller.apiKey),
      'x-user-id': userIdFor(caller, operation),
      'content-type': body === undefined ? undefined : 'application/json',
    }),
  );
  for (const [name, value] of Object.entries(headers ?? {}))
    if (isGiven(value)) sent.set(name, fieldOf(name.toLowerCase(), value));
  return sent;
};

/** Returns the value of a header. Throws TypeError, which does not quote it, if it is not valid. */
const fieldOf = (name: string, value: unknown): string => {
  // The number of a version is the content of its ETag.
  if (name === 'if-match' && typeof value === 'number') {
    if (Number.isSafeInteger(value) && value >= 0) return `"${value}"`;
    throw new TypeError(`The header if-match is ${value}. Expected the number of a version, which is at least 0.`);
  }
  const field = checkedText(`header ${name}`, value, 'Convert it to text.');
  if (/^[ -~]*$/.test(field)) return field;
  throw new TypeError(
    `The header ${name} contains characters that are not allowed in headers, for example a line break.`,
  );
};

const present = (values: Readonly<Record<string, unknown>>): [string, string][] =>
  Object.entries(values).flatMap(([name, value]) => (isGiven(value) ? [[name, `${value}`]] : []));

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Whether the URL has a host and a port to which requests can be sent, and nothing that the platform would change first. */
const isUrl = (url: string): boolean => {
  const [, authority = '', path = ''] = /^https:\/\/([^/]*)(.*)$/i.exec(url) ?? [];
  if (!URL.canParse(url)) return false;
  const { host, hostname, port, pathname } = new URL(url);
  const isName = hostname.split('.').every((label) => /^[\w-]{1,63}$/.test(label));
  const isHost = [host, `${host}:443`].includes(authority.toLowerCase()) && isName;
  return (isHost || /^\[[\da-f:.]+\](:\d+)?$/i.test(authority)) && port !== '0' && pathname === (path || '/');
};

/** Returns the URL without whitespace around it. Throws TypeError, which quotes no password and no key, if it is not valid. */
export const checkedBaseUrl = (baseUrl: unknown): string => {
  const url = checkedText('baseUrl', baseUrl, 'Is its environment variable set?').trim();
  const shown = /@|xHCSAPI_/.test(url) ? 'not shown' : `'${url}'`;
  if (!/^https:\/\//i.test(url))
    throw new TypeError(
      `The baseUrl is ${shown} and must begin with https://, because every request carries an API key.`,
    );
  if (!isUrl(url))
    throw new TypeError(
      `The baseUrl is ${shown} and is not a valid URL. Expected one such as https://api.example.com/v1 or https://localhost:8443/v1: without a user name, a query, a fragment or whitespace.`,
    );
  return url;
};

/** Returns the key. Throws TypeError if it is malformed; the platform's own error for such a header would quote the key. */
export const checkedApiKey = (apiKey: unknown): string => {
  const key = checkedText('apiKey', apiKey, 'Is its environment variable set?');
  if (/^[!-~]+$/.test(key)) return key;
  throw new TypeError('The apiKey is empty or contains invalid characters, for example a line break at its end.');
};

export const checkedUserId = (userId: unknown): string => {
  const user = checkedText('userId', userId, 'Pass a userId from listContracts.');
  if (/^[!-~]*$/.test(user)) return user;
  throw new TypeError(
    `The userId '${user}' contains invalid characters, for example a line break. Pass a userId from listContracts.`,
  );
};

export const checkedSeconds = (name: string, seconds: unknown, longest = Number.POSITIVE_INFINITY): number => {
  if (typeof seconds === 'number' && seconds >= 0 && seconds <= longest) return seconds;
  throw new TypeError(
    `The ${name} are '${seconds}'. Expected a number of seconds that is not negative, for a timeout at most a day.`,
  );
};

/** Returns the text. Throws TypeError, which does not quote another value, because it may be a key. */
const checkedText = (name: string, value: unknown, hint: string): string => {
  if (typeof value === 'string') return value;
  const shown = value === undefined || value === null ? `${value}` : `of type ${typeof value}`;
  throw new TypeError(`The ${name} is ${shown}. Expected text. ${hint}`);
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
