import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import { defaultEnvironment, type Resource, type Stack, type Template } from '../src/template/stack.ts';

const directories: string[] = [];

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** Creates a folder that is deleted when the test file ends. */
export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'partner-api-test-'));
  directories.push(directory);
  return directory;
};

/** Returns a stack without assets, with these resources and the `rest` of the template. */
export const stackOf = (resources: Template['Resources'], rest: Omit<Template, 'Resources'> = {}): Stack => ({
  name: 'Fixture',
  environment: defaultEnvironment,
  assetPaths: new Map(),
  template: { ...rest, Resources: resources },
});

/** The assumed slowness of this machine, so high that no function starts too late. */
export const timeFactor = 100;

/** The timeout of a function, in seconds: Lambda's longest, since machines are slow. */
export const timeoutSeconds = 900;

/** Returns a stack with one function of the given source (an ES module that exports `handler`), and further resources. */
export const stackWithFunction = (source: string, { properties = {}, resources = {} }: FixtureParts = {}): Stack => {
  const asset = join(temporaryDirectory(), 'asset');
  mkdirSync(asset);
  writeFileSync(join(asset, 'index.mjs'), source);
  const own = {
    Role1: { Type: 'AWS::IAM::Role', Properties: { Policies: [] } },
    Function1: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        FunctionName: 'fixture',
        Code: { S3Key: 'code.zip' },
        Handler: 'index.handler',
        Role: { 'Fn::GetAtt': ['Role1', 'Arn'] },
        Runtime: 'nodejs24.x',
        Timeout: timeoutSeconds,
        ...properties,
      },
    },
  };
  return { ...stackOf({ ...own, ...resources }), assetPaths: new Map([['code.zip', asset]]) };
};

type FixtureParts = {
  /** Properties of the function. */
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly resources?: Readonly<Record<string, Resource>>;
};

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
};

type CallOptions = {
  readonly method?: string;
  /** Names and values in turn, sent unchanged. */
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  readonly localAddress?: string;
  readonly ca?: string;
};

/** Sends a request without changing the spelling of its path or headers. */
export const call = (baseUrl: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    const { method = 'GET', headers = [], body, localAddress = '127.0.0.1', ca } = options;
    const contentLength = body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(body))];
    const outgoing = httpsRequest({
      hostname,
      port,
      path,
      method,
      localAddress,
      ca,
      agent: false,
      headers: ['Host', `${hostname}:${port}`, ...headers, ...contentLength],
    });
    outgoing.on('error', reject);
    outgoing.on('response', async (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) });
    });
    outgoing.end(body);
  });
