import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import { pageOf } from '../../../lambdas/api/schemas/common.ts';
import { contract } from '../../../lambdas/api/schemas/contract.ts';
import { pathParametersIn } from '../../../partner/openapi/parameters.ts';
import { documentationOf, referenceTo } from '../../../partner/openapi/schemas.ts';

test('a body is named after its schema, and a page after what it lists', () => {
  expect(referenceTo(contract)).toEqual({ $ref: '#/components/schemas/Contract' });
  expect(referenceTo(pageOf(contract))).toEqual({ $ref: '#/components/schemas/ContractPage' });
});

test('a body without documentation is an error that says what to export where', () => {
  const gadget = () => z.looseObject({});
  expect(() => documentationOf(gadget)).toThrow(
    'The body "gadget" has no documentation. Export gadgetDocs beside gadget in lambdas/api/schemas/.',
  );
});

test('an id in a path is described by the nearest body on the way to it', () => {
  const examplesOf = (operationId: keyof typeof endpoints) =>
    pathParametersIn(endpoints[operationId]).map(({ name, example }) => [name, example]);
  expect(examplesOf('deleteApiKey')).toEqual([['keyId', 'f3QnT7wLx0RkVb2Z']]);
  expect(examplesOf('listDhwTimePrograms')).toEqual([
    ['gatewayId', 'gw-1001'],
    ['circuitId', 'dhw1'],
  ]);
});

test('an id in a path that no body has is an error that says which', () => {
  expect(() => pathParametersIn({ ...endpoints.getContract, path: '/contract/{annexId}' })).toThrow(
    'The path /contract/{annexId} names {annexId}, and no body on the way to it has a property "annexId"',
  );
});
