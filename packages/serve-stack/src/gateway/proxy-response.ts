import type { ApiResponse } from './api-response.ts';
import type { Header } from './exchange.ts';
import { GatewayError } from './gateway-error.ts';

type ProxyResponse = {
  readonly statusCode?: number | string;
  readonly headers?: Readonly<Record<string, string | boolean>> | null;
  readonly multiValueHeaders?: Readonly<Record<string, readonly (string | boolean)[]>> | null;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
};

const knownKeys = ['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded'];

/**
 * API Gateway keeps these for itself and passes them on under another name. It renames WWW-Authenticate too; that one is
 * left alone here, so that a challenge can be tested as its API promises it.
 */
const remappedHeaders = ['connection', 'content-length', 'date', 'server'];

/** Reads what a function returned; anything but the answer of a proxy integration is the function's mistake: 502. */
export const proxyResponse = (payload: string): ApiResponse => {
  const response: unknown = JSON.parse(payload);
  if (!isProxyResponse(response))
    throw new GatewayError('DEFAULT_5XX', { reason: 'what it returned is no answer of a Lambda proxy integration' });
  const headers = mergedHeaders(response).filter(([name]) => name.toLowerCase() !== 'transfer-encoding');
  const hasContentType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  return {
    status: Number(response.statusCode ?? 200),
    headers: [...(hasContentType ? [] : [['Content-Type', 'application/json'] as const]), ...headers.map(remapped)],
    body: response.body ?? '',
  };
};

const isProxyResponse = (value: unknown): value is ProxyResponse => {
  if (!isRecord(value) || !Object.keys(value).every((key) => knownKeys.includes(key))) return false;
  const { statusCode = 200, headers, multiValueHeaders, body } = value;
  return (
    /^[1-9]\d\d$/.test(String(statusCode)) &&
    (body == null || typeof body === 'string') &&
    (headers == null || (isRecord(headers) && Object.values(headers).every(isHeaderValue))) &&
    (multiValueHeaders == null ||
      (isRecord(multiValueHeaders) &&
        Object.values(multiValueHeaders).every((values) => Array.isArray(values) && values.every(isHeaderValue))))
  );
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isHeaderValue = (value: unknown) => typeof value === 'string' || typeof value === 'boolean';

/** A value that stands in both places counts once. */
const mergedHeaders = ({ headers, multiValueHeaders }: ProxyResponse): Header[] => {
  const many = Object.entries(multiValueHeaders ?? {}).flatMap(([name, values]) =>
    values.map((value): Header => [name, String(value)]),
  );
  const isAmongMany = ([name, value]: Header) =>
    many.some(([other, otherValue]) => other.toLowerCase() === name.toLowerCase() && otherValue === value);
  const single = Object.entries(headers ?? {}).map(([name, value]): Header => [name, String(value)]);
  return [...many, ...single.filter((header) => !isAmongMany(header))];
};

const remapped = ([name, value]: Header): Header =>
  remappedHeaders.includes(name.toLowerCase()) ? [`x-amzn-Remapped-${name}`, value] : [name, value];
