import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listTimePrograms } from '../../lambdas/data/appliances/appliances.ts';
import { campaign, provenTest } from '../support/campaign.ts';
import { answersIn, companyOf, openService, openShell, type Service, shellBlocksOf } from '../support/service.ts';

let service: Service;
let shell: ReturnType<typeof openShell>;
beforeAll(async () => {
  service = await openService();
  shell = openShell(service);
});
afterAll(async () => {
  await service.close();
  shell.close();
});

/** What stands under a heading of the README, up to the next. */
const sectionOf = (heading: string): string => {
  const [, section = ''] = readFileSync('README.md', 'utf8').split(`\n## ${heading}\n`);
  return section.split('\n## ')[0]?.trimEnd() ?? '';
};

/** The first shell block under a heading. */
const shellBlockOf = (heading: string): string => shellBlocksOf(sectionOf(heading))[0] ?? '';

test('the first calls do, pasted as they are, what the README says of them', async () => {
  const output = await shell.run(shellBlockOf('First calls'));
  const { companyId, userId, keyId } = companyOf(service, 'acme');
  expect(answersIn(output)).toMatchObject([
    { companyId, userId, state: 'active', consent: { upToDate: true } },
    { companyId, keyId, validKeys: 1 },
    { apiKey: expect.stringMatching(/^xHCSAPI_acme_/) },
    { code: 'api-key-expired' },
    { code: 'source-address-not-allowed' },
    { code: 'api-key-missing' },
  ]);
  expect(output).toMatch(/^RateLimit: "general";r=4;t=1\r?$/im);
});

/** Stands in for the sleep between two reads, which would be too short for an appliance on a slow machine. */
const untilConfirmed = async () => {
  const circuit = { gatewayId: companyOf(service, 'acme').gateways[0]?.gatewayId ?? '', family: 'heating' } as const;
  const isPending = async () => {
    const { programs } = await listTimePrograms(service.local.store, { ...circuit, circuitId: 'hc1' }, 10);
    return programs.some(({ desired }) => desired);
  };
  while (await isPending()) await setTimeout(100);
};

provenTest('remote control, pasted behind it: a circuit, a change, and its confirmation', campaign, async () => {
  const [definitions = ''] = shellBlockOf('First calls').split(/^# /m);
  const script = definitions + shellBlockOf('Remote control');
  const [circuit, change, ...reads] = answersIn(await shell.run(script, { sleep: untilConfirmed }));
  expect(circuit).toMatchObject({ circuitId: 'hc1', operationMode: 'auto', state: 'confirmed' });
  expect(change).toMatchObject({ name: 'Long evenings', state: 'pending', connectivity: 'online', version: 2 });
  for (const read of reads) expect(read).toMatchObject({ name: 'Long evenings', version: 2 });
  expect(reads.at(-1)).toMatchObject({ state: 'confirmed', switchPoints: change.switchPoints });
});
