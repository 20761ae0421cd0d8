import { UserFacingError } from '../errors/user-facing-error.ts';
import { apiId } from '../template/resource-attributes.ts';
import type { Exchange } from './exchange.ts';
import { headerOf } from './exchange.ts';

type Variable = (exchange: Exchange) => string | number | undefined;

/** API Gateway's `$context` variables, as far as a template may use them here. */
const variables: Readonly<Record<string, Variable>> = {
  accountId: ({ request }) => request.accountId,
  apiId: () => apiId,
  cipherSuite: ({ request }) => request.tls?.cipherSuite,
  domainName: ({ request }) => domainNameOf(request.headers),
  'error.message': ({ error }) => error?.message,
  'error.messageString': ({ error }) => error && JSON.stringify(error.message),
  'error.responseType': ({ error }) => error?.type,
  extendedRequestId: ({ request }) => request.extendedRequestId,
  httpMethod: ({ request }) => request.httpMethod,
  'identity.sourceIp': ({ request }) => request.sourceIp,
  'identity.userAgent': ({ request }) => headerOf(request.headers, 'user-agent'),
  integrationLatency: ({ integration }) => integration?.latencyMs,
  integrationStatus: ({ integration }) => integration?.status,
  path: ({ request }) => requestPath(request),
  protocol: ({ request }) => request.protocol,
  requestId: ({ request }) => request.requestId,
  requestTime: ({ request }) => toCommonLogTime(request.arrivedAtMs),
  requestTimeEpoch: ({ request }) => request.arrivedAtMs,
  resourceId: ({ resourceId }) => resourceId,
  resourcePath: ({ resourcePath }) => resourcePath,
  responseLatency: ({ answered }) => answered?.latencyMs,
  responseLength: ({ answered }) => answered?.lengthBytes,
  stage: ({ request }) => request.stage,
  status: ({ answered }) => answered?.status,
  tlsVersion: ({ request }) => request.tls?.version,
};

/** Finds how to read `'context.requestId'` from an exchange; unknown names are an error. */
export const compileVariable = (name: string): Variable => {
  const variable = variables[name.replace(/^context\./, '')];
  if (variable && name.startsWith('context.')) return variable;
  throw new UserFacingError(`The local run does not know the variable $${name}.`);
};

/** Compiles a text with `$context.…` in it; what has no value is a dash. */
export const compileTemplate = (template: string): ((exchange: Exchange) => string) => {
  const parts = template.split(/\$(\w+(?:\.\w+)*)/).map((part, index) => (index % 2 ? compileVariable(part) : part));
  return (exchange) => parts.map((part) => (typeof part === 'string' ? part : (part(exchange) ?? '-'))).join('');
};

export const requestPath = ({ stage, path }: Exchange['request']): string => `/${stage}${path}`;

export const domainNameOf = (headers: Exchange['request']['headers']): string =>
  (headerOf(headers, 'host') ?? '').replace(/:\d+$/, '');

/** `09/Apr/2026:12:34:56 +0000` */
export const toCommonLogTime = (epochMs: number): string => {
  const [, day, month, year, time] = new Date(epochMs).toUTCString().match(/(\d+) (\w+) (\d+) ([\d:]+)/) ?? [];
  return `${day}/${month}/${year}:${time} +0000`;
};
