import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServedStack } from 'serve-stack';
import { expect, onTestFinished, test } from 'vitest';
import type { ControlledRun } from '../../../local/controls/control-effects.ts';
import { controlsFile, startControls } from '../../../local/controls/control-server.ts';
import type { ControlName } from '../../../local/controls/controls.ts';
import { sendControl } from '../../../local/controls/send-control.ts';
import type { Demo } from '../../../local/demo/demo-world.ts';

const company = (companyId: string, userId: string, gatewayIds: readonly string[]) => ({
  companyId,
  userId,
  gateways: gatewayIds.map((gatewayId) => ({ gatewayId, heatingCircuits: [], dhwCircuits: [] })),
});
const owners = Array.from({ length: 10 }, (_, index) => company('', `owner-${index}`, [`gw-500${index}`]));
const world = {
  companies: [company('acme', 'owner-4711', ['gw-1001', 'gw-1002']), { companyId: 'fleet', owners }],
} as unknown as Demo;

/** A run without a gateway backend. Only its webhook receiver works. */
const open = async (demo: Demo = world) => {
  const directory = mkdtempSync(join(tmpdir(), 'controls-'));
  const statuses: (number | undefined)[] = [];
  const served = { logsDirectory: directory, version: () => ({ stack: { name: 'Stack' } }) } as unknown as ServedStack;
  const { close } = await startControls(demo, {
    directory,
    served,
    simulation: undefined,
    failWebhooksWith: (status) => statuses.push(status) === 1,
  } as Partial<ControlledRun> as ControlledRun);
  onTestFinished(async () => {
    await close();
    rmSync(directory, { recursive: true });
  });
  return {
    directory,
    statuses,
    close,
    send: (name: string, ...words: string[]) => sendControl(directory, { name: name as ControlName, words }),
  };
};

test('a control returns what it did and what a partner sees, or that nothing changed', async () => {
  const { send, statuses } = await open();
  expect(await send('receiver-fails', '410')).toEqual([
    'The webhook receiver answers 410.',
    expect.stringMatching(/^GET \/webhooks\/\{webhookId\} has failingSince/),
  ]);
  expect(await send('receiver-fails')).toEqual(['The webhook receiver answers 503.', expect.stringMatching(/already/)]);
  expect(statuses).toEqual([410, 503]);
});

test.each([
  ['receiver-fails', ['204'], '204 is not a failure status; write one from 300 to 599.'],
  ['receiver-fails', ['503', '504'], 'Write it like this: npm run demo -- receiver-fails [status]'],
  ['offline', [], 'Write it like this: npm run demo -- offline <gateway>'],
  [
    'offline',
    ['gw-9'],
    'The demo world has no gateway gw-9. It has gw-1001, gw-1002 of acme, gw-5000, gw-5001, gw-5002 … gw-5009 of fleet.',
  ],
  ['offline', ['gw-1001'], /simulates no appliances: it was started with --without-backend/],
  ['block', ['gw-1001', 'heating'], /^heating is not a function of an appliance\. The functions are heatingCircuits, /],
  ['fault', ['gw-1001', 'F 28'], /^F 28 is not a fault code/],
  ['owner-sets', ['gw-1001', '31'], /^31 is not a room temperature/],
  ['owner-sets', ['gw-1001', '20.2'], /^20\.2 is not a room temperature/],
  ['owner-sets', ['gw-1001', 'warm'], /^warm is not a room temperature/],
  [
    'consent-renewed',
    ['owner-x'],
    /^The demo world has no owner owner-x\. It has owner-4711, owner-0, owner-1 … owner-9;/,
  ],
  ['suspend', ['umbrella'], 'The demo world has no company umbrella. It has acme, fleet.'],
  ['key-expires-in', ['soon'], /^soon is not a duration; write days, hours or minutes/],
  ['explode', [], /^This run has no control explode/],
  ['constructor', [], /^This run has no control constructor/],
])('%s %j is refused by a sentence', async (name, words, sentence) => {
  const { send } = await open();
  await expect(send(name, ...words)).rejects.toThrow(sentence);
});

test('a run without a demo world has no controls', async () => {
  const { send, statuses } = await open({ ...world, companies: [] });
  await expect(send('receiver-fails')).rejects.toThrow('This run was started with --empty and has no demo world.');
  expect(statuses).toEqual([]);
});

test('the file with the URL and the token is private and deleted when the run ends', async () => {
  const { directory, send, close } = await open();
  const file = join(directory, controlsFile);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const content = readFileSync(file, 'utf8');
  await close();
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  await expect(send('receiver-works')).rejects.toThrow(`No local run is up in ${directory}.`);
  // A killed run leaves its file behind, whose URL does not answer.
  writeFileSync(file, content);
  await expect(send('receiver-works')).rejects.toThrow(`No local run is up in ${directory}.`);
});

test('a request without the token of the file has no effect', async () => {
  const { directory, statuses } = await open();
  const { url, token } = JSON.parse(readFileSync(join(directory, controlsFile), 'utf8'));
  const ask = async (authorization: string | undefined) => {
    const headers = authorization === undefined ? {} : { authorization };
    return (await fetch(url, { method: 'POST', headers, body: '{"name":"receiver-fails","words":[]}' })).status;
  };
  expect(await Promise.all([undefined, `Bearer ${token}x`, token].map(ask))).toEqual([401, 401, 401]);
  expect(statuses).toEqual([]);
  expect(await ask(`Bearer ${token}`)).toBe(200);
});
