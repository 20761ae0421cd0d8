import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { freePort } from 'serve-stack/host';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../lambdas/api/limits.ts';
import type { DemoOwner } from '../../local/demo/fleet.ts';
import { buildClient } from '../../partner/client/build/package.ts';
import { brunoFiles } from '../../partner/openapi/bruno.ts';
import { writtenAt } from '../../partner/openapi/examples.ts';
import { openApi30Text } from '../../partner/openapi/openapi-3.0.ts';
import { apiDocument, operationAt, resolve as resolveReference } from '../../test/support/api-document.ts';
import { proven } from '../../test/support/campaign.ts';
import { type ExampleCall, exampleCalls, linesOf } from '../../test/support/example-calls.ts';
import { companyOf, fleetOf, openService, type Service } from '../../test/support/service.ts';
import { stopClock } from '../../test/support/time.ts';
import { clientNames, generateAsGuided, generateClients, namesInGuide } from './generated-clients.ts';
import { installTools, programsDirectory, runTool, serveTool } from './tools.ts';

let service: Service;
const directory = mkdtempSync(join(tmpdir(), 'foreign-'));
beforeAll(async () => {
  await installTools();
  service = await openService({ isWithoutFleet: false });
});
afterAll(async () => {
  await service.close();
  rmSync(directory, { recursive: true });
});

const documentFile = resolve('docs/openapi.json');
const partner = () => companyOf(service, 'acme');

describe('a client generated from the document', () => {
  beforeAll(async () => {
    await generateClients(documentFile, service.demo.baseUrl);
    await generateAsGuided(documentFile);
  });

  /** Runs a program for an owner; returns its output. */
  const runProgram = async (name: string, { userId, gateways: [gateway] }: DemoOwner) => {
    const outfile = join(directory, `${name}.mjs`);
    await build({
      entryPoints: [join(programsDirectory, `${name}.ts`)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
    const { baseUrl, caFile } = service.demo;
    const actor = { API_KEY: fleetOf(service).apiKey, USER_ID: userId, GATEWAY_ID: gateway?.gatewayId ?? '' };
    return runTool(outfile, [], { variables: { BASE_URL: baseUrl, NODE_EXTRA_CA_CERTS: caFile, ...actor } });
  };

  test('compiles with the strictest settings, including what the guide does', proven, async () => {
    expect(await runTool('tsc', ['--project', programsDirectory])).toBe('');
  });

  // Each program acts for its own owner, so that none reaches the rate limits of another.
  const rows = clientNames.map((name, index) => [name, index] as const);
  test.each(rows)('of %s performs the guide’s steps over HTTPS', proven, async (name, index) => {
    const owner = ownerAt(index);
    expect(JSON.parse(await runProgram(name, owner))).toEqual({
      userId: owner.userId,
      gatewayIds: gatewayIdsOf(owner),
      states: ['pending', 'pending'],
      refusals: ['precondition-failed', 'api-key-not-found'],
      event: [expect.any(String), 'string'],
    });
  });

  test.each(namesInGuide)('of %s names its owner once, as the guide shows', proven, async (name) => {
    const owner = ownerAt(rows.length);
    const printed = await runProgram(`generated/one-owner/${name}`, owner);
    expect(gatewayIdsOf(owner).filter((gatewayId) => printed.includes(gatewayId))).toEqual(gatewayIdsOf(owner));
  });
});

const ownerAt = (index: number): DemoOwner => {
  const owner = fleetOf(service).owners[index];
  if (!owner) throw new Error(`The fleet of the demo world has no owner ${index}.`);
  return owner;
};

const gatewayIdsOf = ({ gateways }: DemoOwner) => gateways.map(({ gatewayId }) => gatewayId);

describe('a proxy that validates', () => {
  /** Sends requests through a proxy that reads the document; returns the status and the answer's violations of the document. */
  const startProxy = async (document: string) => {
    const port = await freePort();
    const { baseUrl, caFile } = service.demo;
    const variables = { NODE_EXTRA_CA_CERTS: caFile };
    await serveTool('prism', ['proxy', document, baseUrl, '--port', String(port)], /is listening/, { variables });
    return async ({ method, path, headers, body }: Omit<ExampleCall, 'operationId' | 'status'>) => {
      const { status, headers: answered } = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { 'x-api-key': partner().apiKey, ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const violations: { location: string[]; message: string }[] = JSON.parse(answered.get('sl-violations') ?? '[]');
      return {
        status,
        violations: violations
          .filter(({ location: [part] }) => part === 'response')
          .map(({ location, message }) => `${method} ${path} ${status} ${location.join('.')}: ${message}`),
      };
    };
  };

  test('finds no answer that violates the document', proven, async () => {
    const send = await startProxy(documentFile);
    const answers: { method: string; path: string; status: number; violations: string[] }[] = [];
    const calls = [
      ...exampleCalls(),
      ...exampleCalls().map((call) => ({ ...call, headers: { 'x-api-key': 'nobodys' }, status: 401 })),
      ...exampleCalls()
        .filter(({ path }) => path.includes('gw-1001'))
        // These calls share one bucket, which admits only its burst.
        .slice(0, ratePolicies.general.burst)
        .map((call) => ({ ...call, path: call.path.replace('gw-1001', 'gw-none'), status: 403 })),
    ];
    for (const call of calls) answers.push({ ...call, ...(await send(call)) });
    expect(answers.flatMap(({ violations }) => violations)).toEqual([]);
    expect(linesOf(answers)).toEqual(linesOf(calls));
  });

  test('finds a body and a status that violate a falsified document', proven, async () => {
    const falsified = structuredClone(apiDocument);
    falsified.components.schemas.Contract.properties.companyId = { type: 'integer' };
    delete falsified.paths['/webhooks/{webhookId}'].get.responses['404'];
    const file = join(directory, 'falsified.json');
    writeFileSync(file, JSON.stringify(falsified));
    const send = await startProxy(file);
    const found = async (operationId: string) => {
      const call = exampleCalls().find((each) => each.operationId === operationId);
      return call && (await send(call)).violations;
    };
    expect(await found('getContract')).toEqual([expect.stringContaining('companyId')]);
    expect(await found('getWebhook')).toEqual([expect.stringMatching(/ 404 .*status/)]);
  });
});

describe('in Python', () => {
  const packages = ['openapi-spec-validator', 'jsonschema', 'rfc3339-validator', 'pydantic'];
  const imports = packages.map((name) => name.replaceAll('-', '_')).join(', ');
  const canRead = spawnSync('python3', ['-c', `import ${imports}`]).status === 0;

  /** Returns what the tools refuse. */
  const faultsOf = (answers: readonly Read[], documents: readonly object[] = []) => {
    const input = JSON.stringify({ document: apiDocument, documents, answers });
    const program = join(programsDirectory, 'read_document.py');
    const { stdout, stderr } = spawnSync('python3', [program], { input, encoding: 'utf8', maxBuffer: 2 ** 26 });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  };

  test('a validator reads the documents, and models made of them each answer', proven, async ({ skip }) => {
    if (!canRead) return skip(`To play it, run python3 -m pip install ${packages.join(' ')}.`);
    await makeRoom();
    const answers: Read[] = [];
    for (const { method, path, headers, body } of exampleCalls())
      for (const apiKey of [partner().apiKey, 'nobodys']) {
        const rawHeaders = Object.entries({ ...headers, 'content-type': 'application/json' }).flat();
        const sent = { method, path, apiKey, rawHeaders, ...(body && { body: JSON.stringify(body) }) };
        const { status, body: answered } = await service.send(sent);
        const response = operationAt(method, path)?.responses[status] ?? { headers: {} };
        const { content = {} } = '$ref' in response ? resolveReference(response.$ref) : response;
        for (const { schema } of Object.values<{ schema: object }>(content)) answers.push({ schema, body: answered });
      }
    const messages = Object.values<Message>(JSON.parse(readFileSync('docs/events.json', 'utf8')).components.messages);
    for (const { payload, examples } of messages) answers.push({ schema: payload, body: examples[0]?.payload });
    expect(answers.length).toBeGreaterThan(2 * operationIds.length);
    const none = { documents: [], jsonschema: [], pydantic: [] };
    expect(faultsOf(answers, [apiDocument, JSON.parse(openApi30Text())])).toEqual(none);
    const broken = { schema: { $ref: '#/components/schemas/Contract' }, body: { companyId: 'Ä' } };
    const one = [expect.any(String)];
    expect(faultsOf([broken], [{ openapi: '3.1.0' }])).toEqual({ documents: one, jsonschema: one, pydantic: one });
  });
});

type Read = { readonly schema: object; readonly body: unknown };
type Message = { readonly payload: object; readonly examples: readonly { readonly payload: object }[] };

test('every message of the other systems is a model with its own name', proven, async () => {
  const file = resolve('docs/events.json');
  const { faults, names } = JSON.parse(await runTool(join(programsDirectory, 'name-models.mjs'), [file]));
  expect(faults).toEqual([]);
  const messages = Object.keys(JSON.parse(readFileSync(file, 'utf8')).components.messages);
  const nameOf = (type: string) => type.replace(/(?:^|[.-])(\w)/g, (_, letter) => letter.toUpperCase());
  expect(names).toEqual(expect.arrayContaining(messages.map(nameOf)));
  expect(names.filter((name: string) => /anonymous/i.test(name))).toEqual([]);
  expect(names).toEqual([...new Set(names)]);
});

test('the client package resolves, with its types, for every importer', proven, async () => {
  const built = join(directory, 'client');
  buildClient(built);
  // Build again: the compiler's cache from the first build must not suppress the output.
  buildClient(built);
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json'], { cwd: built, encoding: 'utf8' }));
  const packed = join(built, filename);
  await runTool('publint', ['run', packed, '--strict']);
  // The package has ES modules only, for `import`.
  await runTool('attw', [packed, '--profile', 'esm-only']);
});

describe('a collection imported from the document', () => {
  // Importers copy the times of the document's examples, and the API rejects times in the past. Bruno also sends the version of the
  // examples, which resources of the demo world do not have.
  const documentOfNow = join(directory, 'now.json');
  const withAnyVersion = (_: string, part: { name?: string }) =>
    part?.name === 'If-Match' ? { ...part, example: '*' } : part;
  beforeAll(() => writeFileSync(documentOfNow, JSON.stringify(writtenAt(Date.now(), apiDocument), withAnyVersion)));

  test('of Postman sends every request as imported', proven, async () => {
    await makeRoom();
    const collection = join(directory, 'postman.json');
    const report = join(directory, 'newman.json');
    // The choices of a partner in the import dialog: examples instead of random values.
    const choices = 'folderStrategy=Tags,parametersResolution=Example,enableOptionalParameters=false';
    await runTool('openapi2postmanv2', ['-s', documentOfNow, '-o', collection, '-O', choices]);
    const { baseUrl, caFile } = service.demo;
    await runTool('newman', [
      ...['run', collection, '--env-var', `baseUrl=${baseUrl}`, '--env-var', `apiKey=${partner().apiKey}`],
      ...['--ssl-extra-ca-certs', caFile, '--reporters', 'json', '--reporter-json-export', report],
    ]);
    const { executions } = JSON.parse(readFileSync(report, 'utf8')).run as { readonly executions: Execution[] };
    const sent = executions.map(({ request, response }) => ({
      method: request.method,
      path: `/${request.url.path.slice(1).join('/')}`,
      status: response.code,
    }));
    expect(linesOf(sent)).toEqual(linesOf(exampleCalls()));
  });

  test('of Bruno sends every request as imported', proven, async () => {
    await makeRoom();
    const format = ['--collection-name', 'imported', '--collection-format', 'bru'];
    await runTool('bru', ['import', 'openapi', '--source', documentOfNow, '--output', directory, ...format]);
    const sent = await runBruno(join(directory, 'imported'), 'Environment 1', `apiKey=${partner().apiKey}`);
    expect(linesOf(sent)).toEqual(linesOf(exampleCalls()));
  });
});

test('each request of the Bruno collection succeeds in the demo world', proven, async () => {
  await makeRoom();
  const collection = join(directory, 'bruno');
  for (const [name, text] of brunoFiles()) {
    mkdirSync(dirname(join(collection, name)), { recursive: true });
    writeFileSync(join(collection, name), text);
  }
  const sent = await runBruno(collection, 'demo');
  const successes = operationIds.map((operationId) => {
    const { summary, success } = endpoints[operationId];
    return `${summary} ${success.status}`;
  });
  expect(sent.map(({ name, status }) => `${name} ${status}`).toSorted()).toEqual(successes.toSorted());
});

/** Resets what earlier tests used up: rate limits, and the few webhooks. */
const makeRoom = async () => {
  stopClock().forward(ratePolicies['time-program'].refillIntervalMs);
  const { apiKey } = partner();
  const { items } = (await service.send({ path: '/webhooks', apiKey })).body;
  for (const { webhookId } of items) await service.send({ method: 'DELETE', path: `/webhooks/${webhookId}`, apiKey });
};

type Execution = {
  readonly request: { readonly method: string; readonly url: { readonly path: readonly string[] } };
  readonly response: { readonly code: number };
};
type Result = {
  readonly name: string;
  readonly request: { readonly method: string; readonly url: string };
  readonly response: { readonly status: number };
};

/** Runs all requests of a collection in order. */
const runBruno = async (collection: string, environment: string, ...variables: readonly string[]) => {
  const { baseUrl, caFile } = service.demo;
  const report = join(directory, 'bruno.json');
  const values = [`baseUrl=${baseUrl}`, ...variables].flatMap((each) => ['--env-var', each]);
  const options = ['--env', environment, ...values, '--cacert', caFile, '--reporter-json', report];
  await runTool('bru', ['run', '-r', ...options], { cwd: collection, variables: { API_KEY: partner().apiKey } });
  const [{ results }] = JSON.parse(readFileSync(report, 'utf8')) as [{ readonly results: readonly Result[] }];
  return results.map(({ name, request, response }) => ({
    name,
    method: request.method,
    path: new URL(request.url).pathname.slice(3),
    status: response.status,
  }));
};
