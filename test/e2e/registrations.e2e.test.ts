import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import type { StageConfig } from '../../config/schema.ts';
import { connectToLocalRun } from '../../operator/connection/local.ts';
import { proven, size } from '../support/campaign.ts';
import { openStage } from '../support/open-stage.ts';
import { operateForJson, temporaryDirectory } from '../support/operator.ts';
import type { Service } from '../support/service.ts';

const config: StageConfig = {
  ...loadStageConfig('local'),
  allowlist: 'waf',
  registrations: 'store',
  companies: [],
};

let service: Service;
beforeAll(async () => {
  if (!size({ test: false, prove: true })) return;
  service = await openStage(config);
});
afterAll(() => service?.close());

const directory = temporaryDirectory();

/** Runs the operator's program on the running service. */
const operate = (...commandLine: string[]) =>
  operateForJson(commandLine, {
    store: service.local.store,
    config,
    directory,
    nowMs: Date.now(),
    connect: () => connectToLocalRun(service.directory),
  });
const because = ['--reason', 'contract 42 signed'];

test('addresses change with a command, without a deployment', proven, async () => {
  const [first, second] = ['127.0.0.5', '127.0.0.6'];
  const registration = join(directory, 'acme.json');
  writeFileSync(
    registration,
    JSON.stringify({ companyId: 'acme', name: 'Acme', userId: 'owner-4711', allowedCidrs: [`${first}/32`] }),
  );
  let apiKey = '';
  const answers = () =>
    Promise.all(
      [first, second].map(async (sourceIp) => {
        const { status, body } = await service.send({ path: '/contract', apiKey, sourceIp });
        return status === 200 ? status : body.code;
      }),
    );
  const refused = 'source-address-not-allowed';
  const expectInLine = async () => expect(await operate('company', 'sync', '--check')).toMatchObject({ exit: 'ok' });
  expect(await answers()).toEqual([refused, refused]);

  const { output } = await operate('company', 'onboard', 'acme', '--registration', registration, ...because);
  apiKey = readFileSync(output.keyFile, 'utf8').trim();
  expect(await answers()).toEqual([200, refused]);
  await expectInLine();

  await operate('company', 'set', 'acme', '--add-addresses', `${second}/32`, ...because);
  expect(await answers()).toEqual([200, 200]);
  await expectInLine();

  await operate('company', 'set', 'acme', '--remove-addresses', `${first}/32`, ...because);
  expect(await answers()).toEqual([refused, 200]);
  const { conclusion } = (await operate('address', 'check', first)).output;
  expect(conclusion).toContain('is refused at the edge, for everybody.');
  await expectInLine();

  await operate('contract', 'end', 'acme', '--all', '--yes', ...because);
  await operate('company', 'set', 'acme', '--remove-addresses', `${second}/32`, ...because);
  expect(await answers()).toEqual([refused, refused]);
  await expectInLine();
});
