import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { actingForProblem } from '../../../lambdas/chain/authorization.ts';

/** The code of the problem that such headers are refused with; undefined if they let the request pass. */
const refusalOf = (multiValueHeaders: Record<string, string[]>) => {
  const event = { multiValueHeaders } as unknown as APIGatewayProxyEvent;
  return actingForProblem(event, { userId: 'owner-1' })?.code;
};

test.each([
  ['the owner of the contract', { 'x-user-id': ['owner-1'] }, undefined],
  ['in any spelling of the header', { 'X-User-Id': ['owner-1'] }, undefined],
  ['nobody', {}, 'user-id-missing'],
  ['an empty value', { 'x-user-id': [''] }, 'user-id-missing'],
  ['somebody else', { 'x-user-id': ['owner-2'] }, 'user-id-mismatch'],
  ['the owner in another case', { 'x-user-id': ['Owner-1'] }, 'user-id-mismatch'],
  ['the owner with a space', { 'x-user-id': ['owner-1 '] }, 'user-id-mismatch'],
  ['the owner twice', { 'x-user-id': ['owner-1', 'owner-1'] }, 'user-id-mismatch'],
  ['the owner and somebody else', { 'x-user-id': ['owner-1'], 'X-USER-ID': ['owner-2'] }, 'user-id-mismatch'],
])('on behalf of %s', (_, headers, expected) => {
  expect(refusalOf(headers)).toBe(expected);
});
