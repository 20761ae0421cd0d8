import { apiId } from '../template/intrinsics.ts';
import { type ApiRequest, type Header, headerOf } from './exchange.ts';
import { domainNameOf, requestPath, toCommonLogTime } from './gateway-responses.ts';
import type { Match } from './router.ts';

/** Client and API Gateway agree by these headers; they are of no concern to the function. */
const droppedHeaders = [
  'connection',
  'content-length',
  'content-md5',
  'expect',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
];

/** Makes the event that a Lambda proxy integration of a REST API hands to its function. */
export const proxyEvent = (request: ApiRequest, match: Match<unknown>, body: string) => {
  const multiValueHeaders = valuesByName(forwardedHeaders(request));
  const multiValueQuery = valuesByName([...new URLSearchParams(request.queryString)]);
  return {
    resource: match.resourcePath,
    path: request.path,
    httpMethod: request.httpMethod,
    headers: lastValues(multiValueHeaders),
    multiValueHeaders,
    queryStringParameters: nullIfEmpty(lastValues(multiValueQuery)),
    multiValueQueryStringParameters: nullIfEmpty(multiValueQuery),
    pathParameters: nullIfEmpty(match.pathParameters),
    stageVariables: null,
    requestContext: requestContext(request, match),
    body: body === '' ? null : body,
    isBase64Encoded: false,
  };
};

const forwardedHeaders = ({ headers, sourceIp, port, traceId }: ApiRequest): Header[] => [
  ...headers.filter(
    ([name]) => !droppedHeaders.includes(name.toLowerCase()) && !/^x-forwarded-(for|port|proto)$/i.test(name),
  ),
  ['X-Amzn-Trace-Id', traceId],
  ['X-Forwarded-For', [headerOf(headers, 'x-forwarded-for') ?? [], sourceIp].flat().join(', ')],
  ['X-Forwarded-Port', String(port)],
  ['X-Forwarded-Proto', 'https'],
];

const requestContext = (request: ApiRequest, { resourceId, resourcePath }: Match<unknown>) => ({
  accountId: request.accountId,
  apiId,
  deploymentId: 'local',
  domainName: domainNameOf(request.headers),
  domainPrefix: domainNameOf(request.headers).split('.')[0],
  extendedRequestId: request.extendedRequestId,
  httpMethod: request.httpMethod,
  identity: {
    accessKey: null,
    accountId: null,
    caller: null,
    cognitoAuthenticationProvider: null,
    cognitoAuthenticationType: null,
    cognitoIdentityId: null,
    cognitoIdentityPoolId: null,
    principalOrgId: null,
    sourceIp: request.sourceIp,
    user: null,
    userAgent: headerOf(request.headers, 'user-agent') ?? null,
    userArn: null,
  },
  path: requestPath(request),
  protocol: request.protocol,
  requestId: request.requestId,
  requestTime: toCommonLogTime(request.arrivedAtMs),
  requestTimeEpoch: request.arrivedAtMs,
  resourceId,
  resourcePath,
  stage: request.stage,
});

/** Groups by the client's own spelling of the name. */
const valuesByName = (pairs: readonly Header[]): Record<string, string[]> => {
  const values: Record<string, string[]> = Object.create(null);
  for (const [name, value] of pairs) values[name] = [...(values[name] ?? []), value];
  return values;
};

const lastValues = (multiValues: Readonly<Record<string, readonly string[]>>): Record<string, string> =>
  Object.fromEntries(Object.entries(multiValues).map(([name, values]) => [name, values.at(-1) ?? '']));

const nullIfEmpty = <T extends object>(record: T): T | null => (Object.keys(record).length ? record : null);
