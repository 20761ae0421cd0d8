import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { namedUserOf } from '../../../lambdas/chain/request.ts';

const owner = { id: 'owner-1' };

test.each<[string, Record<string, string[]>, ReturnType<typeof namedUserOf>]>([
  ['an owner', { 'x-user-id': ['owner-1'] }, owner],
  ['an owner in any spelling of the header', { 'X-User-Id': ['owner-1'] }, owner],
  ['no owner', {}, 'missing'],
  ['an empty value', { 'x-user-id': [''] }, 'missing'],
  ['an owner id in another case, which is another owner', { 'x-user-id': ['Owner-1'] }, { id: 'Owner-1' }],
  ['an owner with a space', { 'x-user-id': ['owner-1 '] }, 'malformed'],
  ['an owner of another company, with its id', { 'x-user-id': ['acme|owner-1'] }, 'malformed'],
  ['an owner twice', { 'x-user-id': ['owner-1', 'owner-1'] }, 'malformed'],
  ['two owners', { 'x-user-id': ['owner-1'], 'X-USER-ID': ['owner-2'] }, 'malformed'],
])('a request that names %s', (_, multiValueHeaders, expected) => {
  expect(namedUserOf({ multiValueHeaders } as unknown as APIGatewayProxyEvent)).toEqual(expected);
});
