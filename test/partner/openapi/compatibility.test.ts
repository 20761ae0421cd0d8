import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { apiStage } from '../../../lambdas/api/version.ts';
import { brokenPromises, compatibilityLinesOf } from '../../../partner/openapi/compatibility.ts';
import { openApiDocument } from '../../../partner/openapi/document.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a change breaks is not a matter of types
type Changeable = any;

const written = JSON.stringify(openApiDocument());
const today = (): Changeable => JSON.parse(written);
const promised = readFileSync(`docs/api-compatibility-${apiStage}.txt`, 'utf8').trim().split('\n');

const brokenBy = (change: (document: Changeable) => void): string[] => {
  const document = today();
  change(document);
  return brokenPromises(promised, compatibilityLinesOf(document));
};

const circuitPath = '/hvacs/{gatewayId}/heatingCircuits/{circuitId}';

describe('a promise is broken', () => {
  test.each<[string, string, (document: Changeable) => void]>([
    ['an operation is removed', 'getContract: GET /contract', ({ paths }) => delete paths['/contract']],
    [
      'an operation moves',
      'getContract: GET /contract',
      ({ paths }) => {
        paths['/contracts'] = paths['/contract'];
        delete paths['/contract'];
      },
    ],
    [
      'a parameter becomes required',
      'listGateways needs x-user-id',
      ({ paths }) => paths['/hvacs'].get.parameters.push({ name: 'since', in: 'query', required: true }),
    ],
    [
      'an optional parameter is removed',
      'updateHeatingCircuit takes If-Match',
      ({ paths }) => paths[circuitPath].patch.parameters.pop(),
    ],
    [
      'a property of a body becomes required',
      'HeatingCircuitUpdate needs nothing',
      ({ components }) => {
        components.schemas.HeatingCircuitUpdate.required = ['operationMode'];
      },
    ],
    [
      'a new property of a part of a body is required',
      'HeatingTimeProgramUpdate.switchPoints[] needs dayOfWeek, time, setpoint',
      ({ components }) => components.schemas.HeatingTimeProgramUpdate.properties.switchPoints.items.required.push('x'),
    ],
    [
      'the status of an answer changes',
      'getContract answers 200 Contract',
      ({ paths: { '/contract': contract } }) => {
        contract.get.responses = { 203: contract.get.responses['200'] };
      },
    ],
    [
      'a header is removed',
      'getHeatingCircuit answers with ETag',
      ({ paths }) => delete paths[circuitPath].get.responses['200'].headers.ETag,
    ],
    [
      'a property of an answer is removed',
      'Contract.consent.upToDate: boolean',
      ({ components }) => delete components.schemas.Contract.properties.consent.properties.upToDate,
    ],
    [
      'a property of an answer may be absent',
      'Contract.userId: string',
      ({ components }) => components.schemas.Contract.required.splice(1, 1),
    ],
    [
      'a property gets another type',
      'OwnApiKey.validKeys: integer',
      ({ components }) => {
        components.schemas.OwnApiKey.properties.validKeys.type = 'string';
      },
    ],
    [
      'a list may be null',
      'Gateway.faults[]: object',
      ({ components }) => {
        components.schemas.Gateway.properties.faults.type = ['array', 'null'];
      },
    ],
    [
      'a property may be null',
      'HeatingCircuit.version: integer',
      ({ components }) => {
        components.schemas.HeatingCircuit.properties.version.type = ['integer', 'null'];
      },
    ],
    [
      'an enum gets another value',
      'HeatingCircuit.state: "confirmed" | "pending"',
      ({ components }) => components.schemas.HeatingCircuit.properties.state.enum.push('failed'),
    ],
    [
      'a problem gets another status',
      'ConsentOutdatedProblem.status: 451',
      ({ components }) => {
        components.schemas.ConsentOutdatedProblem.properties.status.const = 403;
      },
    ],
    [
      'an operation allows fewer requests at once',
      'listGateways allows 5 at once and one more every 500 ms',
      ({ paths }) => {
        paths['/hvacs'].get['x-rate-limit'].burst = 4;
      },
    ],
    [
      'an operation allows requests less often',
      'listGateways allows 5 at once and one more every 500 ms',
      ({ paths }) => {
        paths['/hvacs'].get['x-rate-limit'] = { policy: 'bulk', refillIntervalMs: 501, burst: 9 };
      },
    ],
    [
      'the items of a list get another type',
      'GatewayPage.items[]: Gateway',
      ({ components }) => {
        components.schemas.GatewayPage.properties.items.items.$ref = '#/components/schemas/Contract';
      },
    ],
  ])('where %s', (_, promise, change) => {
    expect(brokenBy(change)).toContain(promise);
  });
});

test('additions break no promise: operations, optional parameters, properties, headers, problems, limits', () => {
  const broken = brokenBy(({ paths, components }) => {
    paths['/new'] = { get: { ...structuredClone(paths['/contract'].get), operationId: 'getNew' } };
    paths['/hvacs'].get.parameters.push({ name: 'since', in: 'query', required: false });
    paths['/hvacs'].get.responses['200'].headers.New = {};
    paths['/hvacs'].get['x-rate-limit'] = { policy: 'new', refillIntervalMs: 499, burst: 6 };
    components.schemas.Contract.properties.new = { type: 'string' };
    components.schemas.Contract.required.push('new');
    components.schemas.HeatingCircuitUpdate.properties.new = { type: 'string' };
    components.schemas.NewProblem = structuredClone(components.schemas.InternalErrorProblem);
  });
  expect(broken, 'If npm run generate refuses the document, do what it says first.').toEqual([]);
});
