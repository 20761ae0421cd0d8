import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { type DynamoDbProxy, startDynamoDbProxy } from '../src/dynamodb/dynamodb-proxy.ts';
import { createFunctions, type FunctionPool } from '../src/functions/functions.ts';
import type { TelemetryEmitter, TelemetryEvents } from '../src/stack-version.ts';
import { createResolver } from '../src/template/intrinsics.ts';
import type { Stack } from '../src/template/stack.ts';
import { stackWithFunction, temporaryDirectory, timeoutSeconds } from './fixture.ts';

let proxy: DynamoDbProxy;
const pools: FunctionPool[] = [];
// The test's clock measures the time of functions. It does not advance unless a test sets it.
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());
beforeAll(async () => {
  proxy = await startDynamoDbProxy(inject('dynamoDbEndpoint'));
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  await proxy.close();
});

const logsDirectory = temporaryDirectory();

type FunctionOptions = Pick<Parameters<typeof createFunctions>[1], 'events' | 'timeFactor'>;

const functionsOf = (stack: Stack, options: FunctionOptions = {}): ReadonlyMap<string, FunctionPool> => {
  const resolve = createResolver(stack, { tablePrefix: '' });
  const functions = createFunctions(stack, {
    resolve,
    proxy,
    logsDirectory,
    codeDirectory: temporaryDirectory(),
    ...options,
  });
  pools.push(...functions.values());
  return functions;
};

const functionOf = (stack: Stack, options?: FunctionOptions): FunctionPool => {
  const [pool] = functionsOf(stack, options).values();
  if (!pool) throw new Error('The fixture has a function.');
  return pool;
};

const invoke = async (pool: FunctionPool, event: unknown) => {
  const outcome = await pool.invoke(JSON.stringify(event), 'Root=1-test');
  return outcome.kind === 'answer' ? JSON.parse(outcome.payload) : outcome;
};

describe('a function runs as in Lambda', () => {
  test('its environment is the template’s and Lambda’s, plus the endpoint of DynamoDB', async () => {
    const environment = { Variables: { SETTING: '1', TABLE: { Ref: 'Role1' } } };
    const stack = stackWithFunction('export const handler = async () => process.env;', {
      properties: { Environment: environment, MemorySize: 512 },
    });
    const seen: Record<string, string> = await invoke(functionOf(stack), {});
    expect(Object.keys(seen).sort()).toEqual([
      ...['AWS_ACCESS_KEY_ID', 'AWS_DEFAULT_REGION', 'AWS_ENDPOINT_URL_DYNAMODB', 'AWS_EXECUTION_ENV'],
      ...['AWS_LAMBDA_FUNCTION_MEMORY_SIZE', 'AWS_LAMBDA_FUNCTION_NAME', 'AWS_LAMBDA_FUNCTION_VERSION'],
      ...['AWS_LAMBDA_INITIALIZATION_TYPE', 'AWS_LAMBDA_LOG_GROUP_NAME', 'AWS_LAMBDA_LOG_STREAM_NAME'],
      ...['AWS_LAMBDA_RUNTIME_API', 'AWS_REGION', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'LAMBDA_TASK_ROOT'],
      ...['LANG', 'SETTING', 'TABLE', 'TZ', '_HANDLER', '_X_AMZN_TRACE_ID'],
    ]);
    expect(seen).toMatchObject({
      SETTING: '1',
      TABLE: 'Fixture-Role1',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
      AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
      _X_AMZN_TRACE_ID: 'Root=1-test',
    });
  });

  test('its code is outside the repository, so a module that the bundle lacks is not found', async () => {
    const source = "export const handler = async () => import('zod').catch(({ code }) => code);";
    expect(await invoke(functionOf(stackWithFunction(source)), {})).toBe('ERR_MODULE_NOT_FOUND');
  });

  test('it receives the event and a context with a deadline', async () => {
    const source = `export const handler = async (event, context) => ({
      event, name: context.functionName, arn: context.invokedFunctionArn, ms: context.getRemainingTimeInMillis() });`;
    const { ms, ...rest } = await invoke(functionOf(stackWithFunction(source)), { a: 'ü' });
    expect(rest).toEqual({
      event: { a: 'ü' },
      name: 'fixture',
      arn: 'arn:aws:lambda:eu-central-1:000000000000:function:fixture',
    });
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(timeoutSeconds * 1000);
  });

  test('invoked by its alias, it receives the alias’s ARN and its version', async () => {
    const source = `export const handler = async (event, { functionVersion, invokedFunctionArn }) => ({
      functionVersion, variable: process.env.AWS_LAMBDA_FUNCTION_VERSION, invokedFunctionArn });`;
    const FunctionName = { Ref: 'Function1' };
    const stack = stackWithFunction(source, {
      resources: {
        V1: { Type: 'AWS::Lambda::Version', Properties: { FunctionName } },
        Live: {
          Type: 'AWS::Lambda::Alias',
          Properties: { FunctionName, Name: 'live', FunctionVersion: { 'Fn::GetAtt': ['V1', 'Version'] } },
        },
      },
    });
    const arn = 'arn:aws:lambda:eu-central-1:000000000000:function:fixture';
    const functions = functionsOf(stack);
    for (const invokedFunctionArn of [arn, `${arn}:1`, `${arn}:live`])
      expect(await invoke(functions.get(invokedFunctionArn) as FunctionPool, {})).toEqual({
        functionVersion: '1',
        variable: '1',
        invokedFunctionArn,
      });
  });

  test('it prints to its log', async () => {
    await invoke(functionOf(stackWithFunction("export const handler = async () => console.log('printed');")), {});
    expect(readFileSync(join(logsDirectory, 'fixture.log'), 'utf8')).toContain('printed\n');
  });

  test('a process handles one event at a time; beyond two processes, events wait', async () => {
    const source = `let busy = 0;
      export const handler = async () => {
        const atOnce = ++busy;
        await new Promise((resolve) => setTimeout(resolve, 20));
        busy--;
        return { atOnce, pid: process.pid };
      };`;
    const pool = functionOf(stackWithFunction(source));
    const answers = await Promise.all(Array.from({ length: 12 }, () => invoke(pool, {})));
    expect(answers.every(({ atOnce }) => atOnce === 1)).toBe(true);
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(2);
  });
});

describe('a failing function ends only its invocation, and the next one is served', () => {
  const source = `export const handler = async ({ do: what }) => {
    console.log(process.pid + ' is to ' + what);
    if (what === 'exit') process.exit(3);
    if (what === 'hang') return new Promise(() => setInterval(() => {}, 1000));
    if (what === 'spin') for (;;) {}
    if (what === 'throw') throw new TypeError('broken');
    if (what === 'throw later') setTimeout(() => { throw new Error('later'); });
    if (what === 'throw later') return new Promise(() => {});
    return process.pid;
  };`;

  test.each([
    ['exit', 'its process ended with exit code 3', true],
    ['throw later', 'its process ended with exit code 1', true],
    ['hang', `it timed out after ${timeoutSeconds} s`, true],
    ['spin', `it timed out after ${timeoutSeconds} s`, true],
    ['throw', 'its handler threw: broken', false],
  ])('%s', async (what, reason, processIsLost) => {
    const failing = functionOf(stackWithFunction(source));
    const firstPid = await invoke(failing, {});
    const outcome = invoke(failing, { do: what });
    await untilLogged(`${firstPid} is to ${what}`);
    if (reason.startsWith('it timed out')) vi.advanceTimersByTime(timeoutSeconds * 1000);
    expect(await outcome).toEqual({ kind: 'failure', reason, processIsLost });
    const nextPid = await invoke(failing, {});
    expect(nextPid).toEqual(processIsLost ? expect.any(Number) : firstPid);
    expect(nextPid === firstPid).toBe(!processIsLost);
    expect(isRunning(firstPid)).toBe(!processIsLost);
  });

  test('a failed initialization is reported with its cause', async () => {
    const broken = functionOf(stackWithFunction("throw new Error('no table name');"));
    expect(await invoke(broken, {})).toMatchObject({ reason: 'its initialization failed: no table name' });
  });

  test('a handler with a callback is refused, as on Lambda', async () => {
    const old = functionOf(stackWithFunction('export const handler = (event, context, callback) => callback();'));
    expect(await invoke(old, {})).toMatchObject({ reason: expect.stringContaining('takes a callback') });
  });
});

const untilLogged = async (text: string) => {
  while (!readFileSync(join(logsDirectory, 'fixture.log'), 'utf8').includes(text)) await wait(10);
};

test('a time factor lengthens a function’s own timeouts and those of Lambda', async () => {
  const source = `export const handler = async (event, context) => {
    const startedMs = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 2));
    const signal = AbortSignal.timeout(2);
    while (!signal.aborted) await new Promise(setImmediate);
    return { tookMs: performance.now() - startedMs, leftMs: context.getRemainingTimeInMillis() };
  };`;
  const { tookMs, leftMs } = await invoke(functionOf(stackWithFunction(source), { timeFactor: 20 }), {});
  expect(tookMs).toBeGreaterThanOrEqual(2 * (2 * 20 - 1));
  expect(leftMs).toBeGreaterThan(timeoutSeconds * 1000);
});

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('a run reports the number of current and waiting invocations, and the outcome of each', async () => {
  const source = `export const handler = async ({ fail }) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (fail) throw new Error('broken');
  };`;
  const events: TelemetryEmitter = new EventEmitter();
  const counts: number[] = [];
  const invocations: TelemetryEvents['invocation'][0][] = [];
  events.on('concurrency', ({ underWay }) => void counts.push(underWay));
  events.on('invocation', (invocation) => void invocations.push(invocation));
  const pool = functionOf(stackWithFunction(source), { events });
  await Promise.all([{}, {}, {}, { fail: true }].map((event) => invoke(pool, event)));
  expect(counts).toEqual([1, 2, 3, 4, 3, 2, 1, 0]);
  expect(invocations.map(({ hasFailed }) => hasFailed).toSorted()).toEqual([false, false, false, true]);
  for (const { functionName, durationMs } of invocations) {
    expect(functionName).toBe('fixture');
    expect(durationMs).toBeGreaterThanOrEqual(100);
  }
});
