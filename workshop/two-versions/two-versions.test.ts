import type { APIGatewayProxyResult } from 'aws-lambda';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { bundleOfToday, codeOfToday, loadCode, readCode } from '../../test/golden/code.ts';
import { type Answered, isReleased, keptVersions, readGolden } from '../../test/golden/sets.ts';
import { type CallOptions, type EquippedCompany, equipCompany, goodCall, proxyEvent } from '../../test/support/call.ts';
import { campaign, playRounds, size } from '../../test/support/campaign.ts';
import { below, randomNumbers } from '../../test/support/random.ts';
import { type Code, openStage, type Stage } from '../../test/support/stage/stage.ts';
import { homeOf } from '../../test/support/stage/traffic.ts';
import { startReceiver } from '../../test/support/webhooks.ts';
import { act, newTruth, settleWithWebhooks } from '../campaigns/storm/acts.ts';
import { expectFeeds, expectNothingLost, expectOrder } from '../campaigns/storm/oracles.ts';

let network: Awaited<ReturnType<typeof startReceiver>>['network'];
beforeAll(async () => {
  ({ network } = await startReceiver());
});

const homes = [1, 2].map(homeOf);
const seconds = size({ test: 60, prove: 300 });

const isRead = (operationId: OperationId): boolean => endpoints[operationId].method === 'GET';

/**
 * Plays one world in which either version answers each call of a function, the older one first in the list; `kept` are the kept
 * answers of the older one, if it is not the present code.
 */
const play = async (seed: number, versions: readonly Code[], kept?: readonly Answered[]) => {
  const expectSame = comparison(kept);
  const random = randomNumbers(seed);
  let chosen: number | undefined;
  const stage = openStage({ network, versions, pick: (count) => chosen ?? below(random, count) });
  const by = async <T>(version: number, run: () => Promise<T>): Promise<T> => {
    chosen = version;
    return run().finally(() => {
      chosen = undefined;
    });
  };
  await settleWithWebhooks(stage, homes);
  // A partner calls only operations that both versions have.
  const shared = operationIds.filter((operationId) => versions.every((code) => operationId in code));
  const truth = newTruth(homes);
  const counts: Record<string, number> = {};
  const pair = { stage, by, expectSame };
  let company = await equipCompany(stage.store, { companyId: 'company0', webhookHosts: ['acme.example'] });

  for (let second = 0; second < seconds; second++) {
    await act({ stage, random, truth });
    // Deletions use a company up: another one replaces it.
    if (second % 30 === 29)
      company = await equipCompany(stage.store, { companyId: `company${second}0`, webhookHosts: ['acme.example'] });
    const operationId = shared[below(random, shared.length)] as OperationId;
    const status = isRead(operationId)
      ? await readByBoth(pair, operationId, company)
      : await changeByBoth(pair, operationId, company, second);
    counts[status] = (counts[status] ?? 0) + 1;
    await stage.pass();
  }
  for (let second = 0; second < 120; second++) await stage.pass();
  expectNothingLost(stage, truth);
  expectOrder(stage, truth);
  return { eventCount: expectFeeds(stage, homes), counts };
};

type ExpectSame = ReturnType<typeof comparison>;

/**
 * Compares answers of both versions: they are equal, except for properties that the older one has never returned at that place.
 */
const comparison = (kept?: readonly Answered[]) => (operationId: OperationId, older: unknown, newer: unknown) => {
  const answers = kept?.filter((each) => each.operationId === operationId).map(({ body }) => body);
  if (answers?.length === 0) throw new Error(`The older version has kept no answer to ${operationId}.`);
  const known = answers && new Set([older, ...answers].flatMap((body) => placesIn(body)));
  expect(known ? onlyKnown(newer, known) : newer, operationId).toEqual(older);
};

/** Returns the paths of all properties in a value: `.items[].keyId`. */
const placesIn = (value: unknown, at = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap((each) => placesIn(each, `${at}[]`));
  return Object.entries(value ?? {}).flatMap(([name, each]) =>
    typeof value === 'object' ? [`${at}.${name}`, ...placesIn(each, `${at}.${name}`)] : [],
  );
};

const onlyKnown = (value: unknown, known: ReadonlySet<string>, at = ''): unknown => {
  if (Array.isArray(value)) return value.map((each) => onlyKnown(each, known, `${at}[]`));
  if (typeof value !== 'object' || value === null) return value;
  const left = Object.entries(value).filter(([name]) => known.has(`${at}.${name}`));
  return Object.fromEntries(left.map(([name, each]) => [name, onlyKnown(each, known, `${at}.${name}`)]));
};

type By = <T>(version: number, run: () => Promise<T>) => Promise<T>;

type FeedAnswer = { readonly status: number; readonly body: Page };

/** The members of any answer that lists have. */
type Page = { readonly items?: readonly unknown[]; readonly nextCursor?: string | null; readonly hasMore?: boolean };

/** Two versions on one stage, and the comparison of their answers. */
type Pair = { readonly stage: Stage; readonly by: By; readonly expectSame: ExpectSame };

/** Calls the operation until a bucket has a token for it. */
const ask = async (stage: Stage, operationId: OperationId, request: CallOptions): Promise<FeedAnswer> => {
  const answer = (await stage.invoke(
    operationId,
    proxyEvent({ ...request, nowMs: stage.now() }),
  )) as APIGatewayProxyResult;
  expect(answer.statusCode, `${operationId} ${answer.body} ${stage.lines.at(-1)}`).toBeLessThan(500);
  const { requestId: _, ...body } = answer.body ? JSON.parse(answer.body) : {};
  if (answer.statusCode === 429) {
    stage.idle();
    return ask(stage, operationId, request);
  }
  return { status: answer.statusCode, body };
};

/** Both versions return the same pages; each continues from the other's cursor. */
const readByBoth = async (
  { stage, by, expectSame }: Pair,
  operationId: OperationId,
  company: EquippedCompany,
): Promise<number> => {
  const { query }: Endpoint = endpoints[operationId];
  const names = Object.keys(query?.().shape ?? {});
  const request = goodCall(operationId, company);
  if (!names.includes('limit')) {
    const [one, other] = [0, 1].map((version) => by(version, () => ask(stage, operationId, request)));
    const answer = await one;
    expectSame(operationId, answer?.body, (await other)?.body);
    return answer?.status ?? 0;
  }
  const pages = async (first: number) => {
    const items: { readonly version: number; readonly item: unknown }[] = [];
    let position: string | null | undefined;
    for (let page = first; position !== null; page++) {
      const at: Record<string, readonly string[]> = position
        ? { [names.includes('after') ? 'after' : 'cursor']: [position] }
        : {};
      const answer = await by(page % 2, () => ask(stage, operationId, { ...request, query: { limit: ['1'], ...at } }));
      expect(answer.status, `${operationId} ${JSON.stringify(answer.body)}`).toBe(200);
      items.push(...(answer.body.items ?? []).map((item) => ({ version: page % 2, item })));
      position = answer.body.hasMore === false ? null : answer.body.nextCursor;
    }
    return items;
  };
  const [one, other] = [await pages(0), await pages(1)];
  for (const [index, { version, item }] of one.entries()) {
    const [older, newer] = version === 0 ? [item, other[index]?.item] : [other[index]?.item, item];
    expectSame(operationId, { items: [older] }, { items: [newer] });
  }
  return 200;
};

/** Either version makes a change; if it has an idempotency key, the other version repeats it and returns the same answer. */
const changeByBoth = async (
  { stage, by, expectSame }: Pair,
  operationId: OperationId,
  company: EquippedCompany,
  second: number,
) => {
  const { idempotencyKey, isBodyOptional }: Endpoint = endpoints[operationId];
  const { body, ...withoutBody } = goodCall(operationId, company);
  // A caller sends what an older version ignores only after all versions know it.
  const good = isBodyOptional ? withoutBody : { ...withoutBody, body };
  const headers = { ...good.headers, ...(idempotencyKey && { 'idempotency-key': [`key-${second}`] }) };
  const request = { ...good, headers };
  const first = await by(second % 2, () => ask(stage, operationId, request));
  if (idempotencyKey && first.status < 300) {
    const again = await by(1 - (second % 2), () => ask(stage, operationId, request));
    const [older, newer] = second % 2 === 0 ? [first, again] : [again, first];
    expect(newer.status, operationId).toBe(older.status);
    expectSame(operationId, older.body, newer.body);
  }
  return first.status;
};

const released = keptVersions.filter(isReleased);

/** Until then, no stage can have another version than today's. */
describe.skipIf(released.length === 0)('from the first release on', () => {
  describe.each(released)('version %s and the present code on one store', (version) => {
    test(
      'no 5xx, no loss, order kept; each reads the other’s items, cursors, client keys, records, messages',
      campaign,
      async (context) => {
        const versions = [await loadCode(readCode(version)), await codeOfToday()];
        const all: Record<string, number> = {};
        let eventCount = 0;
        await playRounds(context, { test: 1, seconds: 30, full: 100 }, async (seed) => {
          const played = await play(seed, versions, readGolden(version).answers);
          eventCount += played.eventCount;
          for (const [status, count] of Object.entries(played.counts)) all[status] = (all[status] ?? 0) + count;
        });
        expect(eventCount).toBeGreaterThan(0);
        await context.annotate(`${JSON.stringify(all)}, ${eventCount} events in feeds, 0 lost`);
      },
    );
  });

  /** Changes that a version might make without considering the version before it. */
  const breakingChanges: readonly (readonly [what: string, change: (code: string) => string])[] = [
    ['renames an attribute', (code) => code.replaceAll('acceptedConsentVersion', 'acceptedTerms')],
    [
      'needs an attribute that was not there',
      (code) =>
        code.replace(
          /(var toCompany = \((\w+)\) => )\w+;/,
          '$1{ if (!$2.segment) throw new Error("no segment"); return $2; };',
        ),
    ],
    [
      'has another form of cursor',
      (code) =>
        code
          .replace(/`(\$\{checksumOf\(scope, \w+\)\})(\$\{\w+\})`/, '`$2$1`')
          .replace('text.slice(checksumDigits)', 'text.slice(0, -checksumDigits)'),
    ],
    ['answers a property more', (code) => code.replace(/\blastSeenAt,/, 'lastSeenAt, seenAt: lastSeenAt,')],
  ];

  test(
    'code that is incompatible with the previous version fails, whatever the incompatibility',
    campaign,
    async () => {
      const text = await bundleOfToday();
      const playWith = async (code: string) => play(1, [await codeOfToday(), await loadCode(code)]);
      await playWith(text);
      for (const [what, change] of breakingChanges) {
        const changed = change(text);
        expect(changed, what).not.toBe(text);
        await expect(playWith(changed), what).rejects.toThrow();
      }
    },
  );
});
