import { describe, expect, test } from 'vitest';
import { problemBody, problemMediaType } from '../../../lambdas/api/problems.ts';
import { heatingCircuitDocs } from '../../../lambdas/api/schemas/circuit.ts';
import { type Answer, expectDocumented, expectDocumentedAt } from '../../support/api-document.ts';

const common = {
  'x-request-id': 'r1',
  'x-api-version': '1.0',
  'cache-control': 'no-store',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
};

const good: Answer = {
  status: 200,
  headers: {
    ...common,
    'content-type': 'application/json',
    'x-api-key-expires-at': '2027-01-15T09:30:00Z',
    'ratelimit-policy': '"gateway";q=3;w=6',
    ratelimit: '"gateway";r=2;t=2',
    etag: '"7"',
  },
  body: heatingCircuitDocs().example,
};

const refusal: Answer = {
  status: 503,
  headers: { ...common, 'content-type': problemMediaType, 'retry-after': '1' },
  body: problemBody('service-unavailable', 'r1'),
};

const withHeader = (answer: Answer, name: string, value: string): Answer => ({
  ...answer,
  headers: { ...answer.headers, [name]: value },
});

const withoutHeader = (answer: Answer, name: string): Answer => {
  const { [name]: _, ...headers } = answer.headers;
  return { ...answer, headers };
};

const withBody = (answer: Answer, properties: object): Answer => ({
  ...answer,
  body: { ...answer.body, ...properties },
});

test.each<[string, Answer]>([
  ['a success', good],
  ['one with a property that the document does not know', withBody(good, { later: true })],
  ['a refusal', refusal],
])('%s is as documented', (_, answer) => expectDocumented('getHeatingCircuit', answer));

describe('finds deviations from the document:', () => {
  test.each<[string, Answer]>([
    ['a missing header', withoutHeader(good, 'etag')],
    ['an undocumented header', withHeader(good, 'set-cookie', 'a=b')],
    ['a malformed header', withHeader(good, 'ratelimit', '2')],
    ['a wait of no time', withHeader(refusal, 'retry-after', '0')],
    ['a status', { ...good, status: 202 }],
    ['a media type', withHeader(refusal, 'content-type', 'application/json')],
    ['a property of another type', withBody(good, { roomTemperatureCelsius: '20.9' })],
    ['a value outside its bounds', withBody(good, { roomSetpointCelsius: 151 })],
    ['a time that is not UTC', withBody(good, { reportedAt: '2026-11-20T16:30:00+01:00' })],
    ['a problem of another operation', { ...refusal, body: problemBody('api-key-in-use', 'r1') }],
  ])('%s', (_, answer) => expect(() => expectDocumented('getHeatingCircuit', answer)).toThrow());

  test('a body where none is documented', () => {
    expect(() => expectDocumented('deleteApiKey', { ...withoutHeader(good, 'etag'), status: 204 })).toThrow();
  });
});

test('the operation of an answer is found by the path of the request', () => {
  expectDocumentedAt('GET', '/hvacs/gw-1001/heatingCircuits/hc1?a=b', good);
  expect(() => expectDocumentedAt('GET', '/hvacs/gw-1001/dhwCircuits/dhw1', good)).toThrow();
  expect(() => expectDocumentedAt('GET', '/nowhere', good)).toThrow();
});
