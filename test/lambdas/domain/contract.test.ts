import { describe, expect, test } from 'vitest';
import { gatewayPage, grantIn } from '../../../lambdas/domain/contract.ts';

const grant = { grantedAtMs: 1, receivedAtMs: 2 };
const gateways = { 'gw-2': grant, 'gw-10': grant, 'gw-1': grant };

test('a contract covers the gateways that it names, and none that all objects have', () => {
  expect(grantIn({ gateways }, 'gw-1')).toEqual(grant);
  for (const gatewayId of ['gw-3', 'constructor', 'toString']) expect(grantIn({ gateways }, gatewayId)).toBeUndefined();
});

describe('a page of the gateways of a contract', () => {
  test.each<[number, string | undefined, string[], string | undefined]>([
    [3, undefined, ['gw-1', 'gw-10', 'gw-2'], undefined],
    [2, undefined, ['gw-1', 'gw-10'], 'gw-10'],
    [2, 'gw-10', ['gw-2'], undefined],
    [1, 'gw-1', ['gw-10'], 'gw-10'],
    [1, 'gw-2', [], undefined],
    [1, 'gw-11', ['gw-2'], undefined],
  ])('of %i, after %s', (limit, after, gatewayIds, next) => {
    expect(gatewayPage({ gateways }, limit, after)).toEqual({ gatewayIds, next });
  });
});
