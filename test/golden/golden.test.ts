import { readFileSync, writeFileSync } from 'node:fs';
import type { SQSBatchResponse } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { stageConfig } from '../../config/schema.ts';
import { type Consumer, consumerNames, consumers } from '../../lambdas/api/background-functions.ts';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { inboundEventTypes } from '../../lambdas/api/inbound-events/inbound-events.ts';
import { type QueueName, queueNames } from '../../lambdas/api/queues.ts';
import { type TableName, tables } from '../../lambdas/api/tables.ts';
import { apiVersion } from '../../lambdas/api/version.ts';
import { replaceChance } from '../support/chance.ts';
import { keyText, toItem } from '../support/memory-store/tables.ts';
import { seededNumbers } from '../support/random.ts';
import { type Code, openStage, type Stage } from '../support/stage/stage.ts';
import { stopStopwatch } from '../support/time.ts';
import { codeOfToday, keepCode, loadCode, readCode } from './code.ts';
import { ask, playScene } from './scene.ts';
import { digestsOf, endOf, type Golden, keepGolden, keptVersions, readGolden, remedyOfNewest } from './sets.ts';

/** Has a digest of each file of each set. If a line changes, the set is no longer what its version wrote. */
const recordFile = 'docs/data-compatibility.txt';

const isWriting = process.env.GOLDEN === 'write';

test.runIf(isWriting)('the set of this version is written', async () => {
  const code = await codeOfToday();
  // The same ids, keys and durations each time: a set changes only where the code that wrote it did.
  const endChance = replaceChance(seededNumbers(1));
  stopStopwatch();
  const golden = await playScene(openStage({ versions: [code] })).finally(endChance);
  keepGolden(apiVersion, golden);
  await keepCode(apiVersion);
  // Imported here because the CDK takes a second to load, and no other test needs it.
  const { keepTemplates } = await import('./templates.ts');
  await keepTemplates(apiVersion, stageConfig.parse(golden.configuration));
  // Drops the lines of the set that was there: the version is unreleased.
  const others = readFileSync(recordFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.includes(`/${apiVersion}/`));
  writeFileSync(recordFile, `${[...others, ...digestsOf(apiVersion)].join('\n')}\n`);
});

const remedyForOld = (version: string): string =>
  `Stages of ${version} have such rows and messages: let the code read both forms. If ${version} is this version and unreleased, npm run golden writes its set anew.`;

/** Opens a stage of the given code on the rows that a version left in the tables. */
const stageOver = (golden: Golden, code: Code): Stage => {
  const rows = Object.entries(golden.items).map(([name, items]) => [
    name,
    new Map(items.map((item) => [keyText(tables[name as TableName], item), toItem(item)])),
  ]);
  return openStage({ versions: [code], beginMs: endOf(golden), begin: Object.fromEntries(rows) });
};

describe.skipIf(isWriting).each(keptVersions)('what version %s has written', (version) => {
  const golden = readGolden(version);

  test('is unchanged', () => {
    const recorded = readFileSync(recordFile, 'utf8').split('\n');
    const changed = digestsOf(version).filter((line) => !recorded.includes(line));
    const remedy = `Files of test/golden/${version} are not those in ${recordFile}: restore them with git. Only npm run golden writes a set, and that of an unreleased version alone.`;
    expect(changed, remedy).toEqual([]);
  });

  test('is read, repeated and paged through by the present operations, with the same answers', async () => {
    const stage = stageOver(golden, await codeOfToday());
    for (const { operationId, request, status, body } of golden.answers) {
      const answer = await ask(stage, operationId, request);
      const remedy = `${operationId} no longer answers what ${version} answered from the same rows. ${remedyForOld(version)}`;
      expect(answer.status, remedy).toBe(status);
      if (body === null) expect(answer.body, remedy).toBeNull();
      else expect(answer.body, remedy).toMatchObject(body as object);
    }
  });

  test.each(consumerNames)(
    'is handled by the present %s: each record and message, with none set aside',
    async (name) => {
      const stage = stageOver(golden, await codeOfToday());
      const remedy = `${name} does not process what ${version} left on its stream or queue. ${remedyForOld(version)}`;
      const { source }: Consumer = consumers[name];
      const sent = 'stream' in source ? golden.records[source.stream] : golden.messages[source.queue];
      const records = 'stream' in source ? sent : (sent as { body: string }[]).map(asReceived(endOf(golden)));
      for (const record of records ?? []) {
        const { batchItemFailures } = (await stage.invoke(name, { Records: [record] })) as SQSBatchResponse;
        expect(batchItemFailures, remedy).toEqual([]);
      }
      expect(stage.failures[name].bodies(), remedy).toEqual([]);
      const errors = stage.lines.filter((line) => line.includes('"level":"ERROR"'));
      expect(errors, remedy).toEqual([]);
    },
  );

  test('is a configuration that the present schema accepts', () => {
    const { error } = stageConfig.safeParse(golden.configuration);
    const remedy = `config/schema.ts refuses the configuration of a stage of ${version}. Make these entries optional.`;
    expect(error?.issues ?? [], remedy).toEqual([]);
  });

  test('is code that runs and returns the same answers', async () => {
    const stage = stageOver(golden, await loadCode(readCode(version)));
    for (const { operationId, request, body } of golden.answers) {
      const remedy = `${operationId} of the kept code of ${version} answers something else than it did. The tests changed, not the service: look at test/golden/scene.ts and test/support/stage/.`;
      expect((await ask(stage, operationId, request)).body, remedy).toEqual(body);
    }
  });
});

const asReceived = (nowMs: number) => (message: { readonly body: string }) => ({
  messageId: 'm1',
  receiptHandle: 'm1',
  messageAttributes: {},
  ...message,
  attributes: { SentTimestamp: String(nowMs), ApproximateReceiveCount: '1' },
});

describe.skipIf(isWriting)(`the newest set is of version ${apiVersion} and has`, () => {
  const remedy = remedyOfNewest(apiVersion);
  const isEmpty = (list: readonly unknown[] | undefined) => list === undefined || list.length === 0;

  test('a folder', () => {
    expect(keptVersions, `There is no test/golden/${apiVersion}. Run npm run golden.`).toContain(apiVersion);
  });

  test('rows of every table', () => {
    const { items } = readGolden(apiVersion);
    const without = Object.keys(tables).filter((name) => isEmpty(items[name as TableName]));
    expect(
      without,
      `No row of these tables is in test/golden/${apiVersion}. ${sceneHas('writes one')} ${remedy}`,
    ).toEqual([]);
  });

  test('messages on every queue, and events of every type', () => {
    const { messages } = readGolden(apiVersion);
    const sent = (name: QueueName) => messages[name].map(({ body }) => JSON.parse(body).type);
    const queuesWithout = queueNames.filter((name) => isEmpty(messages[name]));
    const missing = `is in test/golden/${apiVersion}. ${sceneHas('sends one')} ${remedy}`;
    expect(queuesWithout, `No message of these queues ${missing}`).toEqual([]);
    const typesWithout = inboundEventTypes.filter((type) => !queueNames.flatMap(sent).includes(type));
    expect(typesWithout, `No event of these types ${missing}`).toEqual([]);
  });

  test('records of every stream', () => {
    const { records } = readGolden(apiVersion);
    const streams = consumerNames.flatMap((name) => {
      const { source }: Consumer = consumers[name];
      return 'stream' in source ? [source.stream] : [];
    });
    const without = streams.filter((name) => isEmpty(records[name]));
    expect(
      without,
      `No record of these streams is in test/golden/${apiVersion}. ${sceneHas('changes one')} ${remedy}`,
    ).toEqual([]);
  });

  test('answers of every operation that reads', () => {
    const asked = new Set(readGolden(apiVersion).answers.map(({ operationId }) => operationId));
    const without = operationIds.filter((id) => /^(get|list|createApiKey)/.test(id) && !asked.has(id));
    expect(without, `No answer of these operations is in test/golden/${apiVersion}. ${remedy}`).toEqual([]);
  });
});

const sceneHas = (what: string): string => `Unless it has it already, add a step that ${what} to test/golden/scene.ts.`;
