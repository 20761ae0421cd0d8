import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import type { Demo } from '../../local/demo/demo-file.ts';
import { type LocalServiceOptions, startLocalService } from '../../local/service.ts';
import type { Answer } from './answer.ts';
import { expectDocumentedAt } from './documented.ts';

export type Sent = {
  readonly method?: string;
  /** As it goes over the wire, behind the stage. */
  readonly path: string;
  readonly apiKey?: string;
  /** Name and value in turn, so that a name may come twice and in any case. */
  readonly rawHeaders?: readonly string[];
  readonly sourceIp?: string;
  readonly body?: string;
};

/** No function is late on a machine that is so many times slower than Lambda's. */
const patience = 100;

type Options = Pick<LocalServiceOptions, 'isEmpty' | 'isWithoutBackend' | 'timeFactor' | 'assembly'>;

/** The whole service on a free port, with tables of its own, and all that it puts out. */
export const openService = async (options: Options = {}) => {
  const directory = mkdtempSync(join(tmpdir(), 'service-'));
  const printed: string[] = [];
  const service = await startLocalService({
    port: 0,
    directory,
    dynamoDbEndpoint: inject('dynamoDbEndpoint'),
    tablePrefix: `e2e-${process.pid}-${Date.now()}-`,
    timeFactor: patience,
    ...options,
    print: (line) => printed.push(line),
  });
  let closing: Promise<void> | undefined;
  const close = async () => {
    await service.close();
    rmSync(directory, { recursive: true });
  };
  return {
    local: service,
    demo: service.demo,
    directory,
    runSchedules: service.served.runSchedules,
    /** Every answer is checked against the API document. */
    send: async (sent: Sent) => {
      const answer = await send(service.demo, sent);
      expectDocumentedAt(sent.method ?? 'GET', sent.path, answer);
      return answer;
    },
    /** What the run has printed and logged. */
    output: () =>
      [...printed, ...readdirSync(join(directory, 'logs')).map((file) => readLog(directory, file))].join('\n'),
    /** The lines that the functions of the endpoints have written. */
    eventLines: () =>
      operationIds
        .map((operationId) => `PartnerApi-local-${operationId}.log`)
        .filter((file) => existsSync(join(directory, 'logs', file)))
        .flatMap((file) => readLog(directory, file).trim().split('\n')),
    /** Closes it once, however often it is asked to. */
    close: () => {
      closing ??= close();
      return closing;
    },
  };
};

export type Service = Awaited<ReturnType<typeof openService>>;

export const companyOf = ({ demo }: Service, companyId: string): Demo['companies'][number] => {
  const company = demo.companies.find((each) => each.companyId === companyId);
  if (!company) throw new Error(`The demo world has no company ${companyId}.`);
  return company;
};

const readLog = (directory: string, file: string) => readFileSync(join(directory, 'logs', file), 'utf8');

const send = (demo: Demo, { method = 'GET', path, apiKey, rawHeaders = [], sourceIp = '127.0.0.1', body }: Sent) =>
  new Promise<Answer>((resolve, reject) => {
    const { port, pathname, host } = new URL(demo.baseUrl);
    const headers = ['host', host, ...(apiKey === undefined ? [] : ['x-api-key', apiKey]), ...rawHeaders];
    const outgoing = request(
      {
        host: 'localhost',
        family: 4,
        port,
        method,
        path: pathname + path,
        headers: body === undefined ? headers : [...headers, 'content-length', String(Buffer.byteLength(body))],
        localAddress: sourceIp,
        ca: readFileSync(demo.caFile),
        agent: false,
      },
      async (response) => {
        const answered = await text(response);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Record<string, string>,
          body: answered ? JSON.parse(answered) : undefined,
        });
      },
    );
    outgoing.on('error', reject).end(body);
  });
