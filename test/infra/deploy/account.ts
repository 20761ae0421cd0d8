import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { vi } from 'vitest';
import { createCloudFormation, Refused, type StackRecord } from './cloudformation.ts';

/**
 * The part of an AWS account that the CDK CLI uses to deploy: STS, the parameter and the bucket of its bootstrap, and change
 * sets. It records the requests and their order. It creates no resources, and CloudFormation refuses nothing.
 */
export type Account = {
  /** The value of AWS_ENDPOINT_URL. */
  readonly endpoint: string;
  readonly stacks: ReadonlyMap<string, StackRecord>;
  /** The requests so far, as `service action`, with the role if a request assumes one. */
  readonly requests: readonly string[];
  /** Creates what `cdk bootstrap` creates: the bucket, the roles and the parameter that deployments need. */
  readonly bootstrap: () => void;
  /** Deletes a stack, as an operator would manually. */
  readonly deleteStack: (name: string) => void;
  /** Makes the next change of a resource fail, by the beginning of its logical id. */
  readonly failOnce: (logicalId: string, reason: string) => void;
  readonly close: () => Promise<void>;
};

type Place = { readonly region: string; readonly accountId: string };

/** Makes a test's CDK CLI use the account, with credentials that only this account accepts. */
export const useAccount = ({ endpoint }: Account, region: string): void => {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
  vi.stubEnv('AWS_REGION', region);
  vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
  // The CLI caches there which account a key belongs to.
  vi.stubEnv('CDK_HOME', cdkHome);
};

const cdkHome = mkdtempSync(join(tmpdir(), 'cdk-home-'));

/** The newest bootstrap version that any CDK resource requires. */
const bootstrapVersion = '30';

/** Opens an account without any deployments. */
export const openAccount = async (place: Place): Promise<Account> => {
  const stacks = new Map<string, StackRecord>();
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  let isBootstrapped = false;
  let fault: { readonly logicalId: string; readonly reason: string } | undefined;

  const cloudFormation = createCloudFormation({
    place,
    stacks,
    readObject: (url) => objects.get(new URL(url).pathname)?.toString() ?? '',
    faultOf: (logicalId) => {
      if (!fault || !logicalId.startsWith(fault.logicalId)) return undefined;
      const { reason } = fault;
      fault = undefined;
      return reason;
    },
  });

  const s3 = async (incoming: IncomingMessage) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://s3');
    const path = decodeURIComponent(pathname);
    if (incoming.method === 'PUT') objects.set(path, withoutChunks(incoming, await buffer(incoming)));
    if (searchParams.has('encryption')) return xml(encryption);
    if (searchParams.has('list-type')) return '<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>';
    return '';
  };
  const sts = (action: string, roleArn: string | undefined) =>
    action === 'GetCallerIdentity'
      ? { Account: place.accountId, UserId: 'local', Arn: `arn:aws:iam::${place.accountId}:user/deployer` }
      : { Credentials: temporaryCredentials(), AssumedRoleUser: { AssumedRoleId: 'local', Arn: roleArn } };

  const answerTo = async (incoming: IncomingMessage): Promise<{ readonly status: number; readonly body: string }> => {
    const service = serviceOf(incoming);
    if (service === 's3') {
      requests.push(`s3 ${incoming.method} ${incoming.url}`);
      return { status: isBootstrapped ? 200 : 404, body: await s3(incoming) };
    }
    const body = (await buffer(incoming)).toString();
    if (service === 'ssm') {
      requests.push(`ssm ${incoming.headers['x-amz-target']}`);
      const found = { Parameter: { Name: JSON.parse(body).Name, Type: 'String', Value: bootstrapVersion, Version: 1 } };
      if (isBootstrapped) return { status: 200, body: JSON.stringify(found) };
      return { status: 400, body: JSON.stringify({ __type: 'ParameterNotFound', message: 'There is none.' }) };
    }
    const { Action = '', ...request } = Object.fromEntries(new URLSearchParams(body));
    requests.push([service, Action, request.RoleArn].filter(Boolean).join(' '));
    if (service === 'sts' && Action === 'AssumeRole' && !isBootstrapped)
      return refusal('AccessDenied', 'No such role.');
    if (service === 'sts') return answer(Action, sts(Action, request.RoleArn));
    try {
      return answer(Action, cloudFormation(Action, request));
    } catch (error) {
      if (error instanceof Refused) return refusal(error.code, error.message);
      throw error;
    }
  };

  const server = createServer((incoming, outgoing) => {
    answerTo(incoming).then(
      ({ status, body }) => outgoing.writeHead(status).end(body),
      (error: Error) => outgoing.writeHead(500).end(error.stack),
    );
  });
  return {
    endpoint: `http://${await listen(server)}`,
    stacks,
    requests,
    bootstrap: () => {
      isBootstrapped = true;
    },
    deleteStack: (name) => void stacks.delete(name),
    failOnce: (logicalId, reason) => {
      fault = { logicalId, reason };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Returns the service of a signature: `Credential=<key>/<date>/<region>/<service>/aws4_request`. */
const serviceOf = ({ headers }: IncomingMessage): string =>
  /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? 'unsigned';

const temporaryCredentials = () => ({
  AccessKeyId: 'local',
  SecretAccessKey: 'local',
  SessionToken: 'local',
  Expiration: new Date(Date.now() + 3_600_000).toISOString(),
});

const encryption = {
  ServerSideEncryptionConfiguration: { Rule: { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } } },
};

const answer = (action: string, result: object) => ({
  status: 200,
  body: xml({ [`${action}Response`]: { [`${action}Result`]: result, ResponseMetadata: { RequestId: 'local' } } }),
});

const refusal = (Code: string, Message: string) => ({
  status: 400,
  body: xml({ ErrorResponse: { Error: { Type: 'Sender', Code, Message }, RequestId: 'local' } }),
});

/** Formats `{ A: { B: [1] } }` as `<A><B><member>1</member></B></A>`; undefined members are left out. */
const xml = (value: unknown): string => {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map((item) => `<member>${xml(item)}</member>`).join('');
  if (typeof value !== 'object' || value === null)
    return String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => `<${name}>${xml(each)}</${name}>`)
    .join('');
};

/** Decodes a body that a client sends in chunks, each after its length in hexadecimal digits, with checksums after the last. */
const withoutChunks = ({ headers }: IncomingMessage, body: Buffer): Buffer => {
  if (!headers['content-encoding']?.includes('aws-chunked')) return body;
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const endOfLine = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.toString('latin1', at, endOfLine), 16);
    if (!length) return Buffer.concat(chunks);
    chunks.push(body.subarray(endOfLine + 2, endOfLine + 2 + length));
    at = endOfLine + 2 + length + 2;
  }
};
