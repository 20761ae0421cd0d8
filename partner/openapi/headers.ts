import { maxUrlCharacters, pollIntervalSeconds, ratePolicies } from '../../lambdas/api/limits.ts';
import { problems } from '../../lambdas/api/problems.ts';
import { maxInt32, requestId, timestamp } from '../../lambdas/api/schemas/common.ts';
import { apiStage, apiVersion, commonHeaders } from '../../lambdas/api/version.ts';
import { type JsonSchema, toJsonSchema } from './json-schema.ts';

type Header = { readonly description: string; readonly schema: JsonSchema; readonly example: string | number };

const policyName = `"(${Object.keys(ratePolicies).join('|')})"`;

const common = commonHeaders('');

/** A header with the same value in every answer. */
const always = (value = '') => ({ schema: { type: 'string', const: value }, example: value });

/** The headers of answers by name. */
const headers: Readonly<Record<string, Header>> = {
  'x-request-id': {
    description: 'The id of the request. Include it when you contact the operator.',
    schema: toJsonSchema(requestId, 'answered'),
    example: '8a4c1f0e-93b7-4d0e-9d5c-2f61b7f0a9e1',
  },
  'x-api-version': {
    description: 'The version of the API. The minor version increases with every additive change.',
    schema: {
      type: 'string',
      pattern: `^${apiVersion.split('.')[0]}\\.[0-9]+$`,
      maxLength: 16,
    },
    example: apiVersion,
  },
  'Cache-Control': {
    description: 'Caches must not store responses.',
    ...always(common['Cache-Control']),
  },
  'Strict-Transport-Security': {
    description: 'Browsers may reach this host only over HTTPS, for a year.',
    ...always(common['Strict-Transport-Security']),
  },
  'X-Content-Type-Options': {
    description: 'Browsers must not guess another type than Content-Type.',
    ...always(common['X-Content-Type-Options']),
  },
  'x-api-key-expires-at': {
    description: 'When the key in use expires, UTC. Every response to an authenticated request has this header.',
    schema: toJsonSchema(() => timestamp(), 'answered'),
    example: '2027-01-15T09:30:00Z',
  },
  'RateLimit-Policy': {
    description:
      'The rate policy of the operation: q requests at once, w seconds until an empty bucket is full. Every response to an authenticated request has this header.',
    schema: { type: 'string', pattern: `^${policyName};q=[0-9]+;w=[0-9]+$`, maxLength: 64 },
    example: '"gateway";q=3;w=6',
  },
  RateLimit: {
    description:
      'The state of the token bucket: r requests are left now, and the next token is added in t seconds. Every response to an authenticated request has this header.',
    schema: { type: 'string', pattern: `^${policyName};r=[0-9]+;t=[0-9]+$`, maxLength: 64 },
    example: '"gateway";r=2;t=2',
  },
  ETag: {
    description:
      'The version of the returned resource. Send it as If-Match with a change. It has no other use: reads ignore If-None-Match, and changes with it are refused.',
    schema: { type: 'string', pattern: '^"[0-9]+"$', maxLength: 64 },
    example: '"7"',
  },
  Location: {
    description: 'The path of the created resource.',
    schema: { type: 'string', pattern: `^/${apiStage}/[!-~]+$`, maxLength: maxUrlCharacters },
    example: `/${apiStage}/api-keys/f3QnT7wLx0RkVb2Z`,
  },
  'x-poll-interval': {
    description: 'The number of seconds to wait before the next read if `hasMore` is false.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxInt32 },
    example: pollIntervalSeconds,
  },
  'Retry-After': {
    description:
      'The time to wait in whole seconds, at least 1. After this time, the service does not refuse the request again for the same reason. Absent if the time is not known.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxInt32 },
    example: 2,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate. API Gateway may send it as x-amzn-remapped-www-authenticate.',
    ...always(problems['api-key-missing'].headers['WWW-Authenticate']),
  },
  Link: {
    description: 'The URL where the owner accepts the latest consent version.',
    schema: {
      type: 'string',
      pattern: '^<[!-~]+>; rel="blocked-by"$',
      maxLength: maxUrlCharacters + '<>; rel="blocked-by"'.length,
    },
    example: '<https://portal.example.com/consent>; rel="blocked-by"',
  },
};

/** Whether all answers of a kind have the header, or only some. */
export type Presence = 'required' | 'optional';

export const commonHeaderNames = Object.keys(common);
export const authenticatedHeaderNames = ['x-api-key-expires-at', 'RateLimit-Policy', 'RateLimit'];

const presencesOf = (name: string): Presence[] => {
  if (name === 'WWW-Authenticate') return ['optional'];
  return [...authenticatedHeaderNames, 'Retry-After'].includes(name) ? ['required', 'optional'] : ['required'];
};

const componentName = (name: string, presence: Presence) => (presence === 'required' ? name : `${name}-${presence}`);

/** All headers, as components of the document. */
export const headerComponents = () =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, header]) =>
      presencesOf(name).map((presence) => [
        componentName(name, presence),
        { ...header, required: presence === 'required' },
      ]),
    ),
  );

/** Returns references to the headers of an answer. */
export const headersOf = (names: readonly string[], presence: Presence) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${componentName(name, presence)}` }]));
