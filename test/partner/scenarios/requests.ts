import { expect } from 'vitest';
import {
  type Action,
  apiKey,
  call,
  forEach,
  json,
  prefixed,
  type Scenario,
  type Scenarios,
  userId,
} from './scenario.ts';

const contract = call('getContract');
const path = { gatewayId: 'gw-1001', circuitId: 'hc1' };

const sending: Scenarios = {
  'a read has method, path, API key, owner and timeout': {
    program: [call('getHeatingCircuit', { path })],
    steps: 'GET /hvacs/gw-1001/heatingCircuits/hc1',
    sent: [{ apiKey, userId, headers: {}, body: null, timeoutSeconds: 10 }],
  },
  'a change may be based on the number of a version, which its ETag contains': {
    program: [call('deleteHoliday', { path: { gatewayId: 'gw' }, headers: { 'If-Match': 7 } })],
    answers: [json(202, {})],
    steps: 'DELETE /hvacs/gw/holiday',
    sent: [{ headers: { 'if-match': '"7"' } }],
  },
  'a change has a JSON body and the version on which it is based': {
    program: [call('updateHeatingCircuit', { path, body: { operationMode: 'off' }, headers: { 'If-Match': '"7"' } })],
    answers: [json(202, {})],
    steps: 'PATCH /hvacs/gw-1001/heatingCircuits/hc1',
    sent: [{ headers: { 'if-match': '"7"', 'content-type': 'application/json' }, body: { operationMode: 'off' } }],
  },
  'a list has the given query parameters and no others': {
    program: [call('listGateways', { query: { limit: 2, cursor: 'a+b/c=' } }), call('listGateways', { query: {} })],
    steps: 'GET /hvacs?cursor=a%2Bb%2Fc%3D&limit=2, GET /hvacs',
  },
  'an id with slashes stays one segment': {
    program: [call('getGateway', { path: { gatewayId: '../contract?x#y' } })],
    steps: 'GET /hvacs/..%2Fcontract%3Fx%23y',
  },
  'a base URL may end with a slash': {
    client: { baseUrl: 'https://gateway.acme.example/heating/v1/' },
    program: [contract],
    steps: 'GET https://gateway.acme.example/heating/v1/contract',
  },
  ...forEach(['1.2.3.4', 'gateway_2.ACME-eu.example:1', '[::ffff:1.2.3.4]:65535', '127.1.example'], (host) => [
    `a base URL may have the host and port ${host}`,
    {
      client: { baseUrl: `https://${host}/a..b/~%C3%BC;x=1/v1` },
      program: [contract],
      steps: `GET https://${host}/a..b/~%C3%BC;x=1/v1/contract`,
    },
  ]),
  ...forEach([' https://[::1]:8443/v1\r\n', '\ufeffhttps://[::1]:8443/v1\t'], (baseUrl) => [
    `a base URL may come from a file: ${JSON.stringify(baseUrl)}`,
    { client: { baseUrl }, program: [contract], steps: 'GET https://[::1]:8443/v1/contract' },
  ]),
  'the timeout of a request can be set': {
    client: { timeoutSeconds: 2.01 },
    program: [contract],
    steps: 'GET /contract',
    sent: [{ timeoutSeconds: 2.01 }],
  },
};

const owners: Scenarios = {
  'the owner is sent only to operations that accept one': {
    program: [call('listApiKeys'), contract],
    steps: 'GET /api-keys, GET /contract',
    sent: [{ userId: null }, { userId }],
  },
  'an empty owner is no owner': {
    client: { userId: '' },
    program: [contract],
    steps: 'GET /contract',
    sent: [{ userId: null }],
  },
  'a client for another owner shares the key that is set later': {
    program: [
      { do: 'forOwner', userId: 'owner-4712' },
      { do: 'useApiKey', apiKey: 'from-now-on' },
      call('listGateways', { owner: 'owner-4712' }),
      call('listGateways'),
      { do: 'forOwner', userId: 'owner-4713', owner: 'owner-4712' },
      call('getContract', { owner: 'owner-4713' }),
    ],
    steps: 'GET /hvacs, GET /hvacs, GET /contract',
    sent: ['owner-4712', 'owner-4711', 'owner-4713'].map((each) => ({ userId: each, apiKey: 'from-now-on' })),
  },
  'a client for another owner has the same patience and timeout': {
    client: { patienceSeconds: 1, timeoutSeconds: 3 },
    program: [{ do: 'forOwner', userId: 'owner-4712' }, call('getContract', { owner: 'owner-4712' })],
    answers: [{ fault: 'lost' }, json(200, {})],
    steps: 'GET /contract, waits 1, GET /contract',
    sent: [{ timeoutSeconds: 3 }, { timeoutSeconds: 3 }],
  },
};

const keys: Scenarios = {
  'a key can be replaced for one call, or for all later calls': {
    program: [call('getContract', { apiKey: 'for-one' }), contract, { do: 'useApiKey', apiKey: 'later' }, contract],
    steps: 'GET /contract, GET /contract, GET /contract',
    sent: [{ apiKey: 'for-one' }, { apiKey }, { apiKey: 'later' }],
  },
  'the key of a running call does not change': {
    program: [contract],
    answers: [json(429, {}, { 'retry-after': '1' }), json(200, {})],
    interruption: { step: 2, by: { useApiKey: 'from-now-on' } },
    steps: 'GET /contract, waits 1, GET /contract',
    sent: [{ apiKey }, { apiKey }],
  },
};

const refused = (detail: unknown, scenario: Omit<Scenario, 'steps' | 'outcome'>): Scenario => ({
  ...scenario,
  steps: '',
  outcome: { ok: false, code: 'invalid-argument', detail },
});

const containing = (text: string) => expect.stringContaining(text);
const wrongUrls = [
  ...[':abc/v1', ':99999/v1', ':/v1', '/v 1', '\n/v1', '/v1?x=y', '/v1#top', '\\v1', ']/v1'].map(
    (rest) => `api.example.com${rest}`,
  ),
  ...['api example.com/v1', '[::1/v1', '/v1', 'user:secret@api.example.com/v1', `${apiKey}:x/v1`],
  ...['<host>/v1', '[abcd]/v1', '256.256.256.256/v1', '127.1/v1', '0x7f.0.0.1/v1', '010.0.0.1/v1', 'a.1/v1'],
  ...['api.example.com|/v1', 'api..example.com/v1', 'api.example.com./v1', `${'a'.repeat(64)}.example/v1`],
  ...['api.\x01example.com/v1', 'api.example.com/\x7f/v1', 'api.example\u200b.com/v1', 'api.ex\u00adample.com/v1'],
  ...['/v1…', '/ü/v1', ':0/v1', '/../v1', '/%2E/v1', '/<stage>/v1'].map((rest) => `api.example.com${rest}`),
];
const isNotText = /^(?!.*4711)The (baseUrl|apiKey) is .* Expected text\. Is its environment variable set\?$/;
const isNoOwner = /Pass a userId from listContracts\.$/;

/** Options with which no client is made, and what the error says: neither a key nor a password. */
const wrongOptions: readonly (readonly [name: string, value: unknown, says: RegExp])[] = [
  ...wrongUrls.map(
    (url) => ['baseUrl', `https://${url}`, /^(?!.*(secret|xHCS))The baseUrl is .* is not a valid URL\. /s] as const,
  ),
  ...[null, 4711, ['https://api.example.com/v1']].flatMap((value) => [
    ['baseUrl', value, isNotText] as const,
    ['apiKey', value, isNotText] as const,
  ]),
  ...[4711, 'owner-4711\n', 'two words'].map((value) => ['userId', value, isNoOwner] as const),
  ...['30', -1].map(
    (value) => ['patienceSeconds', value, /^The patienceSeconds are '.*'\. Expected a number/] as const,
  ),
  ...['30', -1, 86_401, 1e10].map(
    (value) => ['timeoutSeconds', value, /^The timeoutSeconds are '.*'\. Expected a number/] as const,
  ),
];

const gateway = (gatewayId: unknown) => call('getGateway', { path: { gatewayId } });
const creation = (value: unknown) => call('createApiKey', { headers: { 'Idempotency-Key': value as string } });

/** Actions that send nothing, and what the error says. */
const wrongActions: readonly (readonly [Action, RegExp])[] = [
  ...[null, 4711, 'owner\n'].map((value) => [{ do: 'forOwner', userId: value }, isNoOwner] as const),
  ...[4711, ['gw-1001']].map(
    (id) => [gateway(id), /Expected text\. Pass a gatewayId that the API returned\.$/] as const,
  ),
  // These would lead to another path.
  ...['', '.', '..', 'gw-1001\n'].map((id) => [gateway(id), /is not a valid gatewayId for the path\./] as const),
  ...[-1, 1.5, 1e21].map(
    (version) =>
      [
        call('deleteHoliday', { path: { gatewayId: 'gw' }, headers: { 'If-Match': version } }),
        /^The header if-match is /,
      ] as const,
  ),
  [creation(4711), /^The header idempotency-key is of type/],
  [creation('secret\n'), /^The header idempotency-key contains characters that (?!.*secret)/],
];

const wrongKeys = ['', `${apiKey}\n`, `${apiKey}\nx`, 'Schlüssel', 'two words'];
/** The whole text, so it does not quote the key. */
const wrongKey = 'The apiKey is empty or contains invalid characters, for example a line break at its end.';

const refusals: Scenarios = {
  ...forEach(wrongKeys, (key) => [
    `the key ${JSON.stringify(key)} of a client`,
    refused(wrongKey, { client: { apiKey: key }, program: [contract] }),
  ]),
  ...forEach(wrongKeys, (key) => [
    `the key ${JSON.stringify(key)} of one call and of all later calls`,
    refused(wrongKey, { program: [call('getContract', { apiKey: key }), { do: 'useApiKey', apiKey: key }] }),
  ]),
  ...forEach(['http://api.example.com/v1', 'api.example.com', ''], (baseUrl) => [
    `the base URL '${baseUrl}', because the key would not be encrypted`,
    refused(containing(`The baseUrl is '${baseUrl}' and must begin with https://`), {
      client: { baseUrl },
      program: [contract],
    }),
  ]),
  ...forEach(wrongOptions, ([name, value, says]) => [
    `${name} ${JSON.stringify(value)} of a client`,
    refused(expect.stringMatching(says), { client: { [name]: value }, program: [contract] }),
  ]),
  ...forEach(wrongActions, ([action, says]) => [
    JSON.stringify(action),
    refused(expect.stringMatching(says), { program: [action] }),
  ]),
  'a missing id': refused(containing("'' is not a valid gatewayId"), {
    program: [call('getGateway', { isUntyped: true })],
  }),
  // The second one is a member of every object.
  ...forEach(['getGatway', 'toString'], (operationId) => [
    `the unknown operation ${operationId}`,
    refused(containing(`Unknown operation ${operationId}`), { program: [call(operationId, { isUntyped: true })] }),
  ]),
  'a call without the owner that it needs': refused(containing('pass a userId from listContracts'), {
    client: { userId: undefined },
    program: [call('listGateways')],
  }),
};

/** The client accepts these URLs, because another path may lead to the API, too. */
const warnings = forEach(['', '/', '/v1/contract'], (path) => [
  `the base URL ${path} does not end with the version, so the client warns`,
  {
    client: { baseUrl: `https://other.example${path}` },
    program: [contract],
    steps: `warns: The baseUrl is 'https://other.example${path}' and does not end with /v1. The base URL of the API does: check it if calls fail., GET https://other.example${path.replace(/\/$/, '')}/contract`,
  },
]);

export const requests: Scenarios = {
  ...sending,
  ...owners,
  ...keys,
  ...prefixed('refuses', refusals),
  ...warnings,
};
