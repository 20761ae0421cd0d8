import {
  type Answer,
  answer,
  apiKey,
  call,
  forEach,
  json,
  nowMs,
  prefixed,
  problem,
  type Scenario,
  type Scenarios,
} from './scenario.ts';

const path = { gatewayId: 'gw', circuitId: 'c' };
const programPath = { ...path, timeProgramId: '1' };
const circuit = '/hvacs/gw/heatingCircuits/c';
const off = { operationMode: 'off' };
const week = { name: 'Any', switchPoints: [] };
const key = { 'Idempotency-Key': 'x' };

/** A call with each HTTP method, and a POST with an Idempotency-Key: its request as a step, and the status of its success. */
const methods = {
  GET: [call('getHeatingCircuit', { path }), `GET ${circuit}`, 200],
  POST: [call('createApiKey'), 'POST /api-keys', 201],
  'POST with Idempotency-Key': [call('createApiKey', { headers: key }), 'POST /api-keys', 201],
  PUT: [call('updateHeatingTimeProgram', { path: programPath, body: week }), `PUT ${circuit}/timePrograms/1`, 202],
  PATCH: [call('updateHeatingCircuit', { path, body: off }), `PATCH ${circuit}`, 202],
  DELETE: [call('deleteApiKey', { path: { keyId: 'k' } }), 'DELETE /api-keys/k', 204],
} as const;

type Method = keyof typeof methods;
const all = Object.keys(methods) as Method[];
const repeatable: readonly Method[] = ['GET', 'POST with Idempotency-Key'];
const none: readonly Method[] = [];

const retryAfter = { 'retry-after': '7' };
const until = (field: string) => problem(429, 'throttled', { 'retry-after': field });

/** The time 25 seconds after the whole second of now, in the three formats of an HTTP date (RFC 9110, 5.6.7). */
const date = new Date(nowMs + 25_000).toUTCString();
const asRfc850 = date.replace(/^\w+, (\d+) (\w+) \d\d(\d\d)/, 'Monday, $1-$2-$3');
const asAsctime = date.replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+) GMT/, '$1 $3 $2 $5 $4');

/** The answers before a success, the methods that a client then retries, and the seconds that it waits. */
const obstacles: Readonly<Record<string, readonly [Answer, readonly Method[], number?]>> = {
  'a 429 of its own counter': [problem(429, 'rate-limit-exceeded', retryAfter), all, 7],
  'a 429 of the whole service': [problem(429, 'throttled', retryAfter), all, 7],
  'a 429 of a proxy': [answer(429, 'Slow down', retryAfter), all, 7],
  'a 503': [problem(503, 'service-unavailable', retryAfter), repeatable, 7],
  'a 503 of a proxy, which does not say how long': [answer(503, 'Away'), repeatable, 1],
  'a 502': [answer(502, '<h1>Bad gateway</h1>'), repeatable, 1],
  'a 502 of API Gateway': [json(502, { message: 'Internal server error' }), repeatable, 1],
  'a 504': [json(504, { message: 'Endpoint request timed out' }), repeatable, 1],
  'a 504 that says how long': [answer(504, '', retryAfter), repeatable, 7],
  'a lost connection': [{ fault: 'lost' }, repeatable, 1],
  'a connection that is refused': [{ fault: 'ECONNREFUSED' }, repeatable, 1],
  'a timeout': [{ fault: 'timeout' }, repeatable, 1],
  'an answer that ends early': [{ fault: 'cut' }, repeatable, 1],
  'a certificate that nobody vouches for': [{ fault: 'SELF_SIGNED_CERT_IN_CHAIN' }, none],
  'a certificate of another host': [{ fault: 'ERR_TLS_CERT_ALTNAME_INVALID' }, none],
  'a certificate without its issuer': [{ fault: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, none],
  'a 500': [problem(500, 'internal-error', retryAfter), none],
  'a blocked function': [problem(409, 'appliance-function-blocked', retryAfter), none],
  'a 429 that does not say how long': [problem(429, 'throttled'), all, 1],
  'a 429 with decimals': [until('2.5'), all, 2.5],
  'a 429 until a date': [until(date), all, 24.25],
  'a 429 until a date as RFC 850 has it': [until(asRfc850), all, 24.25],
  'a 429 until a date as asctime has it': [until(asAsctime), all, 24.25],
  'a 429 until a date that has passed': [until('Wed, 21 Oct 2015 07:28:00 GMT'), all, 1],
  'a 429 for no time at all': [until('0'), all, 1],
  'a 429 for a negative time': [until('-5'), all, 1],
  'a 429 with two numbers': [until('3, 4'), all, 1],
  'a 429 until soon': [until('soon'), all, 1],
  'a 429 for longer than the patience': [until('31'), none],
};

const after = (obstacle: string, method: Method): Scenario => {
  const [given, retried, seconds] = obstacles[obstacle] as (typeof obstacles)[string];
  const [action, line, status] = methods[method];
  const isRetried = retried.includes(method);
  const { body = null, headers = {} } = action;
  const names = Object.entries({ ...headers, ...(body !== null && { 'content-type': 'application/json' }) });
  const sent = { apiKey, body, headers: Object.fromEntries(names.map(([name, value]) => [name.toLowerCase(), value])) };
  return {
    program: [action],
    answers: [given, status === 204 ? answer(204, '') : json(status, {})],
    steps: isRetried ? `${line}, waits ${seconds}, ${line}` : line,
    sent: isRetried ? [sent, sent] : [sent],
    outcome: { ok: isRetried },
  };
};

/** A read that the service keeps refusing: the client waits and retries while its patience lasts, and returns the answer. */
const refused = (waits: readonly number[], given: Answer, scenario: Partial<Scenario> = {}): Scenario => ({
  program: [methods.GET[0]],
  answers: [given],
  steps: [methods.GET[1], ...waits.map((seconds) => `waits ${seconds}, ${methods.GET[1]}`)].join(', '),
  outcome: { ok: false, status: 'fault' in given ? null : given.status },
  ...scenario,
});

const patience: Scenarios = {
  'of 30 seconds limits the waits of a call, and the call returns the last answer': refused([10, 10, 10], until('10'), {
    outcome: { ok: false, code: 'throttled', retryAfterSeconds: 10 },
  }),
  ...forEach([0, 9, 10, 19], (patienceSeconds) => [
    `of ${patienceSeconds} seconds`,
    refused(patienceSeconds < 10 ? [] : [10], until('10'), { client: { patienceSeconds } }),
  ]),
  'without Retry-After waits about a second, and twice as long each time': refused([1, 2, 4, 8], answer(429, '')),
  'waits so after a past date': refused([1, 2, 4, 8], until('Wed, 21 Oct 2015 07:28:00 GMT')),
  'waits so while the connection keeps failing': refused([1, 2, 4, 8], { fault: 'lost' }),
  'waits so after a 502': refused([1, 2, 4, 8], answer(502, '')),
  // Clients that were refused at the same time retry at different times.
  'waits half a second or more': refused([0.5, 1, 2, 4, 8], answer(429, ''), { random: 0 }),
  'waits a random time': refused([1.25, 2.5, 5, 10], answer(429, ''), { random: 0.75 }),
};

export const waiting: Scenarios = {
  ...forEach(
    Object.keys(obstacles).flatMap((name) => all.map((method) => [name, method] as const)),
    ([name, method]) => [`${method} after ${name}`, after(name, method)],
  ),
  ...prefixed('patience', patience),
  'the program may log each retry before its wait': {
    program: [methods.GET[0]],
    answers: [until('7'), { fault: 'lost' }, json(200, {})],
    showsRetries: true,
    steps: [
      `${methods.GET[1]}, retry 1 of getHeatingCircuit after throttled in 7, waits 7`,
      `${methods.GET[1]}, retry 2 of getHeatingCircuit after no-answer in 2, waits 2`,
      methods.GET[1],
    ].join(', '),
  },
  'a change is never repeated after a 500': {
    program: [{ ...methods.POST[0], isUntyped: true, forever: true }],
    answers: [problem(500, 'internal-error')],
    steps: methods.POST[1],
    outcome: { ok: false, code: 'internal-error' },
  },
  'a stop ends a wait without another request': {
    program: [methods.GET[0]],
    answers: [until('20')],
    interruption: { step: 2, by: 'stop' },
    steps: `${methods.GET[1]}, waits 20`,
    outcome: { ok: false, code: 'stopped' },
  },
};
