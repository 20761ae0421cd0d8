import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Bundle, bundleHandlers } from '../../../infra/functions/bundle.ts';
import { consumerNames, jobNames } from '../../../lambdas/api/background-functions.ts';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { problemDocs } from '../../../lambdas/api/problems.ts';
import { documentedSchemas } from '../../../partner/openapi/schemas.ts';

/** Outside the repository, so that a module that a bundle lacks is not found by chance. */
const away = mkdtempSync(join(tmpdir(), 'bundles-'));
afterAll(() => rmSync(away, { recursive: true }));
const names = [...operationIds, ...jobNames, ...consumerNames, 'simulateHomes' as const];
const { bundles, metafile } = await bundleHandlers(join(away, 'first'));

const codeFile = ({ folder }: Bundle) => join(folder, 'index.mjs');

/** A client of an AWS service other than DynamoDB has 24 kB or more. */
const otherClients = (name: string): number => {
  // It sends to a queue and puts on a bus.
  if (name === 'simulateHomes') return 2;
  // It hides messages of its queue.
  if (name === 'takeGatewayReports') return 1;
  const { macKeys, queueActions }: Partial<Endpoint> =
    name in endpoints ? endpoints[name as keyof typeof endpoints] : {};
  return [macKeys, queueActions].filter((each) => each !== undefined).length;
};

test.each(names)('the bundle of %s has at most 300 kB, plus 32 kB for each service other than DynamoDB', (name) => {
  expect(statSync(codeFile(bundles[name])).size).toBeLessThanOrEqual(300_000 + 32_000 * otherClients(name));
});

test('no bundle contains texts that only partners read', () => {
  const sentencesIn = (words: object): string[] =>
    Object.values(words).flatMap((each) => (typeof each === 'string' ? [each] : sentencesIn(each ?? {})));
  const described = [...documentedSchemas.values()].map(({ properties }) => properties);
  const ofOperations = Object.values(endpoints).map(({ description }) => description);
  const words = sentencesIn([described, ofOperations, problemDocs()]).filter((each) => each.length > 40);
  expect(words.length).toBeGreaterThan(100);
  for (const name of names) {
    const bundle = readFileSync(codeFile(bundles[name]), 'utf8');
    expect(
      words.filter((each) => bundle.includes(each)),
      name,
    ).toEqual([]);
  }
});

test('a bundle imports nothing but modules of Node.js', () => {
  const external = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
  expect(external.filter(({ path }) => !isBuiltin(path))).toEqual([]);
});

test('a bundle contains nothing that only the other handlers of its module need', () => {
  const partsOf = (name: string) => Object.keys(metafile.outputs[`${name}.mjs`]?.inputs ?? {}).join('\n');
  expect(partsOf('testWebhook')).toMatch(/ipaddr\.js/);
  expect(partsOf('listWebhooks')).not.toMatch(/ipaddr\.js|client-kms|client-sqs|lambdas\/webhooks\//);
});

const standIns = 'lambdas/runtime/sdk-stand-ins.ts';

/** The modules that a package contributes to bundles. */
const importedFor = (packageName: string) => {
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  return [...new Set(imports.filter(({ original }) => original === packageName).map(({ path }) => path))];
};

test('a bundle contains only lambdas, packages and modules of Node.js', () => {
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.filter((path) => !/^(lambdas|simulator|node_modules)\//.test(path))).toEqual([]);
});

test('no bundle looks for credentials outside of its environment', () => {
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  expect(parts.filter((path) => /credential-provider-/.test(path))).toEqual([]);
  expect(importedFor('@aws-sdk/credential-provider-node')).toEqual([standIns]);
});

test('no bundle contains the paginators of the document client, or a command that only they use', () => {
  const parts = Object.entries(metafile.outputs['getContract.mjs']?.inputs ?? {});
  const inOutput = parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  expect(inOutput.filter((path) => /lib-dynamodb\/.*(Paginator|ScanCommand)/.test(path))).toEqual([]);
});

test('no bundle contains event streams, which would include most of the SDK', () => {
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.filter((path) => path.includes('/event-streams/'))).toEqual([]);
  expect(importedFor('@smithy/core/event-streams')).toEqual([standIns]);
});

test('every bundle loads without installed packages, and exports a handler', () => {
  const script = `console.log(JSON.stringify(await Promise.all(process.argv.slice(1).map(async (file) => typeof (await import(file)).handler))))`;
  const files = names.map((name) => codeFile(bundles[name]));
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script, ...files], {
    cwd: away,
    env: lambdaEnvironment,
    encoding: 'utf8',
  });
  expect(JSON.parse(output)).toEqual(names.map(() => 'function'));
});

test('a function’s code is one file, with its map elsewhere and a unique bundle id', () => {
  for (const name of names) expect(readdirSync(bundles[name].folder)).toEqual(['index.mjs']);
  const maps = names.map((name) => bundles[name].sourceMap);
  expect(readdirSync(join(away, 'first/source-maps')).sort()).toEqual(
    maps.map((file) => relative(join(away, 'first/source-maps'), file)).sort(),
  );
  expect(new Set(maps).size).toBe(names.length);
});

const lambdaEnvironment = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
};
