import { requireKnown, UserFacingError } from '../errors.ts';
import { apiId } from '../template/intrinsics.ts';
import { type ApiResponse, type Exchange, type GatewayError, type Header, headerOf } from './exchange.ts';

/** The properties of an `AWS::ApiGateway::GatewayResponse`, with intrinsic functions resolved. */
export type GatewayResponseProperties = {
  readonly ResponseType: string;
  readonly StatusCode?: string;
  readonly ResponseParameters?: Readonly<Record<string, string>>;
  readonly ResponseTemplates?: Readonly<Record<string, string>>;
};

const knownProperties = ['ResponseType', 'StatusCode', 'ResponseParameters', 'ResponseTemplates', 'RestApiId'];
const mediaType = 'application/json';
const headerPrefix = 'gatewayresponse.header.';

/** Compiles API Gateway's own responses, with the customizations of the template. */
export const compileGatewayResponses = (responses: readonly GatewayResponseProperties[]) => {
  const customized = new Map(responses.map((response) => [response.ResponseType, compileResponse(response)]));
  const uncustomized = compileResponse({ ResponseType: 'uncustomized' });

  return (error: GatewayError, exchange: Exchange): ApiResponse => {
    if (error.type === 'REQUEST_TOO_LARGE') return tooLarge(error);
    const family = error.status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
    const render = customized.get(error.type) ?? customized.get(family) ?? uncustomized;
    return render(error, exchange);
  };
};

/** API Gateway accepts a customized response for this type, but answers with its own text, as plain text. */
const tooLarge = ({ status, message }: GatewayError): ApiResponse => ({
  status,
  headers: [['Content-Type', 'text/plain']],
  body: message,
});

const compileResponse = (response: GatewayResponseProperties) => {
  const { ResponseType, StatusCode, ResponseParameters = {}, ResponseTemplates } = response;
  const what = `of the gateway response ${ResponseType}:`;
  requireKnown(`property ${what}`, Object.keys(response), knownProperties);
  requireKnown(`media type ${what}`, Object.keys(ResponseTemplates ?? {}), [mediaType]);
  const renderBody = compileTemplate(ResponseTemplates?.[mediaType] ?? '{"message":$context.error.messageString}');
  const headers = Object.entries(ResponseParameters).map(([target, value]) => compileHeader(target, value));

  return (error: GatewayError, exchange: Exchange): ApiResponse => {
    const own: Header[] = headers.map(({ name, valueIn }) => [name, valueIn(exchange)]);
    const hasContentType = own.some(([name]) => name.toLowerCase() === 'content-type');
    return {
      status: Number(StatusCode ?? error.status),
      headers: [
        ...(hasContentType ? [] : [['Content-Type', mediaType] as const]),
        ['x-amzn-ErrorType', error.code],
        ...own,
      ],
      body: renderBody(exchange),
    };
  };
};

/** Compiles a header; its value is a text in single quotes or a context variable without its `$`. */
const compileHeader = (target: string, value: string) => {
  if (!target.startsWith(headerPrefix))
    throw new UserFacingError(`The local run does not know the gateway response parameter ${target}.`);
  const name = target.slice(headerPrefix.length);
  const [, text] = value.match(/^'(.*)'$/s) ?? [];
  if (text !== undefined) return { name, valueIn: () => text };
  const variable = compileVariable(value);
  return { name, valueIn: (exchange: Exchange) => String(variable(exchange) ?? '') };
};

type Variable = (exchange: Exchange) => string | number | undefined;

/** API Gateway's `$context` variables that a template may use here. */
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

/** Returns the reader of a variable such as `'context.requestId'`. Throws if the name is unknown. */
const compileVariable = (name: string): Variable => {
  const variable = variables[name.replace(/^context\./, '')];
  if (variable && name.startsWith('context.')) return variable;
  throw new UserFacingError(`The local run does not know the variable $${name}.`);
};

/** Compiles a text with `$context.…` variables. A variable without a value becomes a dash. */
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
