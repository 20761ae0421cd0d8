/**
 * A small version of Lambda's Node.js runtime: loads the handler and passes it one event after the other from the Runtime API.
 * It is plain JavaScript, because stripping types would cost every function's process 30 ms and 17 MB.
 */
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const {
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  AWS_LAMBDA_FUNCTION_NAME,
  AWS_LAMBDA_FUNCTION_VERSION,
  AWS_LAMBDA_LOG_GROUP_NAME,
  AWS_LAMBDA_LOG_STREAM_NAME,
  AWS_LAMBDA_RUNTIME_API,
  LAMBDA_TASK_ROOT,
  _HANDLER,
} = process.env;

// Lambda's runtime ships the AWS SDK: code without its own copy finds the SDK, and no other package, next to this file.
const beside = createRequire(import.meta.url);
registerHooks({
  resolve: (specifier, context, nextResolve) => {
    try {
      return nextResolve(specifier, context);
    } catch (error) {
      if (context.parentURL === import.meta.url || !/^@(aws-sdk|smithy)\//.test(specifier)) throw error;
      return { url: pathToFileURL(beside.resolve(specifier)).href, shortCircuit: true };
    }
  },
});

/** Lengthens the timeouts that the code itself sets: they fit Lambda's machines, and this one is slower. */
const stretchTimeouts = (factor) => {
  const { setTimeout } = globalThis;
  const abortAfter = AbortSignal.timeout.bind(AbortSignal);
  globalThis.setTimeout = (callback, ms = 0, ...rest) => setTimeout(callback, ms * factor, ...rest);
  AbortSignal.timeout = (ms) => abortAfter(ms * factor);
};

const timeFactor = Number(process.argv[2]);
if (timeFactor !== 1) stretchTimeouts(timeFactor);

const outsidePorts = process.argv[3];
if (outsidePorts) (await import('./outside-hosts.mjs')).reachOutsideHosts(JSON.parse(outsidePorts));

const agent = new Agent({ keepAlive: true });

const call = (method, path, body) =>
  new Promise((resolve, reject) => {
    const url = `http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/${path}`;
    const outgoing = request(url, { agent, method }, async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      resolve({ headers: response.headers, text });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });

const described = (error) =>
  JSON.stringify(
    error instanceof Error
      ? { errorType: error.name, errorMessage: error.message, trace: error.stack?.split('\n') }
      : { errorType: typeof error, errorMessage: String(error), trace: [] },
  );

const loadHandler = async () => {
  const [, file, name] = _HANDLER.match(/^(.*)\.([^.]+)$/) ?? [];
  const path = ['.js', '.mjs', '.cjs'].map((suffix) => join(LAMBDA_TASK_ROOT, file + suffix)).find(existsSync);
  if (!path) throw new Error(`Cannot find the module of the handler ${_HANDLER}`);
  const handler = (await import(pathToFileURL(path).href))[name];
  if (typeof handler !== 'function') throw new Error(`${_HANDLER} is undefined or not exported`);
  if (handler.length > 2)
    throw new Error(
      `${_HANDLER} takes a callback, which Lambda no longer calls from nodejs24.x on, nor does a local run`,
    );
  return handler;
};

const contextOf = (headers) => {
  const deadlineMs = Number(headers['lambda-runtime-deadline-ms']);
  return {
    awsRequestId: headers['lambda-runtime-aws-request-id'],
    callbackWaitsForEmptyEventLoop: true,
    functionName: AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: AWS_LAMBDA_FUNCTION_VERSION,
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    logGroupName: AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: AWS_LAMBDA_LOG_STREAM_NAME,
    memoryLimitInMB: AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  };
};

let handler;
try {
  handler = await loadHandler();
} catch (error) {
  console.error(error);
  await call('POST', 'init/error', described(error));
  process.exit(1);
}

for (;;) {
  const { headers, text } = await call('GET', 'invocation/next');
  const invocation = `invocation/${headers['lambda-runtime-aws-request-id']}`;
  process.env._X_AMZN_TRACE_ID = headers['lambda-runtime-trace-id'];
  try {
    const result = await handler(JSON.parse(text), contextOf(headers));
    await call('POST', `${invocation}/response`, JSON.stringify(result ?? null));
  } catch (error) {
    console.error(error);
    await call('POST', `${invocation}/error`, described(error));
  }
}
