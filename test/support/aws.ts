import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import type { Resource } from '../../local/aws/template/template.ts';

/**
 * Statuses and bodies by the actions of AWS's query protocol, in XML, and as JSON by the paths of its REST protocols and by the
 * targets of its JSON protocol: `AWSEvents.PutEvents`.
 */
type QueryAnswers = Readonly<Record<string, (body: URLSearchParams) => readonly [number, string]>>;
type RestAnswers = Readonly<Record<string, readonly [number, unknown]>>;

/** Asked before a call is answered: who asks, of which service, for which query action, path or target. A text refuses it. */
export type Authorize = (call: { accessKeyId: string; service: string; what: string }) => string | undefined;

/** Answers as AWS's services beside DynamoDB do; the SDK finds it, and credentials, until `vi.unstubAllEnvs`. */
export const startAws = async (
  answers: QueryAnswers,
  answersByPath: RestAnswers = {},
  authorize: Authorize = () => undefined,
) => {
  const server = createServer(async (request, response) => {
    const target = String(request.headers['x-amz-target'] ?? request.url);
    const [restStatus, json] = answersByPath[target] ?? [];
    const body = new URLSearchParams(await text(request));
    const action = body.get('Action') ?? '';
    const refusal = authorize({ ...callerOf(request), what: restStatus ? target : action });
    if (restStatus) {
      const headers = { 'content-type': 'application/json', ...(refusal && { 'x-amzn-errortype': 'AccessDenied' }) };
      response.writeHead(refusal ? 403 : restStatus, headers);
      response.end(JSON.stringify(refusal ? { message: refusal } : json));
      return;
    }
    const [status, content] = refusal ? denied(refusal) : (answers[action]?.(body) ?? [400, '']);
    const result = status === 200 ? `<${action}Result>${content}</${action}Result>` : content;
    response.writeHead(status, { 'content-type': 'text/xml' });
    response.end(`<${action}Response>${result}</${action}Response>`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const service of ['CLOUDFORMATION', 'STS', 'API_GATEWAY', 'LAMBDA', 'CLOUDWATCH', 'EVENTBRIDGE', 'SQS'])
    vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, endpoint);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  return server;
};

const callerOf = ({ headers }: IncomingMessage) => {
  const [, accessKeyId = '', service = ''] =
    headers.authorization?.match(/Credential=(\w+)\/\d+\/[^/]+\/(\w+)\//) ?? [];
  return { accessKeyId, service };
};

const denied = (message: string) =>
  [403, `<Error><Type>Sender</Type><Code>AccessDenied</Code><Message>${message}</Message></Error>`] as const;

export const identityOf = (arn: string, account: string) => () =>
  [200, `<Arn>${arn}</Arn><Account>${account}</Account>`] as const;

/** The resources of a stack as ListStackResources gives them. */
export const membersOf = (
  resources: Readonly<Record<string, Resource>>,
  physicalIdOf = (logicalId: string) => `physical-${logicalId}`,
) =>
  Object.entries(resources).map(
    ([logicalId, { Type }]) =>
      `<member><LogicalResourceId>${logicalId}</LogicalResourceId><PhysicalResourceId>${physicalIdOf(logicalId)}</PhysicalResourceId><ResourceType>${Type}</ResourceType></member>`,
  );

export const listOf = (members: readonly string[], next = '') =>
  [200, `<StackResourceSummaries>${members.join('')}</StackResourceSummaries>${next}`] as const;

/** A stack as DescribeStacks gives it. */
export const stackWithOutput = (key: string, value: string) =>
  [
    200,
    `<Stacks><member><Outputs><member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member></Outputs></member></Stacks>`,
  ] as const;

/** A policy as API Gateway gives it: the inside of a JSON string, slashes escaped too, the ARN of the API written out. */
export const asApiGatewayGives = (policy: object, apiArn: string): string =>
  JSON.stringify(JSON.stringify(policy).replaceAll('execute-api:/', `${apiArn}/`))
    .slice(1, -1)
    .replaceAll('/', '\\/');
