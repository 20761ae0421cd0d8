import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { consumerNames } from '../../lambdas/api/consumers.ts';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { jobNames } from '../../lambdas/api/jobs.ts';

/** Bundles, functions and their names follow from the rows, so the rows and the files have to be the same. */
describe.each([
  ['lambdas/handlers', operationIds, 'lambdas/api/endpoints/endpoints.ts'],
  ['lambdas/jobs', jobNames, 'lambdas/api/jobs.ts'],
  ['lambdas/consumers', consumerNames, 'lambdas/api/consumers.ts'],
])('%s', (folder, names, rowsFile) => {
  const files = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''));

  test(`has a file for each row of ${rowsFile}`, () => {
    expect(names.filter((name) => !files.includes(name)).map((name) => `${folder}/${name}.ts is missing`)).toEqual([]);
  });

  test(`has a row in ${rowsFile} for each file`, () => {
    expect(files.filter((name) => !(names as string[]).includes(name)).map((name) => `no row ${name}`)).toEqual([]);
  });
});

const record = {
  messageId: 'm',
  body: '{"companyId":"acme","webhookId":"wh_1"}',
  attributes: { SentTimestamp: '0', ApproximateReceiveCount: '1' },
  dynamodb: {
    SequenceNumber: '1',
    Keys: { companyId: { S: 'acme' }, gatewayId: { S: 'gw' }, sk: { S: 'any' } },
    NewImage: { version: { N: '1' }, desired: { M: {} } },
  },
};

/** Agents that wrap a handler, and other runtimes, hand over a callback as the third argument. */
test.each([
  ...operationIds.map((name) => `handlers/${name}`),
  ...jobNames.map((name) => `jobs/${name}`),
  ...consumerNames.map((name) => `consumers/${name}`),
])('lambdas/%s.ts takes event and context, and leaves alone what comes behind them', async (name) => {
  vi.stubEnv('METRIC_NAMESPACE', 'test');
  vi.stubEnv('REQUIRED_CONSENT_VERSION', '1');
  vi.stubEnv('CONSENT_PORTAL_URL', 'https://portal.example');
  // No table, no queue and no bus has a name here: what is asked of them fails at once.
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => void [vi.unstubAllEnvs(), vi.restoreAllMocks()]);
  const touched: unknown[] = [];
  const callback = new Proxy(() => undefined, {
    get: (_, property) => void touched.push(property),
    apply: () => void touched.push('call'),
  });
  const { handler } = await import(new URL(`../../lambdas/${name}.ts`, import.meta.url).href);
  expect(handler.length).toBeLessThanOrEqual(2);
  const run = async () => handler({ Records: [record] }, { awsRequestId: 'own-id' }, callback);
  await run().catch(() => undefined);
  expect(touched).toEqual([]);
});

test.each(operationIds)('lambdas/handlers/%s.ts serves the operation that it is named after', (operationId) => {
  const [, served] = readFileSync(`lambdas/handlers/${operationId}.ts`, 'utf8').match(/\bserve\(\s*'(\w+)'/) ?? [];
  expect(served).toBe(operationId);
});
