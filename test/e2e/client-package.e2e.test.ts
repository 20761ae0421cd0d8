import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { signatureHeaders, webhookMessageOf } from '../../lambdas/domain/webhook-message.ts';
import { buildClient } from '../../partner/client/build/package.ts';
import { readRequestEvent } from '../support/call.ts';
import { proven } from '../support/campaign.ts';
import { companyOf, openService, type Service } from '../support/service.ts';
import { eventually, stopClock } from '../support/time.ts';
import { issueKey } from '../support/world.ts';

let service: Service;
/** A partner's project with the client installed; from TypeScript it has only types. */
const project = mkdtempSync(join(tmpdir(), 'partner-'));
const installed = join(project, 'node_modules/partner-api-client');
beforeAll(async () => {
  service = await openService();
  mkdirSync(join(project, 'node_modules'));
  buildClient(installed);
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
});
afterAll(async () => {
  await service.close();
  rmSync(project, { recursive: true });
});

/** Lengthens the client's timeouts for slow machines; otherwise it would send requests again. */
const patient = `data:text/javascript,${encodeURIComponent(
  'const { timeout } = AbortSignal; AbortSignal.timeout = (ms) => timeout.call(AbortSignal, 1000 * ms);',
)}`;

const run = async (options: readonly string[], variables = {}) => {
  const { baseUrl, caFile } = service.demo;
  const { apiKey, userId } = companyOf(service, 'acme');
  const env = {
    ...process.env,
    BASE_URL: baseUrl,
    API_KEY: apiKey,
    USER_ID: userId,
    NODE_EXTRA_CA_CERTS: caFile,
    ...variables,
  };
  return promisify(execFile)(process.execPath, ['--import', patient, ...options], { cwd: project, env });
};

test('a plain JavaScript process uses the installed client, and waits after a 429', proven, async () => {
  writeFileSync(
    join(project, 'calls.js'),
    `import { createPartnerClient } from 'partner-api-client';
    const { BASE_URL: baseUrl, API_KEY: apiKey } = process.env;
    const client = createPartnerClient({ baseUrl, apiKey });
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.call('getContract')));
    const refused = await client.call('deleteApiKey', { path: { keyId: 'nobodys-key' } });
    console.log(JSON.stringify([answers, refused]));`,
  );
  const statuses = () =>
    service
      .eventLines()
      .map((line) => readRequestEvent(line).event)
      .filter(({ operation }) => operation === 'getContract')
      .map(({ status }) => status);
  stopClock();
  const running = run(['calls.js']);
  // All eight requests arrive at one time, however slow the machine is; then the clock continues.
  await Promise.race([running, eventually(() => expect(statuses()).toContain(429))]);
  vi.useRealTimers();
  const [answers, refused] = JSON.parse((await running).stdout);
  expect(answers).toMatchObject(Array(8).fill({ ok: true, status: 200, body: { companyId: 'acme' } }));
  expect(refused).toMatchObject({ ok: false, problem: { code: 'api-key-not-found' } });
  expect(statuses().filter((status) => status === 200)).toHaveLength(8);
  expect(statuses()).toContain(429);
});

test('without trust in the certificate, the client says so at once, with the remedy', proven, async () => {
  writeFileSync(
    join(project, 'distrust.js'),
    `import { createPartnerClient } from 'partner-api-client';
    const { BASE_URL: baseUrl, API_KEY: apiKey } = process.env;
    let waits = 0;
    const client = createPartnerClient({ baseUrl, apiKey, wait: async () => { waits++; } });
    const { problem } = await client.call('getContract');
    console.log(JSON.stringify({ ...problem, waits }));`,
  );
  const { stdout } = await run(['distrust.js'], { NODE_EXTRA_CA_CERTS: '' });
  expect(JSON.parse(stdout)).toMatchObject({ code: 'no-answer', waits: 0 });
  expect(JSON.parse(stdout).detail).toMatch(/certificate.*\. Check the baseUrl and the certificate authorities/);
});

/** Runs the feed example of the README, which has no end, until it has stored a cursor. */
const untilACursorIsKept = `
const stopping = new AbortController();
const { keep } = cursors;
Object.assign(cursors, { keep: (cursor) => keep(cursor).then(() => stopping.abort()) });
await follow(stopping.signal).catch(({ name }) => console.log(name));
`;

const webhookSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

/** Sends the webhook example of the README a signed message and an unsigned one. */
const sentTwice = () => {
  const message = webhookMessageOf({ webhookId: 'wh_1', state: 'enabled', code: 'c0de', asked: 1 }, Date.now());
  const signed = signatureHeaders(message, [webhookSecret]);
  return `
for (const headers of ${JSON.stringify([signed, {}])}) {
  const request = new Request('https://hooks.acme.example', { method: 'POST', headers, body: ${JSON.stringify(message.body)} });
  console.log((await receive(request)).status);
}
`;
};

test('the examples of the README compile and do what it says', proven, async () => {
  const blocks = [...readFileSync('partner/client/README.md', 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(
    ([, block]) => block,
  );
  const [gateway] = companyOf(service, 'acme').gateways;
  const example = blocks.join('\n').replace('gw-1001', gateway?.gatewayId ?? '');
  writeFileSync(join(project, 'example.ts'), example);
  const old = await issueKey(service.local.store, 'acme', Date.now() - 160 * 86_400_000);
  writeFileSync(join(project, 'api-key.json'), JSON.stringify({ apiKey: old.apiKey }));

  symlinkSync(resolve('node_modules/@types'), join(project, 'node_modules/@types'));
  const compiler = resolve('node_modules/typescript/bin/tsc');
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  await run([
    compiler,
    ...strict,
    '--noEmit',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--types',
    'node',
    'example.ts',
  ]);

  writeFileSync(join(project, 'example.ts'), example + sentTwice() + untilACursorIsKept);
  const { stdout, stderr } = await run(['example.ts'], { WEBHOOK_SECRETS: webhookSecret });
  expect(stderr).toBe('');
  expect(stdout.split('\n')).toEqual([
    ...[/ online$/, / offline$/, / online$/].map((line) => expect.stringMatching(line)),
    ...Array(3).fill(expect.stringMatching(/^owner-4711 gw-\d+ \d$/)),
    ...['hc1 21 At home, At work', 'hc2 21 At home, At work'],
    expect.stringMatching(/^-?[\d.]+ celsius 20.*Z$/),
    'pending "3"',
    'The key was replaced.',
    ...['There is something to read.', '204', '401'],
    'Reading the state of all gateways: begin',
    'AbortError',
    '',
  ]);
  expect(readFileSync(join(project, 'cursor'), 'utf8')).toMatch(/^[\w-]+$/);
  const kept = JSON.parse(readFileSync(join(project, 'api-key.json'), 'utf8'));
  expect(kept).toMatchObject({ replaced: { keyId: old.keyId } });
});

test('the package has no dependencies, no sources and no build tools', proven, () => {
  const {
    dependencies,
    devDependencies,
    private: isPrivate,
    exports,
  } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect([dependencies, devDependencies, isPrivate]).toEqual([undefined, undefined, undefined]);
  for (const { types, default: code } of Object.values<{ types: string; default: string }>(exports)) {
    expect(readFileSync(join(installed, types), 'utf8')).toContain('export ');
    expect(readFileSync(join(installed, code), 'utf8')).not.toContain("from 'node:");
  }
});
