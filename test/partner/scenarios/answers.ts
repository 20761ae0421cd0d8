import { expect } from 'vitest';
import {
  type Answer,
  type Answered,
  answer,
  call,
  forEach,
  json,
  prefixed,
  problem,
  problemBody,
  type Scenario,
  type Scenarios,
} from './scenario.ts';

const said = {
  'x-request-id': 'r-1',
  'x-api-key-expires-at': '2036-09-15T12:00:00Z',
  ratelimit: '"gateway";r=2;t=1',
};
const asRead = {
  requestId: 'r-1',
  apiKeyExpiresAt: '2036-09-15T12:00:00Z',
  rateLimit: { policy: 'gateway', remaining: 2, nextInSeconds: 1 },
};
const nothing = { requestId: null, apiKeyExpiresAt: null, rateLimit: null };
const circuit = { circuitId: 'hc1' };

/** A read of a circuit that gets an answer. */
const read = (given: Answer, outcome: object): Scenario => ({
  // The service is asked once, whatever it answers.
  client: { patienceSeconds: 0 },
  program: [call('getHeatingCircuit', { path: { gatewayId: 'gw', circuitId: 'hc1' } })],
  answers: [given],
  steps: 'GET /hvacs/gw/heatingCircuits/hc1',
  outcome,
});

const ofType = (type: string) => answer(200, '{"circuitId":"hc1"}', { 'content-type': type });
const success = { ok: true, status: 200, body: circuit };
const refusal = { ok: false, code: 'circuit-not-found', status: 404 };

const documented: Scenarios = {
  'a success has its body, its headers and the common members': read(json(200, circuit, { ...said, etag: '"7"' }), {
    ...success,
    ...asRead,
    headers: { 'content-type': 'application/json', ...said, etag: '"7"' },
  }),
  'members that a success lacks are absent': read(json(200, circuit), { ...success, ...nothing }),
  'a rate limit in another form is absent': read(json(200, circuit, { ratelimit: 'limit=3' }), {
    ...success,
    ...nothing,
  }),
  ...forEach(
    ['Application/JSON; Charset=UTF-8', 'APPLICATION/JSON', ' application/json\t; charset="utf-8"'],
    (type) => [
      `a media type is compared without case and spaces: ${JSON.stringify(type)}`,
      read(ofType(type), success),
    ],
  ),
  'a byte order mark is not part of a body': read(
    answer(200, '\uFEFF{"circuitId":"hc1"}', { 'content-type': 'application/json' }),
    success,
  ),
  'a success without content has no body': {
    program: [call('deleteApiKey', { path: { keyId: 'k' } })],
    answers: [answer(204, '', said)],
    steps: 'DELETE /api-keys/k',
    outcome: { ok: true, status: 204, body: null, ...asRead },
  },
  'a problem is returned unchanged, with the common members and the time to retry': read(
    problem(404, 'circuit-not-found', { ...said, 'retry-after': '3600' }),
    { ...refusal, ...asRead, problem: problemBody(404, 'circuit-not-found'), retryAfterSeconds: 3600 },
  ),
  'members that a problem lacks are absent': read(problem(404, 'circuit-not-found'), {
    ...refusal,
    ...nothing,
    retryAfterSeconds: null,
  }),
  ...forEach(['Application/Problem+JSON', 'application/problem+json ; charset=utf-8'], (type) => [
    `the media type ${type} is that of a problem`,
    read(problem(404, 'circuit-not-found', { 'content-type': type }), refusal),
  ]),
};

const html = { 'content-type': 'text/html; charset=utf-8' };
const aProblem = { 'content-type': 'application/problem+json' };

/** Answers that the API document does not describe: the content that the client names, and the body that it returns. */
const undocumented: readonly (readonly [string, Answered, string, unknown])[] = [
  ['the page of a proxy', answer(502, '<h1>Bad</h1>', html), 'text/html', '<h1>Bad</h1>'],
  ['a login page', answer(200, '<h1>Log in</h1>', html), 'text/html', '<h1>Log in</h1>'],
  ['truncated JSON', answer(200, '{"circ', { 'content-type': 'application/json' }), 'application/json', '{"circ'],
  ['a truncated problem', answer(404, '{"code":', aProblem), 'application/problem+json', '{"code":'],
  ['a problem without a code', json(404, {}, aProblem), 'application/problem+json', {}],
  ['a problem that is null', json(404, null, aProblem), 'application/problem+json', null],
  ['no content', answer(204, ''), 'no content', ''],
  ['another success', json(202, circuit), 'application/json', circuit],
  ['JSON of another media type', ofType('application/hal+json'), 'application/hal+json', circuit],
  ['a redirect', answer(302, '', { location: 'https://example.org' }), 'no content', ''],
  ['JSON of a proxy', json(403, { message: 'Forbidden' }), 'application/json', { message: 'Forbidden' }],
];

const unknown: Scenarios = {
  ...forEach(undocumented, ([name, given, content, body]) => [
    name,
    read(given, {
      ok: false,
      code: 'unknown-answer',
      status: given.status,
      title: `Status ${given.status} is not a documented answer of this operation`,
      detail: `Expected a success or a problem of the operation, but received status ${given.status} with ${content}. Check that the baseUrl is the URL of the API, and whether a proxy answered.`,
      body,
    }),
  ]),
  ...forEach(['a-new-problem', 'api-key-in-use'], (code) => [
    `the problem ${code}, which keeps its title and detail`,
    read(problem(409, code, said), {
      ok: false,
      code: 'unknown-answer',
      status: 409,
      title: 'A title',
      detail: 'A detail.',
      body: problemBody(409, code),
      ...asRead,
    }),
  ]),
};

const noAnswer = { ok: false, code: 'no-answer', status: null, isCauseKept: true, ...nothing };
const untrusted = expect.stringContaining(
  'Check the baseUrl and the certificate authorities that this process trusts.',
);

const failed: Scenarios = {
  'a failed connection is an answer': read(
    { fault: 'ECONNREFUSED' },
    {
      ...noAnswer,
      title: 'The connection failed',
      detail: 'The reason is ECONNREFUSED. Call again later.',
    },
  ),
  'a connection without a reason': read({ fault: 'lost' }, { ...noAnswer, detail: 'fetch failed. Call again later.' }),
  'a request that times out': read({ fault: 'timeout' }, noAnswer),
  'an answer that ends early': read({ fault: 'cut' }, noAnswer),
  'a certificate of another service': read({ fault: 'SELF_SIGNED_CERT_IN_CHAIN' }, { ...noAnswer, detail: untrusted }),
  'a change whose connection failed may have been carried out': {
    program: [call('deleteApiKey', { path: { keyId: 'k' } })],
    answers: [{ fault: 'lost' }],
    steps: 'DELETE /api-keys/k',
    outcome: {
      ...noAnswer,
      detail: expect.stringContaining('The operation may or may not have been carried out. Read'),
    },
  },
  'an error inside the function that sends is not a failed connection': read(
    { fault: 'bug' },
    { ok: false, code: 'error', detail: expect.stringContaining('A fault of the program.') },
  ),
};

export const answers: Scenarios = {
  ...documented,
  ...failed,
  ...prefixed('the API document does not describe', unknown),
};
