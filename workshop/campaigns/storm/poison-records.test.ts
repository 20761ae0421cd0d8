import type { SendMessageCommand } from '@aws-sdk/client-sqs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { type ConsumerName, consumers } from '../../../lambdas/api/background-functions.ts';
import { listOpenChanges } from '../../../lambdas/data/appliances/open-since-index.ts';
import type { SetAsideRecord } from '../../../lambdas/runtime/set-aside.ts';
import type { Integrations } from '../../../operator/integrations/integrations.ts';
import { summaryOf } from '../../../operator/integrations/letter-summary.ts';
import { campaign } from '../../../test/support/campaign.ts';
import { unavailable } from '../../../test/support/feed.ts';
import { operate } from '../../../test/support/operator.ts';
import { type Faults, feedOf, openStage, type Stage } from '../../../test/support/stage/stage.ts';
import { type Home, reportTemperature, request, sendEvent, settle } from '../../../test/support/stage/traffic.ts';
import { putWebhook } from '../../../test/support/webhooks.ts';
import { startMs } from '../../../test/support/world.ts';
import { bad, faultsByName, homes, isOf, isOfBad, other, stateOf } from './poison.ts';

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
    await putWebhook(companyId, { webhookId: 'wh_1' }, store);
    const disabled = { state: 'disabled', disabledAtMs: startMs, disabledBecause: 'gone' } as const;
    await putWebhook(companyId, { webhookId: 'wh_1', ...disabled }, store);
  },
};

/**
 * The same faults, while everything about another home fails temporarily, so that the records around it are delivered again.
 */
const whileOtherFails = ({ ofStore, ofQueue, ...others }: Faults): Faults => ({
  ...others,
  ofStore: (command) => ofStore?.(command) ?? (isOf(other, command.input) ? unavailable() : undefined),
  ofQueue: (queue, message) => ofQueue?.(queue, message) ?? (isOf(other, message.body) ? unavailable() : undefined),
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

describe.each(Object.entries(faultsByName))('if %s', (_fault, faults) => {
  test.each(Object.entries(acts))(
    'a record of %s is set aside once, the runbook repairs it, and other records arrive as usual',
    campaign,
    async (_act, act) => {
      const undisturbed = await playRecords(act);
      const stage = await playRecords(act, faults);
      expect(stateOf(stage)).toEqual(stateOf(undisturbed));
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

test('each stream consumer has met each of its possible faults', campaign, async () => {
  const met = new Map<string, Set<ConsumerName>>();
  for (const [fault, faults] of Object.entries(faultsByName))
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
