import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import type { CallRequest } from '../../../lambdas/chain/call.ts';
import { userId } from '../../../lambdas/chain/steps/user-id.ts';

const { before } = userId({ operationId: 'getContract', ...endpoints.getContract });

/** The step alone, since no endpoint asks for it yet: for a contract of owner-1. */
const outcomeOf = async (multiValueHeaders: Record<string, string[]>): Promise<unknown> => {
  const call = { contract: { userId: 'owner-1' } };
  const request = { event: { multiValueHeaders } as unknown as APIGatewayProxyEvent, context: { call } };
  try {
    return await before?.(request as unknown as CallRequest);
  } catch (error) {
    return (error as { code: string }).code;
  }
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
])('on behalf of %s', async (_, headers, expected) => {
  expect(await outcomeOf(headers)).toBe(expected);
});
