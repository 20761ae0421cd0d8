import { gzipSync } from 'node:zlib';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { compileTemplate, type Exchange } from 'serve-stack';
import { loadStack } from 'serve-stack/template';
import { beforeAll, expect, inject, test } from 'vitest';
import {
  assumptions,
  auditBytesOfSwitchPoint,
  auditRowBytes,
  bucketReadUnits,
  companyPartitionReads,
  energyHoursBytes,
  energyMonthBytes,
  largestHomeReadUnits,
  type MeasuredOperation,
  type Measurement,
  measuredOperations,
  measurements,
  tableUnits,
} from '../../docs/generate/capacity.ts';
import { typicalOperation } from '../../docs/generate/cost.ts';
import { endpoints, type OperationId, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import {
  keptLimitedPaths,
  maxCircuits,
  maxTimeProgramsPerCircuit,
  maxValidKeysPerCompany,
  pageSize,
  ratePolicies,
  usageDays,
} from '../../lambdas/api/limits.ts';
import type { TableName } from '../../lambdas/api/tables.ts';
import { circuitItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { energyOfMonth } from '../../lambdas/data/appliances/energy.ts';
import { hoursOfDay } from '../../lambdas/data/appliances/hourly-energy.ts';
import { reportMeasurements } from '../../lambdas/data/appliances/measurements.ts';
import { timeProgramItemKey } from '../../lambdas/data/appliances/time-programs.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import { putUsage, putUsageProgress } from '../../lambdas/data/usage.ts';
import { addDays } from '../../lambdas/domain/energy.ts';
import { usableMeasurements } from '../../lambdas/domain/measurement.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { hoursBetween } from '../../lambdas/domain/usage.ts';
import { progressFrom } from '../../lambdas/domain/usage-progress.ts';
import { createProcessMemory } from '../../lambdas/runtime/process-memory.ts';
import { installedAppliance } from '../../lambdas/sandbox/appliances/appliance-state.ts';
import { measured } from '../../lambdas/sandbox/appliances/measured.ts';
import type { Answer } from '../support/api-document.ts';
import { factTimesAt, fulfilChanges, putShadow, reportedCircuits, reportedProgram } from '../support/appliance.ts';
import {
  type CallOptions,
  call,
  type EquippedCompany,
  equipCompany,
  goodCall,
  registerWebhook,
} from '../support/call.ts';
import { campaign, provenTest, sampleOf } from '../support/campaign.ts';
import { type Attribute, consumedUnits, sizeOf, sizeOfValue } from '../support/units.ts';
import { openWorld, partiesOf, startMs } from '../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const wholeYear = { from: ['2035-03-10'], to: ['2036-03-09'] };

/** The options that make a request the most expensive one of its operation. */
const dearest: Partial<Record<OperationId, CallOptions>> = {
  getGateway: { query: { include: ['circuits,timePrograms'] } },
  getEnergy: { query: wholeYear },
  getHourlyEnergy: { query: { from: ['2036-03-03T12:00:00Z'] } },
  getUsage: { query: { from: ['2036-02-09'] } },
  listAuditEntries: { query: { limit: [`${pageSize.max}`] } },
};

/** The data that these requests require. */
const prepare: Partial<Record<OperationId, (company: EquippedCompany) => Promise<void>>> = {
  getEnergy: (company) => reportYear(company),
  getHourlyEnergy: (company) => reportWeek(company),
  getMeasurements: (company) => measureHome(company),
  getUsage: (company) => countMonth(company),
  listAuditEntries: (company) => changeProgramOften(company),
};

const lines: string[] = [];
const auditRows: Record<string, Attribute>[] = [];

/** Measures the most expensive allowed request that a process has admitted before, with a key that was used today. */
const measure = async (operationId: OperationId): Promise<Measurement> => {
  const company = await equipCompany(world.store, { keys: 3, sinceMs: 0, consentGivenSinceMs: 0 });
  await prepare[operationId]?.(company);
  const good = dearestCall(operationId, company);
  const { pathParameters } = good;
  await call(operationId, good);
  // A change without a pending one is more expensive: the item is added to the index of open changes.
  await fulfilChanges(world.store, company.gatewayId, startMs + 10_000);
  const otherKey = 'keyId' in pathParameters && { keyId: company.keys[2]?.keyId ?? '' };
  const others = dearestCall(operationId, 'webhookId' in pathParameters ? await withOtherWebhook(company) : company);
  const otherUrl = operationId === 'createWebhook' && { body: { url: secondUrl } };
  world.proxy.begin();
  world.lines.length = 0;
  const later = {
    ...others,
    ...otherUrl,
    nowMs: startMs + 20_000,
    pathParameters: { ...others.pathParameters, ...otherKey },
  };
  const answer = await call(operationId, later);
  expect(answer.status).toBeLessThan(300);
  const [line = ''] = world.lines;
  lines.push(line);
  const consumed = consumedSinceBegin();
  for (const { input } of world.proxy.exchanges)
    for (const { Put } of input.TransactItems ?? [])
      if (Put?.TableName === world.store.tableName('AuditLog')) auditRows.push(Put.Item);
  return {
    readUnits: consumed.reduce((sum, { readUnits }) => sum + readUnits, 0),
    writeUnits: consumed.reduce((sum, { writeUnits }) => sum + writeUnits, 0),
    eventBytes: Buffer.byteLength(withUsualTimes(line)),
    accessLogBytes: accessLogBytes(operationId, answer),
    answerBytes: bytesOf(answer),
  };
};

const dearestCall = (operationId: OperationId, company: EquippedCompany): ReturnType<typeof goodCall> => ({
  ...goodCall(operationId, company),
  ...dearest[operationId],
});

/** Stores a year of energy with everything that can be measured, which the company may read. */
const reportYear = async ({ companyId, gatewayId }: EquippedCompany) => {
  await grantGateway(world.store, partiesOf(companyId), gatewayId, Date.parse('2035-01-01'));
  for (const month of monthsOfYear()) {
    const item = energyOfMonth(gatewayId, month, factTimesAt(startMs));
    await world.store.send(new PutCommand({ TableName: world.store.tableName('Appliances'), Item: item }));
  }
};

const use = { electricityKwh: 12.345, fuelKwh: 45.678, heatKwh: 90.123 };
const cooling = { electricityKwh: 12.345, fuelKwh: 45.678, removedHeatKwh: 90.123 };
const allUses = { heating: use, dhw: use, cooling };

/** Stores the measurements of the demo world, newer than the grant. */
const measureHome = async ({ gatewayId }: EquippedCompany) => {
  const atMs = startMs + 1;
  const { usable } = usableMeasurements(measured(installedAppliance({ gatewayId, name: 'Home' }, atMs), atMs), atMs);
  const sinceGrant = Object.entries(usable).map(([key, each]) => [key, { ...each, atMs }]);
  await reportMeasurements(world.store, gatewayId, Object.fromEntries(sinceGrant), factTimesAt(atMs));
};

const monthsOfYear = () => {
  const days = Array.from({ length: 366 }, (_, index) => ({ day: addDays('2035-03-10', index), ...allUses }));
  return Map.groupBy(days, ({ day }) => day.slice(0, 7)).values();
};

/** Stores the hours of eight days, with everything that can be measured, which the company may read. */
const reportWeek = async ({ companyId, gatewayId }: EquippedCompany) => {
  await grantGateway(world.store, partiesOf(companyId), gatewayId, Date.parse('2035-01-01'));
  for (const hours of daysOfWeek()) {
    const item = hoursOfDay(gatewayId, hours, factTimesAt(startMs));
    await world.store.send(new PutCommand({ TableName: world.store.tableName('Appliances'), Item: item }));
  }
};

const daysOfWeek = () => {
  const starts = Array.from({ length: 8 * 24 }, (_, index) => toTimestamp(startMs - (index + 1) * 3_600_000));
  const hours = starts.map((start) => ({ start, ...allUses }));
  return Map.groupBy(hours, ({ start }) => start.slice(0, 10)).values();
};

/** Stores all retained hours of a company that calls each operation in every hour with each of its keys, and too often. */
const countMonth = async ({ companyId }: EquippedCompany) => {
  const counts = operationIds.flatMap((id) =>
    ['allowed', `limited ${endpoints[id].ratePolicy}`, 'refused consent-outdated'].map((outcome) => `${id} ${outcome}`),
  );
  const paths = Array.from({ length: keptLimitedPaths }, (_, number) => {
    // Always the same id: the packed size of usage depends on its characters.
    const circuit = `/hvacs/gw-0b9e5c1d-7a42-4f36-9d08-3c5b1e6f2a97/heatingCircuits/hc${number}`;
    return `updateHeatingTimeProgram time-program ${circuit}/timePrograms/1`;
  });
  const keys = Array.from({ length: maxValidKeysPerCompany }, (_, number) => `f3QnT7wLx0RkVb2${number}`).flatMap(
    (keyId) => ['allowed', 'limited', 'refused'].map((decision) => `${keyId} ${decision}`),
  );
  const each = (names: readonly string[]) =>
    Object.fromEntries(names.map((name, index) => [name, 1 + ((index * 7919) % 5000)]));
  const usage = { counts: each(counts), limitedPaths: each(paths), keys: each(keys) };
  const beginMs = Date.parse('2036-02-09');
  const hours = hoursBetween(beginMs, beginMs + usageDays * 86_400_000);
  for (let start = 0; start < hours.length; start += 24)
    await Promise.all(
      hours.slice(start, start + 24).map((hour) => putUsage(world.store, companyId, { hour, usage }, startMs)),
    );
  await putUsageProgress(world.store, progressFrom(startMs), startMs);
};

/** Changes a time program of the usual length as often as a page shows. */
const changeProgramOften = async (company: EquippedCompany) => {
  const change = goodCall('updateHeatingTimeProgram', company);
  for (let index = 1; index <= pageSize.max; index++)
    await call('updateHeatingTimeProgram', { ...change, nowMs: startMs + index * 10_000 });
};

const withOtherWebhook = async (company: EquippedCompany) => ({
  ...company,
  webhook: await registerWebhook(world.store, company.companyId, secondUrl),
});

/** Another URL, since a URL can have only one webhook. */
const secondUrl = 'https://hooks.acme.example/second';

const withoutMemory = () => ({ ...world.environment, memory: createProcessMemory() });

/** Replaces the times with those of a request that was not slow, however busy this machine is. */
const withUsualTimes = (line: string) =>
  `${JSON.stringify({ ...JSON.parse(line), durationMs: 25, storeMs: undefined })}\n`;

const consumedSinceBegin = () => consumedUnits(world.proxy.exchanges);

const bodyOf = ({ body }: Answer) => (body === undefined ? '' : JSON.stringify(body));

const bytesOf = (answer: Answer) => {
  const headers = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.byteLength(['HTTP/1.1 200 OK\r\n', ...headers, '\r\n', bodyOf(answer)].join(''));
};

type Stage = { readonly Properties: { readonly AccessLogSetting: { readonly Format: string } } };

/** Returns the length of the line in the template's format, with values as long as API Gateway's. */
const accessLogBytes = (operationId: OperationId, answer: Answer) => {
  const { Resources } = loadStack(inject('assemblyDirectory')).template;
  const [stage] = Object.values(Resources).filter(({ Type }) => Type === 'AWS::ApiGateway::Stage') as unknown as [
    Stage,
  ];
  const { Format } = stage.Properties.AccessLogSetting;
  const { method, path } = endpoints[operationId];
  return Buffer.byteLength(
    compileTemplate(Format)({
      request: {
        requestId: '06f3e011-b194-4490-b2b7-8a639419f5cc',
        extendedRequestId: 'ZuT4rGDNoAMFxXw=',
        sourceIp: '198.51.100.107',
        httpMethod: method,
      },
      resourcePath: path,
      integration: { status: answer.status, latencyMs: 25 },
      answered: { status: answer.status, latencyMs: 27, lengthBytes: bodyOf(answer).length },
    } as unknown as Exchange),
  );
};

test('a month of energy has the size in the documented growth of the table', () => {
  const [, , may = []] = [...monthsOfYear()];
  const bytes = sizeOf(marshall({ ...energyOfMonth('gw-10010001', may, factTimesAt(startMs)) }));
  expect(Math.abs(bytes - energyMonthBytes), remedyFor('energyMonthBytes', bytes)).toBeLessThanOrEqual(
    0.1 * energyMonthBytes,
  );
});

test('a day of hourly energy has the size in the documented growth of the table', () => {
  const [, day = []] = [...daysOfWeek()];
  const bytes = sizeOf(marshall({ ...hoursOfDay('gw-10010001', day, factTimesAt(startMs)) }));
  expect(Math.abs(bytes - energyHoursBytes), remedyFor('energyHoursBytes', bytes)).toBeLessThanOrEqual(
    0.1 * energyHoursBytes,
  );
});

const remedyFor = (name: string, measured: unknown): string =>
  `Measured: ${JSON.stringify(measured)}. Write that as ${name} into docs/generate/capacity.ts, then npm run generate; or let it take less.`;

const isKind = (operationId: OperationId): operationId is MeasuredOperation => operationId in measurements;

/** Returns the largest measurement. Operations that read data of several days are left out, since each of them is measured. */
const largest = (name: keyof Measurement) =>
  Math.max(...measuredOperations.filter((id) => !(id in prepare)).map((id) => measurements[id][name]));

/** Usage is stored packed, and the packed size of zlib depends on the processor: 122.5 read units here were 123 elsewhere. */
const unitTolerance = (operationId: OperationId) => (operationId === 'getUsage' ? 0.02 : 0);

test.each(sampleOf(operationIds, 3))(
  '%s consumes the units in the price of its requests',
  campaign,
  async (operationId) => {
    const measured = await measure(operationId);
    const remedy = isKind(operationId)
      ? remedyFor(`measurements.${operationId}`, measured)
      : `A request of ${operationId} takes ${JSON.stringify(measured)}, more than any operation in docs/generate/capacity.ts. Add it to measurements there, then npm run generate.`;
    for (const [name, amount] of Object.entries(measured) as [keyof Measurement, number][]) {
      const declared = isKind(operationId) ? measurements[operationId][name] : largest(name);
      const tolerance = name.endsWith('Units') ? unitTolerance(operationId) * declared : 0.1 * declared;
      expect(amount, remedy).toBeLessThanOrEqual(declared + tolerance);
      if (isKind(operationId)) expect(amount, remedy).toBeGreaterThanOrEqual(declared - tolerance);
    }
  },
);

provenTest('gzip leaves no more of the events than the share in their storage price', campaign, () => {
  const text = lines.join('');
  expect(lines).toHaveLength(operationIds.length);
  const share = gzipSync(text).length / Buffer.byteLength(text);
  expect(share, remedyFor('assumptions.storedShare', share)).toBeLessThanOrEqual(assumptions.storedShare);
});

test('a request with a gateway reads the documented units of its company’s partition', async () => {
  const company = await equipCompany(world.store);
  world.proxy.begin();
  await call('getHeatingCircuit', goodCall('getHeatingCircuit', company));
  const consumed = consumedSinceBegin();
  for (const [name, readUnits] of Object.entries(companyPartitionReads))
    expect(
      consumed
        .filter(({ table }) => table === world.store.tableName(name as keyof typeof companyPartitionReads))
        .reduce((sum, each) => sum + each.readUnits, 0),
      `Read units of ${name}: correct companyPartitionReads in docs/generate/capacity.ts, then npm run generate.`,
    ).toBe(readUnits);
});

test('the typical request consumes the documented units of each table', async () => {
  const company = await equipCompany(world.store);
  const good = goodCall(typicalOperation, company);
  await call(typicalOperation, good);
  world.proxy.begin();
  await call(typicalOperation, { ...good, nowMs: startMs + 20_000, environment: withoutMemory() });
  const taken = Map.groupBy(consumedSinceBegin(), ({ table }) => table);
  const sumOf = (name: 'readUnits' | 'writeUnits', each: ReturnType<typeof consumedSinceBegin> = []) =>
    each.reduce((sum, units) => sum + units[name], 0);
  const documented = Object.keys(tableUnits).map((name) => {
    const each = taken.get(world.store.tableName(name as TableName));
    return [name, { readUnits: sumOf('readUnits', each), writeUnits: sumOf('writeUnits', each) }];
  });
  const units = Object.fromEntries(documented);
  expect([units, taken.size], remedyFor('tableUnits', units)).toEqual([tableUnits, documented.length]);
});

test('a page of the largest home reads the documented units of its gateway’s partition', async () => {
  const company = await equipCompany(world.store);
  await enlargeHome(company.gatewayId);
  world.proxy.begin();
  const { body } = await call('getGateway', dearestCall('getGateway', company));
  expect(body.nextCursor).toEqual(expect.any(String));
  const ofAppliances = consumedSinceBegin().filter(({ table }) => table === world.store.tableName('Appliances'));
  const readUnits = ofAppliances.reduce((sum, each) => sum + each.readUnits, 0);
  expect(readUnits, remedyFor('largestHomeReadUnits', readUnits)).toBe(largestHomeReadUnits);
});

/**
 * As many circuits as allowed. The time programs of three circuits fill two thirds of an answer, so that a third query requests
 * as many as it may. Those of the others are of the longest kind, so that this query returns far more than fits.
 */
const enlargeHome = async (gatewayId: string) => {
  const standing = { reportedAtMs: startMs, receivedAtMs: startMs, version: 1 };
  const [point] = reportedProgram.switchPoints;
  const circuitIds = Array.from({ length: maxCircuits - 4 }, (_, index) => `c${index + 3}`).toSorted();
  for (const [index, circuitId] of circuitIds.entries()) {
    const key = circuitItemKey(gatewayId, 'dhw', circuitId);
    await putShadow(world.store, key, { circuitId }, { reported: reportedCircuits.dhw, ...standing });
    const switchPoints = Array(index < 3 ? 48 : 500).fill(point);
    for (let program = 0; program < (index < 3 ? maxTimeProgramsPerCircuit : 2); program++) {
      const programKey = timeProgramItemKey(gatewayId, 'dhw', circuitId, `${program}`);
      const reported = { ...reportedProgram, switchPoints };
      await putShadow(world.store, programKey, { timeProgramId: `${program}` }, { reported, ...standing });
    }
  }
};

test('a request that the rate limit refuses reads its bucket and writes nothing', async () => {
  const company = await equipCompany(world.store);
  for (let request = 0; request < ratePolicies.general.burst; request++)
    await call('getContract', goodCall('getContract', company));
  world.proxy.begin();
  const refused = { ...goodCall('getContract', company), environment: withoutMemory() };
  expect((await call('getContract', refused)).status).toBe(429);
  const consumed = consumedSinceBegin();
  expect(consumed.reduce((sum, { writeUnits }) => sum + writeUnits, 0)).toBe(0);
  const ofBucket = consumed.filter(({ table }) => table === world.store.tableName('TokenBuckets'));
  expect(ofBucket).toEqual([expect.objectContaining({ readUnits: bucketReadUnits })]);
});

provenTest('no audit row is longer than the documented size', campaign, () => {
  const sizes = auditRows.map(sizeOf);
  expect(sizes.length).toBeGreaterThan(measuredOperations.filter((id) => measurements[id].writeUnits > 1).length);
  const longest = Math.max(...sizes);
  expect(longest, remedyFor('auditRowBytes', longest)).toBeLessThanOrEqual(auditRowBytes);
  expect(longest, remedyFor('auditRowBytes', longest)).toBeGreaterThan(0.9 * auditRowBytes);
  const programs = auditRows.flatMap(({ before, after }) =>
    [before, after].flatMap((values) => values?.M?.switchPoints ?? []),
  );
  const pointSizes = programs.flatMap(({ L = [] }) => L.map((point) => sizeOfValue(point) + 1));
  const largestPoint = Math.max(...pointSizes);
  const remedy = remedyFor('auditBytesOfSwitchPoint', largestPoint);
  expect(largestPoint, remedy).toBeLessThanOrEqual(auditBytesOfSwitchPoint);
  expect(largestPoint, remedy).toBeGreaterThan(0.9 * auditBytesOfSwitchPoint);
});
