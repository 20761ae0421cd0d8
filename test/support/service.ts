import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { companyIn, type Demo } from '../../local/demo/demo-world.ts';
import { type LocalServiceOptions, startLocalService } from '../../local/service.ts';
import { type Answer, expectDocumentedAt } from './api-document.ts';

type Sent = {
  readonly method?: string;
  /** The path after that of the stage, as sent. */
  readonly path: string;
  readonly apiKey?: string;
  /** Names and values in turn, so that a name can repeat, in any case. */
  readonly rawHeaders?: readonly string[];
  readonly sourceIp?: string;
  readonly body?: string;
};

/** Extends the time-outs of functions for machines that are this many times slower than Lambda. */
const patience = 100;

type Options = Pick<
  LocalServiceOptions,
  'isEmpty' | 'isWithoutFleet' | 'isWithoutBackend' | 'forwardWebhooksTo' | 'timeFactor' | 'assembly'
>;

/**
 * Starts the whole service on a free port, with its own DynamoDB Local: its streams would slow down the shared instance of all
 * test files, whose tables would slow the service down. It has no fleet unless a test asks for it; the operator's program then
 * finds a company in the configuration that was not onboarded.
 */
export const openService = async (options: Options = {}) => {
  const directory = mkdtempSync(join(tmpdir(), 'service-'));
  const printed: string[] = [];
  const service = await startLocalService({
    port: 0,
    directory,
    timeFactor: patience,
    isWithoutFleet: true,
    ...options,
    print: (line) => printed.push(line),
    onStoreEnd: ({ message }) => console.error(message),
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
    /** Sends a request, and checks the response against the API document, which describes HEAD only in words. */
    send: async (sent: Sent) => {
      const answer = await send(service.demo, sent);
      if (sent.method !== 'HEAD') expectDocumentedAt(sent.method ?? 'GET', sent.path, answer);
      return answer;
    },
    /** The output of the run. */
    output: () =>
      [...printed, ...readdirSync(join(directory, 'logs')).map((file) => readLog(directory, file))].join('\n'),
    /** The log lines of the endpoint functions. */
    eventLines: () =>
      operationIds
        .map((operationId) => `PartnerApi-local-${operationId}.log`)
        .filter((file) => existsSync(join(directory, 'logs', file)))
        .flatMap((file) => readLog(directory, file).trim().split('\n')),
    /** Closes the service. Further calls do nothing. */
    close: () => {
      closing ??= close();
      return closing;
    },
  };
};

export type Service = Awaited<ReturnType<typeof openService>>;

export const companyOf = ({ demo }: Service, companyId: string) => companyIn(demo, companyId);

/** Returns the company of the demo world that acts for many owners. */
export const fleetOf = ({ demo }: Service) => {
  const company = demo.companies.find((each) => 'owners' in each);
  if (!company) throw new Error('The demo world has no company that acts for many owners.');
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

/** The actions that a script may request from the test, by the name of a shell command. The command ends after its action. */
type ShellCommands = Readonly<Record<string, () => unknown>>;

const asking = '--- asks the test to:';

/** The folder with the `.local` of a running service, and a shell in it, as a reader of the documents has them. */
export const openShell = (service: Service) => {
  const directory = mkdtempSync(join(tmpdir(), 'shell-'));
  symlinkSync(service.directory, join(directory, '.local'));
  // The parts of the checkout that `npm run demo` needs.
  for (const name of ['package.json', 'node_modules', 'local']) symlinkSync(resolve(name), join(directory, name));
  return {
    directory,
    /** Runs a script and returns its output. The first command that fails ends it. */
    run: async (script: string, commands: ShellCommands = {}): Promise<string> => {
      const definitions = Object.keys(commands).map((name) => `${name}() { echo '${asking}${name}'; read -r; }\n`);
      const child = spawn('bash', ['-euo', 'pipefail', '-c', definitions.join('') + script], { cwd: directory });
      const [lines, stderr, [exitCode]] = await Promise.all([
        answeredLines(child, commands),
        text(child.stderr),
        once(child, 'close'),
      ]);
      if (exitCode !== 0) throw new Error(`The script ended with exit code ${exitCode}:\n${stderr}`);
      return lines.join('\n');
    },
    close: () => rmSync(directory, { recursive: true }),
  };
};

/** Returns a child's output without its requests to the test. Answers each request with a line when its action is done. */
const answeredLines = async ({ stdin, stdout }: ReturnType<typeof spawn>, commands: ShellCommands) => {
  const lines: string[] = [];
  for await (const line of createInterface({ input: stdout as NodeJS.ReadableStream })) {
    if (!line.startsWith(asking)) lines.push(line);
    else {
      await commands[line.slice(asking.length)]?.();
      stdin?.write('\n');
    }
  }
  return lines;
};

/** The JSON objects in the output of a script, one on each line. */
export const answersIn = (output: string) => [...output.matchAll(/^\{.*\}$/gm)].map(([line]) => JSON.parse(line));

/** Whether this machine has the Python version that the guide requires. Its examples run only there. */
export const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;

/** The shell blocks of a Markdown text, in order. */
export const shellBlocksOf = (markdown: string): string[] =>
  [...markdown.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
