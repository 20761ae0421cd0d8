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
import { keyText, toItem } from '../support/memory-store/tables.ts';
import { type Code, openStage, type Stage } from '../support/stage/stage.ts';
import { codeOfToday, keepCode, loadCode, readCode } from './code.ts';
import { ask, playScene } from './scene.ts';
import { digestsOf, endOf, type Golden, keepGolden, keptVersions, readGolden } from './sets.ts';

/** Has a digest of each file of each set. If a line changes, the set is no longer what its version wrote. */
const recordFile = 'docs/data-compatibility.txt';

const isWriting = process.env.GOLDEN === 'write';

test.runIf(isWriting)('the set of this version is written', async () => {
  const golden = await playScene(openStage({ versions: [await codeOfToday()] }));
  keepGolden(apiVersion, golden);
  await keepCode(apiVersion);
  // Imported here because the CDK takes a second to load, and no other test needs it.
  const { keepTemplates } = await import('./templates.ts');
  await keepTemplates(apiVersion, stageConfig.parse(golden.configuration));
  // Drops the lines of a set of this version that was deleted: the version is unreleased.
  const others = readFileSync(recordFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.includes(`/${apiVersion}/`));
  writeFileSync(recordFile, `${[...others, ...digestsOf(apiVersion)].join('\n')}\n`);
});

/**
 * Entries that a later version requires. No stage of these versions was ever deployed; versions after 1.5 may require nothing
 * more.
 */
const requiredSince: Readonly<Record<string, readonly string[]>> = {
  '1.3': ['workflow.ownerId', 'workflow.repositoryId'],
  '1.4': ['workflow.ownerId', 'workflow.repositoryId'],
};

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
    expect(digestsOf(version).filter((line) => !recorded.includes(line))).toEqual([]);
  });

  test('is read, repeated and paged through by the present operations, with the same answers', async () => {
    const stage = stageOver(golden, await codeOfToday());
    for (const { operationId, request, status, body } of golden.answers) {
      const answer = await ask(stage, operationId, request);
      expect([operationId, answer.status]).toEqual([operationId, status]);
      if (body === null) expect(answer.body).toBeNull();
      else expect(answer.body).toMatchObject(body as object);
    }
  });

  test.each(consumerNames)(
    'is handled by the present %s: each record and message, with none set aside',
    async (name) => {
      const stage = stageOver(golden, await codeOfToday());
      const { source }: Consumer = consumers[name];
      const sent = 'stream' in source ? golden.records[source.stream] : golden.messages[source.queue];
      const records = 'stream' in source ? sent : (sent as { body: string }[]).map(asReceived(endOf(golden)));
      for (const record of records ?? []) {
        const { batchItemFailures } = (await stage.invoke(name, { Records: [record] })) as SQSBatchResponse;
        expect(batchItemFailures).toEqual([]);
      }
      expect(stage.failures[name].bodies()).toEqual([]);
      expect(stage.lines.filter((line) => line.includes('"level":"ERROR"'))).toEqual([]);
    },
  );

  test('is a configuration that the present schema accepts, except for entries required since', () => {
    const { error } = stageConfig.safeParse(golden.configuration);
    expect((error?.issues ?? []).map(({ path }) => path.join('.'))).toEqual(requiredSince[version] ?? []);
  });

  test('is code that runs and returns the same answers', async () => {
    const stage = stageOver(golden, await loadCode(readCode(version)));
    for (const { operationId, request, body } of golden.answers)
      expect((await ask(stage, operationId, request)).body).toEqual(body);
  });
});

const asReceived = (nowMs: number) => (message: { readonly body: string }) => ({
  messageId: 'm1',
  receiptHandle: 'm1',
  messageAttributes: {},
  ...message,
  attributes: { SentTimestamp: String(nowMs), ApproximateReceiveCount: '1' },
});

test.skipIf(isWriting)('the newest set is of this version and covers every table, operation, queue and event', () => {
  expect(keptVersions).toContain(apiVersion);
  const { items, answers, messages, records } = readGolden(apiVersion);
  const isEmpty = (list: readonly unknown[] | undefined) => list === undefined || list.length === 0;
  expect(Object.keys(tables).filter((name) => isEmpty(items[name as TableName]))).toEqual([]);
  const sent = (name: QueueName) => messages[name].map(({ body }) => JSON.parse(body).type);
  expect(queueNames.filter((name) => isEmpty(messages[name]))).toEqual([]);
  expect(inboundEventTypes.filter((type) => !queueNames.flatMap(sent).includes(type))).toEqual([]);
  const streams = consumerNames.flatMap((name) => {
    const { source }: Consumer = consumers[name];
    return 'stream' in source ? [source.stream] : [];
  });
  expect(streams.filter((name) => isEmpty(records[name]))).toEqual([]);
  const asked = new Set(answers.map(({ operationId }) => operationId));
  expect(operationIds.filter((id) => /^(get|list|createApiKey)/.test(id) && !asked.has(id))).toEqual([]);
});
