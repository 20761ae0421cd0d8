import type { SendMessageCommand } from '@aws-sdk/client-sqs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { type ConsumerName, consumers } from '../../../lambdas/api/background-functions.ts';
import {
  type InboundEventType,
  inboundEvents,
  inboundEventTypes,
} from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { listOpenChanges } from '../../../lambdas/data/appliances/open-since-index.ts';
import { toWebhookItem } from '../../../lambdas/data/webhooks/webhooks.ts';
import type { SetAsideRecord } from '../../../lambdas/runtime/set-aside.ts';
import type { Integrations } from '../../../operator/integrations/integrations.ts';
import { summaryOf } from '../../../operator/integrations/letter-summary.ts';
import { campaign } from '../../../test/support/campaign.ts';
import { unavailable } from '../../../test/support/feed.ts';
import { operate } from '../../../test/support/operator.ts';
import { type Faults, feedOf, openStage, type Stage } from '../../../test/support/stage/stage.ts';
import {
  type Home,
  homeOf,
  reportTemperature,
  request,
  sendEvent,
  settle,
} from '../../../test/support/stage/traffic.ts';
import { startMs } from '../../../test/support/world.ts';

const [bad, good, other] = [1, 2, 3].map(homeOf) as [Home, Home, Home];
const homes = [good, bad, other];

/** Returns an error of AWS that rejects the content of a request. */
const refusal = (name: string) =>
  Object.assign(new Error('That cannot be.'), { name, $metadata: { httpStatusCode: 400 } });

const isOf = ({ companyId, gatewayId }: Home, what: unknown): boolean =>
  [companyId, gatewayId].some((id) => new RegExp(`["|#]${id}["|#\\\\]`).test(JSON.stringify(what)));

const isOfBad = (what: unknown): boolean => isOf(bad, what);

/** Acts of an owner, an appliance, a partner or a timer on a home; each leads to another kind of record. */
const acts: Readonly<Record<string, (stage: Stage, home: Home) => unknown>> = {
  'a change that is requested': (stage, home) => request(stage, home, 23),
  'a report': (stage, home) => reportTemperature(stage, home, 23.5),
  'a report that fulfils a change': async (stage, home) =>
    reportTemperature(stage, home, 23.5, await request(stage, home, 24)),
  'a change that is refused': async (stage, home) =>
    sendEvent(stage, 'change.refused.v1', home, {
      item: { kind: 'circuit', family: 'heating', circuitId: 'hc1' },
      version: await request(stage, home, 24),
      reason: 'not-supported',
    }),
  'a gateway that is online again': async (stage, home) => {
    await request(stage, home, 22);
    const lastSeenAt = new Date(stage.now()).toISOString();
    sendEvent(stage, 'gateway.connectivity.v1', home, { connectivity: 'online', lastSeenAt });
  },
  'a function that is blocked': (stage, home) => sendEvent(stage, 'function.blocked.v1', home),
  'a gateway that is removed': (stage, home) => sendEvent(stage, 'gateway.removed.v1', home),
  'consent that is withdrawn': (stage, home) => sendEvent(stage, 'portal.consent.withdrawn.v1', home),
  'a contract that ends': (stage, home) => sendEvent(stage, 'portal.contract.ended.v1', home),
  'an installation that is removed': (stage, home) => sendEvent(stage, 'portal.installation.removed.v1', home),
  'a key that expires soon': ({ store }, { companyId }) =>
    store.send(
      new PutCommand({
        TableName: store.tableName('KeyNotices'),
        Item: {
          companyId,
          sk: 'K1#P7D',
          keyId: 'K1',
          remaining: 'P7D',
          isLastKey: false,
          expiresAt: '2036-03-17T12:00:00Z',
        },
      }),
    ),
  'a webhook that is switched off': async ({ store }, { companyId }) => {
    const webhook = {
      companyId,
      webhookId: 'wh_1',
      url: 'https://hooks.example/',
      createdAtMs: startMs,
      secretVersion: 1,
      code: 'c0de',
      codeExpiresAtMs: startMs,
      asked: 1,
      failures: 0,
    };
    const put = (item: Parameters<typeof toWebhookItem>[0]) =>
      store.send(new PutCommand({ TableName: store.tableName('Webhooks'), Item: toWebhookItem(item) }));
    await put({ ...webhook, state: 'enabled' });
    await put({ ...webhook, state: 'disabled', disabledAtMs: startMs, disabledBecause: 'gone' });
  },
};

/** Points at which a consumer of a stream may meet a fault that no retry resolves. */
const stages: Readonly<Record<string, Faults>> = {
  'the record cannot be read': { recordAs: (record) => (isOfBad(record.dynamodb?.Keys) ? spoilt(record) : record) },
  'the store refuses': { ofStore: ({ input }) => (isOfBad(input) ? refusal('ValidationException') : undefined) },
  'our code fails': { ofStore: ({ input }) => (isOfBad(input) ? new TypeError('x is undefined') : undefined) },
  'a queue refuses': {
    ofQueue: (queue, { body }) =>
      queue !== 'failures' && isOfBad(body) ? refusal('InvalidMessageContents') : undefined,
  },
  'the bus refuses': { ofBus: (events) => (isOfBad(events) ? refusal('MalformedDetail') : undefined) },
};

/** Adds an attribute of a type that does not exist. */
const spoilt = ({ dynamodb, ...record }: DynamoDBRecord): DynamoDBRecord => ({
  ...record,
  dynamodb: { ...dynamodb, NewImage: { ...dynamodb?.NewImage, spoilt: {} as never } },
});

/**
 * The same faults, while everything about another home fails temporarily, so that the records around it are delivered again.
 */
const whileOtherFails = ({ ofStore, ofQueue, ...others }: Faults): Faults => ({
  ...others,
  ofStore: (command) => ofStore?.(command) ?? (isOf(other, command.input) ? unavailable() : undefined),
  ofQueue: (queue, message) => ofQueue?.(queue, message) ?? (isOf(other, message.body) ? unavailable() : undefined),
});

/** Returns the state of the good homes. */
const comeOf = (stage: Stage) => ({
  feeds: [good, other].map(({ companyId }) =>
    feedOf(stage, companyId).map(({ type, resource, data }) => ({ type, resource, data })),
  ),
  changes: [good, other].map((home) =>
    stage.queues.requestedChanges.bodies().filter((body) => isOf(home, JSON.parse(body))),
  ),
  notices: stage.notices.filter((notice) => !isOfBad(notice)),
});

/** Performs the act on all homes and delivers the records; those of one home meet the faults, if there are some. */
const playRecords = async (act: (stage: Stage, home: Home) => unknown, faults?: Faults) => {
  const stage = openStage();
  await settle(stage, homes);
  for (const home of homes) await act(stage, home);
  await stage.deliverMessages();
  // Two deliveries, as Lambda makes within two seconds.
  for (const each of faults ? [whileOtherFails(faults), faults] : [{}]) {
    stage.failWith(each);
    await stage.deliverRecords();
  }
  return stage;
};

const wordsOf = (stage: Stage): SetAsideRecord[] =>
  Object.values(stage.failures)
    .flatMap((queue) => queue.bodies())
    .map((body) => JSON.parse(body));

const integrationsOf = ({ queues }: Stage): Integrations =>
  ({
    urlOf: (queue: string) => queue,
    sqs: {
      send: async ({ input }: SendMessageCommand) =>
        queues.requestedChanges.send({ body: String(input.MessageBody), groupId: input.MessageGroupId }),
    },
  }) as unknown as Integrations;

/** Follows the runbook of the failure queue, with the operator's view of a set-aside record. */
const mend = async (stage: Stage, word: SetAsideRecord) => {
  const letter = {
    messageId: 'm',
    receiptHandle: 'r',
    text: JSON.stringify(word),
    sentAtMs: startMs,
    groupId: undefined,
    attributes: {},
  };
  const { subject, type, fault } = await summaryOf(
    { store: stage.store, config: loadStageConfig('local') },
    'feedFailures',
    letter,
  );
  expect([type, fault]).toEqual([word.consumer, word.error]);
  const isRelay = word.consumer === 'relayRequestedChanges';
  // If the record does not name the company, the operator looks up the company of the gateway.
  const companyId = subject === bad.gatewayId ? bad.companyId : String(subject);
  expect(isRelay ? subject : companyId).toBe(isRelay ? bad.gatewayId : bad.companyId);
  const line = isRelay ? ['change', 'resend', String(subject)] : ['events', 'renew', companyId];
  const { exit, stderr } = await operate([...line, '--reason', 'set aside'], {
    store: stage.store,
    connection: { integrations: integrationsOf(stage) },
  });
  expect(exit, stderr).toBe('ok');
};

describe.each(Object.entries(stages))('if %s', (_fault, faults) => {
  test.each(Object.entries(acts))(
    'a record of %s is set aside once, the runbook repairs it, and other records arrive as usual',
    campaign,
    async (_act, act) => {
      const undisturbed = await playRecords(act);
      const stage = await playRecords(act, faults);
      expect(comeOf(stage)).toEqual(comeOf(undisturbed));
      const words = wordsOf(stage);
      expect(
        new Set(words.map(({ consumer, recordId, companyId }) => `${consumer} ${recordId} ${companyId}`)).size,
      ).toBe(words.length);

      const lacks = (of: Stage) => [
        feedOf(of, bad.companyId).length,
        of.queues.requestedChanges.bodies().length,
        of.notices.length,
      ];
      if (words.length === 0) expect(lacks(stage)).toEqual(lacks(undisturbed));
      stage.failWith({});
      for (const word of words) await mend(stage, word);
      const bodies = stage.queues.requestedChanges.bodies().map((body) => JSON.parse(body));
      const sent = new Set(bodies.filter(isOfBad).map(({ data }) => data.version));
      for (const { version } of await listOpenChanges(stage.store, bad.gatewayId)) expect(sent).toContain(version);
    },
  );
});

test('each stream consumer has met each of its possible faults', async () => {
  const met = new Map<string, Set<ConsumerName>>();
  for (const [fault, faults] of Object.entries(stages))
    for (const act of Object.values(acts)) {
      const words = wordsOf(await playRecords(act, faults));
      met.set(fault, new Set([...(met.get(fault) ?? []), ...words.map(({ consumer }) => consumer)]));
    }
  const all = Object.entries(consumers).flatMap(([name, { source }]) => ('stream' in source ? [name] : []));
  const recorders = all.filter((name) => name.startsWith('record'));
  expect(Object.fromEntries([...met].map(([fault, names]) => [fault, [...names].toSorted()]))).toEqual({
    'the record cannot be read': all.toSorted(),
    'the store refuses': all.toSorted(),
    'our code fails': all.toSorted(),
    'a queue refuses': ['relayRequestedChanges'],
    'the bus refuses': recorders.filter((name) => /Notices|Webhook/.test(name)).toSorted(),
  });
});

describe.each([
  ['is no JSON', undefined],
  ['meets a store that refuses', stages['the store refuses']],
  ['meets a fault of our code', stages['our code fails']],
] as const)('a message that %s', (_fault, faults) => {
  test.each(inboundEventTypes)(
    'of %s becomes one dead letter with the reason; sent again it is applied; others arrive as usual',
    campaign,
    async (type) => {
      const { queue } = inboundEvents[type];
      const consumer = queue === 'portalEvents' ? 'takePortalEvents' : 'takeGatewayReports';
      const play = async (isDisturbed: boolean) => {
        const stage = openStage();
        await settle(stage, homes);
        for (const home of homes) await prepare(stage, type, home);
        for (const home of homes) {
          const event = sendEvent(stage, type, home, dataOf(type));
          if (isDisturbed && home === bad && !faults) {
            stage.queues[queue].takeLast();
            stage.queues[queue].send({ body: JSON.stringify(event).slice(1) });
          }
        }
        if (isDisturbed) stage.failWith(faults ?? {});
        for (let delivery = 0; delivery < 2; delivery++) await stage.deliverMessages();
        stage.failWith({});
        await stage.deliverRecords();
        return stage;
      };
      const undisturbed = await play(false);
      const stage = await play(true);
      expect(comeOf(stage)).toEqual(comeOf(undisturbed));
      const letters = stage.failures[consumer].takeAll();
      expect(letters).toHaveLength(1);
      expect(letters[0]?.attributes).toMatchObject(
        faults
          ? { outcome: 'set-aside', error: expect.stringMatching(/./) }
          : { outcome: 'not-json', expected: 'JSON.' },
      );
      const [letter] = letters;
      if (!letter) return;
      const body = faults ? letter.body : `{${letter.body}`;
      stage.queues[queue].send({ ...letter, body });
      await stage.deliverMessages();
      await stage.deliverRecords();
      expect(JSON.parse(String(stage.lines.findLast((line) => line.includes(`"${consumer}"`)))).outcome).toBe(
        'applied',
      );
      expect(feedOf(stage, bad.companyId).length).toBe(feedOf(undisturbed, bad.companyId).length);
      expect(stage.queues[queue].bodies()).toEqual([]);
    },
  );
});

/** Prepares a home so that an event of the type changes something. */
const prepare = async (stage: Stage, type: InboundEventType, home: Home): Promise<void> => {
  if (type === 'change.refused.v1') await request(stage, home, 24);
  if (type === 'function.unblocked.v1') sendEvent(stage, 'function.blocked.v1', home);
  if (type === 'portal.consent.accepted.v1') sendEvent(stage, 'portal.consent.withdrawn.v1', home);
  if (type === 'portal.installation.added.v1') sendEvent(stage, 'portal.installation.removed.v1', home);
  if (type === 'portal.contract.opened.v1') sendEvent(stage, 'portal.contract.ended.v1', home);
  await stage.pass();
};

const dataOf = (type: InboundEventType): object => {
  if (type === 'portal.consent.accepted.v1') return { consentVersion: 3 };
  if (type === 'change.refused.v1')
    return { item: { kind: 'circuit', family: 'heating', circuitId: 'hc1' }, version: 2 };
  if (type === 'circuit.reported.v1') return { circuitId: 'hc1', fulfilsVersion: undefined };
  if (type === 'time-program.reported.v1') return { circuitId: 'hc1', timeProgramId: '1', fulfilsVersion: undefined };
  return {};
};
