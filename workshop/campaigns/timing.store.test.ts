import type { Context } from 'aws-lambda';
import { clientConfigOf } from 'serve-stack/dynamodb';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { putContract } from '../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import { connectStore } from '../../lambdas/data/store/store.ts';
import { updateHeatingTimeProgram } from '../../lambdas/handlers/circuits.ts';
import type { FunctionEnvironment } from '../../lambdas/runtime/function-environment.ts';
import { createMemory, createProcessMemory } from '../../lambdas/runtime/process-memory.ts';
import { installGateway } from '../../test/support/appliance.ts';
import { type CallOptions, equipCompany, forgedKey, goodCall, proxyEvent } from '../../test/support/call.ts';
import { campaign, size } from '../../test/support/campaign.ts';
import { randomNumbers } from '../../test/support/random.ts';
import { patience } from '../../test/support/time.ts';
import { onboard, openWorld, startMs } from '../../test/support/world.ts';

const samples = 3000;
/** Time measurements need an otherwise idle machine: `npm run prove:full -- timing`. */
const fullTest = size({ test: test.skip, prove: test.skip, full: test });

/**
 * The largest allowed difference from 0.5 of the share of pairs in which the second kind of call is slower; 0.5 reveals
 * nothing. With 3,000 samples of each kind, chance moves the share by 0.0075 (one standard deviation), so one series in 130
 * exceeds the bound; then a second series decides.
 */
const largestDifference = 0.02;
const again = { ...campaign, retry: 1 };

let company: Awaited<ReturnType<typeof equipCompany>>;
let foreignId: string;
let strangerId: string;
let ofAnotherId: string;
let environment: FunctionEnvironment;
beforeAll(async () => {
  const world = await openWorld();
  company = await equipCompany(world.store);
  foreignId = (await installGateway(world.store)).gatewayId;
  strangerId = (await onboard(world.store)).contract.userId;
  ofAnotherId = (await installGateway(world.store)).gatewayId;
  const parties = { companyId: company.companyId, userId: 'another-owner' };
  await putContract(world.store, { ...company.contract, ...parties });
  await grantGateway(world.store, parties, ofAnotherId, startMs);
  // Calls DynamoDB Local directly, in a process that looks up every invalid key.
  const settings = clientConfigOf(inject('dynamoDbEndpoint'));
  const { store } = connectStore(world.store.tableName, patience.requestTimeouts, settings);
  environment = { ...world.environment, store, memory: { ...createProcessMemory(), invalidKeys: createMemory(0) } };
});

describe('the response time of a rejection does not distinguish', () => {
  const unknownId = () => foreignId.replace(/.$/, 'x');
  const cases: [string, number, () => [CallOptions, CallOptions]][] = [
    [
      'a gateway that exists from one that does not, without a key',
      401,
      () => [asStranger(foreignId), asStranger(unknownId())],
    ],
    [
      'a gateway that exists from one that does not, with a key of another company',
      403,
      () => [asPartner(foreignId), asPartner(unknownId())],
    ],
    [
      'an owner of another company from an unknown one',
      403,
      () => [asActingFor(strangerId), asActingFor(strangerId.replace(/.$/, 'x'))],
    ],
    [
      'the gateway of another owner of the company from one that does not exist',
      403,
      () => [asPartner(ofAnotherId), asPartner(ofAnotherId.replace(/.$/, 'x'))],
    ],
    [
      'the id of a key that exists from one that does not',
      401,
      () => [withKey(forgedKey(company.companyId, company.key.keyId)), withKey(forgedKey(company.companyId))],
    ],
    [
      'a company that exists from one that does not',
      401,
      () => [withKey(forgedKey(company.companyId)), withKey(forgedKey(company.companyId.replace(/.$/, 'x')))],
    ],
  ];
  for (const [name, status, kinds] of cases)
    fullTest(name, again, async ({ annotate }) => {
      const share = await compare(status, kinds());
      await annotate(`${samples} samples of each kind: the second is slower in ${share.toFixed(3)} of all pairs`);
      expect(Math.abs(share - 0.5)).toBeLessThanOrEqual(largestDifference);
    });
});

const asPartner = (gatewayId: string): CallOptions => {
  const good = goodCall('updateHeatingTimeProgram', company);
  return { ...good, pathParameters: { ...good.pathParameters, gatewayId } };
};
const asActingFor = (userId: string): CallOptions => ({
  ...asPartner(company.gatewayId),
  headers: { ...goodCall('updateHeatingTimeProgram', company).headers, 'x-user-id': [userId] },
});
const asStranger = (gatewayId: string) => ({ ...asPartner(gatewayId), apiKey: forgedKey(company.companyId) });
const withKey = (apiKey: string) => ({ ...asPartner(foreignId), apiKey });

let calls = 0;

/** Calls both kinds in random order; returns the share of all pairs in which the second kind took longer. */
const compare = async (status: number, kinds: readonly [CallOptions, CallOptions]): Promise<number> => {
  const random = randomNumbers();
  const durationsMs: [number[], number[]] = [[], []];
  for (let call = -200; call < 2 * samples; call++) {
    const kind = random() < 0.5 ? 0 : 1;
    // The bucket of unknown gateways is full for each call.
    const event = proxyEvent({ ...kinds[kind], nowMs: startMs + calls++ * 10_000 });
    const startedAt = performance.now();
    const { statusCode } = await updateHeatingTimeProgram.withEnvironment(environment)(event, {} as Context);
    const durationMs = performance.now() - startedAt;
    expect(statusCode).toBe(status);
    if (call >= 0) durationsMs[kind].push(durationMs);
  }
  return shareOfSlower(...durationsMs);
};

/** The Mann-Whitney statistic as a share, which is the area under the curve of a threshold test. */
const shareOfSlower = (first: readonly number[], second: readonly number[]): number => {
  const ranked = [...first.map((ms) => ({ ms, isSecond: 0 })), ...second.map((ms) => ({ ms, isSecond: 1 }))];
  ranked.sort((left, right) => left.ms - right.ms);
  const rankSum = ranked.reduce((sum, { isSecond }, index) => sum + isSecond * (index + 1), 0);
  return (rankSum - (second.length * (second.length + 1)) / 2) / (first.length * second.length);
};
