import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { endpoints, type OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { Problem } from '../../../lambdas/api/problems.ts';
import { openRequest, request, type WellFormed } from '../../../lambdas/chain/request.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { generateKey } from '../../../lambdas/domain/api-key.ts';
import { createProcessMemory } from '../../../lambdas/runtime/process-memory.ts';
import { type CallOptions, proxyEvent } from '../../support/call.ts';
import { startMs } from '../../support/world.ts';

/** Opens a request in a process whose clock shows this time. */
const open = (event: unknown, processTimeMs: number = startMs) =>
  openRequest(event as APIGatewayProxyEvent, { awsRequestId: 'own-id' } as Context, {
    memory: createProcessMemory(),
    processTimeMs: () => processTimeMs,
    store: { send: () => expect.unreachable(), tableName: (name) => name } as Store,
    storeDeadlineMs: 1000,
    setting: () => expect.unreachable(),
    log: () => expect.unreachable(),
  });

describe('a request that arrives', () => {
  const { requestContext, ...others } = proxyEvent({ nowMs: startMs, requestId: 'r1', sourceIp: '192.0.2.1' });
  const { identity, ...unidentified } = requestContext;

  test('has the time, the id and the address of API Gateway', () => {
    expect(open({ ...others, requestContext }, startMs + 5)).toMatchObject({
      nowMs: startMs,
      processTimeMs: startMs + 5,
      requestId: 'r1',
      sourceIp: '192.0.2.1',
      fault: undefined,
    });
  });

  test.each([
    ['no event', null],
    ['no context', others],
    ['no address', { ...others, requestContext: unidentified }],
    ['an address that is no text', { ...others, requestContext: { ...requestContext, identity: { sourceIp: 1 } } }],
    ['no id', { ...others, requestContext: { ...requestContext, extendedRequestId: undefined } }],
    ['no time', { ...others, requestContext: { ...requestContext, requestTimeEpoch: undefined } }],
    ['a time before 1970', { ...others, requestContext: { ...requestContext, requestTimeEpoch: -1 } }],
  ])('with %s has a fault, and the time and the id of the function', async (_, event) => {
    const arrival = open(event);
    expect(arrival).toMatchObject({ nowMs: startMs, requestId: 'own-id', sourceIp: '' });
    await expect(request({ ...endpoints.getContract, operationId: 'getContract' })(arrival)).rejects.toThrow(
      'The event lacks the complete requestContext',
    );
  });

  test.each([0, startMs + 60_000])('at the time %i is served at it, however long ago', (nowMs) => {
    expect(open(proxyEvent({ nowMs }))).toMatchObject({ nowMs, fault: undefined });
  });

  test('a millisecond more than a minute ahead of the clock of the process has a fault, and that clock’s time', () => {
    const { nowMs, fault } = open(proxyEvent({ nowMs: startMs + 60_001 }));
    expect([nowMs, fault?.message]).toEqual([
      startMs,
      expect.stringMatching(/60001 ms ahead .* expected 60000 ms at most/),
    ]);
  });
});

describe('the first stage', () => {
  const { apiKey, keyId } = generateKey('acme', startMs);

  const read = async (operationId: OperationId, options: CallOptions) =>
    request({ ...endpoints[operationId], operationId })(open(proxyEvent(options)));
  const codeOf = async (...[operationId, options]: Parameters<typeof read>) => {
    const outcome = await read(operationId, options);
    return outcome instanceof Problem ? outcome.code : undefined;
  };

  test.each<[string, Record<string, string[] | undefined> | null, string | undefined]>([
    ['the key', { 'x-api-key': [apiKey] }, undefined],
    ['the key in any spelling of the header', { 'X-Api-KEY': [apiKey] }, undefined],
    ['other headers, too', { accept: ['x'], 'x-api-key': [apiKey], 'x-user-id': ['owner-1'] }, undefined],
    ['no header', null, 'api-key-missing'],
    ['another header', { 'x-api-keys': [apiKey] }, 'api-key-missing'],
    ['a header without value', { 'x-api-key': undefined }, 'api-key-missing'],
    ['empty values', { 'x-api-key': ['', ''] }, 'api-key-missing'],
    ['an empty value and the key', { 'x-api-key': ['', apiKey] }, 'api-key-invalid'],
    ['the key and an empty value', { 'x-api-key': [apiKey, ''] }, 'api-key-invalid'],
    ['the key twice', { 'x-api-key': [apiKey, apiKey] }, 'api-key-invalid'],
    ['the key three times', { 'x-api-key': [apiKey], 'X-API-KEY': [apiKey, apiKey] }, 'api-key-invalid'],
    ['another text', { 'x-api-key': ['x'] }, 'api-key-invalid'],
  ])('reads the key of a request with %s', async (_, multiValueHeaders, code) => {
    const event = { ...proxyEvent({}), multiValueHeaders };
    const outcome = await request({ ...endpoints.getContract, operationId: 'getContract' })(open(event));
    if (code) expect(outcome).toMatchObject({ code });
    else expect(outcome).toMatchObject({ presentedKey: { companyId: 'acme', keyId } });
  });

  test.each<[string, Record<string, string[]>, WellFormed['userId']]>([
    ['an owner', { 'x-user-id': ['owner-1'] }, { id: 'owner-1' }],
    ['an owner in any spelling of the header', { 'X-User-Id': ['owner-1'] }, { id: 'owner-1' }],
    ['no owner', {}, 'missing'],
    ['an empty value', { 'x-user-id': [''] }, 'missing'],
    ['an owner id in another case, which is another owner', { 'x-user-id': ['Owner-1'] }, { id: 'Owner-1' }],
    ['an owner with a space', { 'x-user-id': ['owner-1 '] }, 'malformed'],
    ['an owner of another company, with its id', { 'x-user-id': ['acme|owner-1'] }, 'malformed'],
    ['an owner twice', { 'x-user-id': ['owner-1', 'owner-1'] }, 'malformed'],
    ['two owners', { 'x-user-id': ['owner-1'], 'X-USER-ID': ['owner-2'] }, 'malformed'],
  ])('reads the owner of a request that names %s', async (_, headers, userId) => {
    const event = { ...proxyEvent({}), multiValueHeaders: { 'x-api-key': [apiKey], ...headers } };
    const outcome = await request({ ...endpoints.getContract, operationId: 'getContract' })(open(event));
    expect(outcome).toMatchObject({ userId });
  });

  test('reads the ids of the path, and refuses those that are malformed, encoded or absent', async () => {
    const path = { gatewayId: 'gw-1', circuitId: 'hc.1' };
    expect(await read('getHeatingCircuit', { apiKey, pathParameters: path })).toMatchObject({
      pathIds: path,
      rateLimitKey: { companyId: 'acme', gatewayId: 'gw-1', path: '/hvacs/gw-1/heatingCircuits/hc.1' },
    });
    for (const [pathParameters, pointers] of [
      [{ ...path, circuitId: 'a%2Fb' }, ['/path/circuitId']],
      [{ gatewayId: 'a/b', circuitId: '' }, ['/path/gatewayId', '/path/circuitId']],
      [{ gatewayId: 'gw-1' }, ['/path/circuitId']],
      [undefined, ['/path/gatewayId', '/path/circuitId']],
    ] as const) {
      const outcome = await read('getHeatingCircuit', { apiKey, ...(pathParameters && { pathParameters }) });
      const errors = pointers.map((pointer) => ({ pointer, detail: expect.any(String) }));
      expect(outcome).toMatchObject({ code: 'invalid-request', occurrence: { errors } });
    }
    expect(await codeOf('getHeatingCircuit', { pathParameters: { gatewayId: '%', circuitId: '%' } })).toBe(
      'api-key-missing',
    );
  });

  test.each<[OperationId, unknown]>([
    ['getGateway', { id: 'owner-1' }],
    ['getContract', { id: 'owner-1' }],
    ['listApiKeys', 'missing'],
  ])('%s names the owner %j', async (operationId, userId) => {
    const pathParameters = { gatewayId: 'gw-1' };
    const headers = { 'x-user-id': ['owner-1'] };
    expect(await read(operationId, { apiKey, headers, pathParameters })).toMatchObject({ userId });
  });
});
