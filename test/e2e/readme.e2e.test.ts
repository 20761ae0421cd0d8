import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answersIn, companyOf, openService, openShell, type Service, shellBlocksOf } from '../support/service.ts';
import { eventually } from '../support/time.ts';

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

const readme = readFileSync('README.md', 'utf8');
/** The README block that calls the API, with the port of this run. */
const firstCall = () => {
  const block = shellBlocksOf(readme).find((each) => each.includes('curl ')) ?? '';
  return block.replace('https://localhost:8443/v1', service.demo.baseUrl);
};
/** The answer in the README: a line for each header, and the body. */
const [, shown = ''] = /```http\n(.*?)```/s.exec(readme) ?? [];

test('the first call, pasted unchanged, returns what the README shows', async () => {
  const output = await shell.run(firstCall());
  const lines = output.split(/\r?\n/).map((line) => line.toLowerCase());
  const [head = '', body = ''] = shown.split('\n\n');
  for (const line of head.split('\n')) expect(lines).toContain(line.toLowerCase());
  const members = JSON.parse(body.replace(', …', ''));
  expect(Object.keys(members)).toEqual(['circuitId', 'state', 'roomSetpointCelsius']);
  const [answer] = answersIn(output);
  expect(answer).toMatchObject(members);
  expect(Object.keys(answer).filter((name) => name in members)).toEqual(Object.keys(members));
});

test('the appliance confirms the change some seconds later', async () => {
  const { apiKey, userId, gateways } = companyOf(service, 'acme');
  const path = `/hvacs/${gateways[0]?.gatewayId}/heatingCircuits/hc1`;
  await eventually(async () => {
    const { body } = await service.send({ path, apiKey, rawHeaders: ['x-user-id', userId] });
    expect(body).toMatchObject({ roomSetpointCelsius: 22, state: 'confirmed' });
  }, 2000);
});
