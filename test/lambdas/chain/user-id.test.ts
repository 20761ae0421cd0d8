import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import { userId } from '../../../lambdas/chain/steps/access/user-id.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';

const step = userId({ operationId: 'listGateways', ...endpoints.listGateways });
const contract = { userId: 'owner-1' } as Contract;

/** The code of the problem that the step refuses with; undefined if it lets the request pass. */
const refusalOf = async (multiValueHeaders: Record<string, string[]>) => {
  const event = { multiValueHeaders } as unknown as APIGatewayProxyEvent;
  return (await step({ event, contract, settings: {} }))?.code;
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
  expect(await refusalOf(headers)).toBe(expected);
});
