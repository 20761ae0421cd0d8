import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { consumerNames, jobNames } from '../../lambdas/api/background-functions.ts';
import { handlerFileOf, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';

/** Bundles, functions and their names are derived from the rows, so rows and files must correspond. */
describe.each([
  ['lambdas/jobs', jobNames, 'lambdas/api/background-functions.ts'],
  ['lambdas/consumers', consumerNames, 'lambdas/api/background-functions.ts'],
])('%s', (folder, names, rowsFile) => {
  const files = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''));

  test(`has a file for each row of ${rowsFile}`, () => {
    expect(names.filter((name) => !files.includes(name)).map((name) => `${folder}/${name}.ts is missing`)).toEqual([]);
  });

  test(`has a row in ${rowsFile} for each file`, () => {
    expect(files.filter((name) => !(names as string[]).includes(name)).map((name) => `no row ${name}`)).toEqual([]);
  });
});

/** Returns for each handler its file, its export name and the operation that it serves. */
const servedIn = (file: string) =>
  [...readFileSync(join('lambdas/handlers', file), 'utf8').matchAll(/^export const (\w+) =(.*?)\(\s*'(\w+)'/gm)].map(
    ([, exported, marks, served]) => ({ file: `lambdas/handlers/${file}`, exported, marks, served }),
  );

/** The bundler omits the other handlers of a file if they are marked as pure, and finds a handler by its name. */
test('each operation has its handler in its area’s file, under its own name and marked as pure', () => {
  const handlers = readdirSync('lambdas/handlers').flatMap(servedIn);
  const byName = (one: { exported?: string | undefined }, other: { exported?: string | undefined }) =>
    `${one.exported}`.localeCompare(`${other.exported}`);
  const asTheRowsSay = operationIds.map((id) => ({
    file: handlerFileOf(id),
    exported: id as string,
    marks: ' /* @__PURE__ */ serve',
    served: id as string,
  }));
  expect(handlers.sort(byName)).toEqual(asTheRowsSay.sort(byName));
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

/** Agents that wrap a handler, and other runtimes, pass a callback as the third argument. */
test.each([
  ...operationIds.map((name) => [name, handlerFileOf(name)] as const),
  ...jobNames.map((name) => ['handler', `lambdas/jobs/${name}.ts`] as const),
  ...consumerNames.map((name) => ['handler', `lambdas/consumers/${name}.ts`] as const),
  ['handler', 'lambdas/sandbox/simulateHomes.ts'] as const,
])('%s of %s takes event and context, and ignores further arguments', async (name, file) => {
  vi.stubEnv('METRIC_NAMESPACE', 'test');
  vi.stubEnv('REQUIRED_CONSENT_VERSION', '1');
  vi.stubEnv('CONSENT_PORTAL_URL', 'https://portal.example');
  // No table, queue or bus has a name here, so calls to them fail at once.
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => void [vi.unstubAllEnvs(), vi.restoreAllMocks()]);
  const touched: unknown[] = [];
  const callback = new Proxy(() => undefined, {
    get: (_, property) => void touched.push(property),
    apply: () => void touched.push('call'),
  });
  const { [name]: handler } = await import(new URL(`../../${file}`, import.meta.url).href);
  expect(handler.length).toBeLessThanOrEqual(2);
  const run = async () => handler({ Records: [record] }, { awsRequestId: 'own-id' }, callback);
  await run().catch(() => undefined);
  expect(touched).toEqual([]);
});
