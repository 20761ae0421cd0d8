import type { CallOptions, PartnerClient } from '../../../partner/client/partner-client.ts';
import { json, lostConnection, problem } from './scripted.ts';

export type Call = (client: PartnerClient, options?: CallOptions) => Promise<{ readonly ok: boolean }>;

const path = { gatewayId: 'gw', circuitId: 'hc1', timeProgramId: '1' };

export type Method = 'GET' | 'POST' | 'POST with Idempotency-Key' | 'PUT' | 'PATCH' | 'DELETE';

/** A call of each HTTP method, and a POST with an Idempotency-Key. */
export const calls: Readonly<Record<Method, Call>> = {
  GET: (client, options) => client.call('getHeatingCircuit', { path, ...options }),
  POST: (client, options) => client.call('createApiKey', options),
  'POST with Idempotency-Key': (client, options) =>
    client.call('createApiKey', { headers: { 'Idempotency-Key': 'x' }, ...options }),
  PUT: (client) => client.call('updateHeatingTimeProgram', { path, body: { name: 'Any', switchPoints: [] } }),
  PATCH: (client) => client.call('updateHeatingCircuit', { path, body: { operationMode: 'off' } }),
  DELETE: (client) => client.call('deleteApiKey', { path: { keyId: 'f3QnT7wLx0RkVb2Z' } }),
};

export const successes: Readonly<Record<Method, Response>> = {
  GET: json(200, {}),
  POST: json(201, {}),
  'POST with Idempotency-Key': json(201, {}),
  PUT: json(202, {}),
  PATCH: json(202, {}),
  DELETE: new Response(null, { status: 204 }),
};

const retryAfter = { 'retry-after': '7' };
export const until = (field: string) => problem(429, 'throttled', { 'retry-after': field });

/** The time this many seconds from now, in the three formats of an HTTP date (RFC 9110, 5.6.7). */
const dateIn = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();
const asRfc850 = (date: string) =>
  date.replace(/^\w+, (\d+) (\w+) \d\d(\d\d)/, (_, day, month, year) => `Sunday, ${day}-${month}-${year}`);
const asAsctime = (date: string) => date.replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+) GMT/, '$1 $3 $2 $5 $4');

/** The answers before a success. Functions, because some contain the current time. */
export const obstaclesNow = () => ({
  'a 429 of its own counter': problem(429, 'rate-limit-exceeded', retryAfter),
  'a 429 of the whole service': problem(429, 'throttled', retryAfter),
  'a 429 of a proxy': new Response('Slow down', { status: 429, headers: retryAfter }),
  'a 503': problem(503, 'service-unavailable', retryAfter),
  'a 503 of a proxy, which does not say how long': new Response('Away', { status: 503 }),
  'a 502': new Response('<h1>Bad gateway</h1>', { status: 502 }),
  'a 502 of API Gateway': json(502, { message: 'Internal server error' }),
  'a 504': json(504, { message: 'Endpoint request timed out' }),
  'a 504 that says how long': new Response(null, { status: 504, headers: retryAfter }),
  'a lost connection': lostConnection(),
  'a certificate that nobody vouches for': lostConnection({ code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
  'a certificate of another host': lostConnection({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
  'a certificate without its issuer': lostConnection({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }),
  'a connection that is refused': lostConnection({ code: 'ECONNREFUSED' }),
  'a 500': problem(500, 'internal-error', retryAfter),
  'a blocked function': problem(409, 'appliance-function-blocked', retryAfter),
  'a 429 that does not say how long': problem(429, 'throttled'),
  'a 429 with decimals': until('2.5'),
  'a 429 until a date': until(dateIn(25)),
  'a 429 until a date as RFC 850 has it': until(asRfc850(dateIn(25))),
  'a 429 until a date as asctime has it': until(asAsctime(dateIn(25))),
  'a 429 until a date that has passed': until('Wed, 21 Oct 2015 07:28:00 GMT'),
  'a 429 for no time at all': until('0'),
  'a 429 for a negative time': until('-5'),
  'a 429 with two numbers': until('3, 4'),
  'a 429 until soon': until('soon'),
  'a 429 for longer than the patience': until('31'),
});

const all = Object.keys(calls);
const repeatable = ['GET', 'POST with Idempotency-Key'];
const none: readonly string[] = [];

type Waiting = { readonly of: readonly string[]; readonly least: number; readonly most: number };

const waiting = (of: readonly string[], least: number, most = least): Waiting => ({ of, least, most });
/** About one second: the back-off without Retry-After. */
const aSecond = (of: readonly string[]) => waiting(of, 0.5, 1.5);
const untilThen = waiting(all, 2, 25);

export type ObstacleName = keyof ReturnType<typeof obstaclesNow>;

/** The methods that retry after each obstacle, and the seconds that they wait. */
export const expected: Readonly<Record<ObstacleName, Waiting>> = {
  'a 429 of its own counter': waiting(all, 7),
  'a 429 of the whole service': waiting(all, 7),
  'a 429 of a proxy': waiting(all, 7),
  'a 503': waiting(repeatable, 7),
  'a 503 of a proxy, which does not say how long': aSecond(repeatable),
  'a 502': aSecond(repeatable),
  'a 502 of API Gateway': aSecond(repeatable),
  'a 504': aSecond(repeatable),
  'a 504 that says how long': waiting(repeatable, 7),
  'a lost connection': aSecond(repeatable),
  'a certificate that nobody vouches for': waiting(none, 0),
  'a certificate of another host': waiting(none, 0),
  'a certificate without its issuer': waiting(none, 0),
  'a connection that is refused': aSecond(repeatable),
  'a 500': waiting(none, 0),
  'a blocked function': waiting(none, 0),
  'a 429 that does not say how long': aSecond(all),
  'a 429 with decimals': waiting(all, 2.5),
  'a 429 until a date': untilThen,
  'a 429 until a date as RFC 850 has it': untilThen,
  'a 429 until a date as asctime has it': untilThen,
  'a 429 until a date that has passed': aSecond(all),
  'a 429 for no time at all': aSecond(all),
  'a 429 for a negative time': aSecond(all),
  'a 429 with two numbers': aSecond(all),
  'a 429 until soon': aSecond(all),
  'a 429 for longer than the patience': waiting(none, 0),
};
