import type { Operation } from './operation.ts';

/** What a call brings, of whatever operation. */
export type RequestParts = {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
};

/** A request as fetch takes it, for one sending or several. */
export type Prepared = { readonly url: string; readonly init: RequestInit; readonly isRepeatable: boolean };

export type Caller = { readonly baseUrl: string; readonly apiKey: string; readonly userId: string | undefined };

/** Throws a TypeError where the call is wrong, and never quotes a key. */
export const prepareRequest = (caller: Caller, operation: Operation, parts: RequestParts): Prepared => {
  const { method } = operation;
  const headers = headersOf(caller, operation, parts);
  const body = parts.body === undefined ? null : JSON.stringify(parts.body);
  return {
    url: urlOf(caller.baseUrl, operation, parts),
    // Followed, a redirect would take the key elsewhere.
    init: { method, headers, body, redirect: 'manual' },
    // Sent again without knowing what became of it: it only reads, or the service knows the repeat as one.
    isRepeatable: method === 'GET' || headers.has('idempotency-key'),
  };
};

const urlOf = (baseUrl: string, operation: Operation, { path, query = {} }: RequestParts): string => {
  const route = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => segmentOf(name, path?.[name]));
  const url = baseUrl.replace(/\/$/, '') + route;
  const search = new URLSearchParams(present(query)).toString();
  return search === '' ? url : `${url}?${search}`;
};

/** An id that is empty or nothing but dots would lead to another path. */
const segmentOf = (name: string, id: string | undefined): string => {
  if (id === undefined || /^\.{0,2}$/.test(id))
    throw new TypeError(`The path needs a ${name}, and '${id ?? ''}' is none. Take one that the API has listed.`);
  return encodeURIComponent(id);
};

const headersOf = (caller: Caller, { needsUserId }: Operation, { headers, body }: RequestParts): Headers =>
  new Headers(
    present({
      'x-api-key': checkedApiKey(caller.apiKey),
      'x-user-id': needsUserId ? requiredUserId(caller.userId) : undefined,
      'content-type': body === undefined ? undefined : 'application/json',
      ...headers,
    }),
  );

const present = (values: Readonly<Record<string, string | number | undefined>>): [string, string][] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]]));

/** The platform's own complaint about a header would quote the key. */
export const checkedApiKey = (apiKey: string): string => {
  if (!/^[!-~]+$/.test(apiKey))
    throw new TypeError('The apiKey is empty or has characters that no key has: a line break at its end, perhaps.');
  return apiKey;
};

const requiredUserId = (userId: string | undefined): string => {
  if (userId) return userId;
  throw new TypeError(
    'The operation acts for an owner: give the userId that getContract shows to createPartnerClient.',
  );
};
