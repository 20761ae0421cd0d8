import { readFileSync } from 'node:fs';
import { stringify } from 'node:querystring';
import type { APIGatewayProxyResult, DynamoDBRecord } from 'aws-lambda';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import {
  type InboundEventType,
  inboundEvents,
  inboundEventTypes,
} from '../../lambdas/api/inbound-events/inbound-events.ts';
import { ratePolicies } from '../../lambdas/api/limits.ts';
import { putUsage, putUsageProgress } from '../../lambdas/data/usage.ts';
import { progressFrom } from '../../lambdas/domain/usage-progress.ts';
import { addOwner, type CallOptions, enableWebhook, equipCompany, goodCall, proxyEvent } from '../support/call.ts';
import type { Stage } from '../support/stage/stage.ts';
import { homeOf, reportTemperature, sendEvent, settle } from '../support/stage/traffic.ts';
import { putWebhook } from '../support/webhooks.ts';
import { issueKey } from '../support/world.ts';
import type { Answered, Golden } from './sets.ts';

/** Invokes an operation, then advances the clock until its bucket has a token more. */
export const ask = async (stage: Stage, operationId: OperationId, request: CallOptions): Promise<Answered> => {
  const whole = { requestId: 'golden', ...request, nowMs: stage.now() };
  const answer = (await stage.invoke(operationId, proxyEvent(whole))) as APIGatewayProxyResult;
  if (answer.statusCode >= 300)
    throw new Error(
      `${operationId} was answered ${answer.statusCode}: ${answer.body}. Prepare what it needs in test/golden/scene.ts, or in goodCall of test/support/call.ts.`,
    );
  const { refillIntervalMs } = ratePolicies[endpoints[operationId].ratePolicy];
  for (let passedMs = 0; passedMs < refillIntervalMs; passedMs += 1000) await stage.pass();
  return { operationId, request: whole, status: answer.statusCode, body: answer.body ? JSON.parse(answer.body) : null };
};

/** Events that end what the others are about; they come last, on homes of their own. */
const endings: readonly InboundEventType[] = [
  'portal.installation.removed.v1',
  'portal.contract.ended.v1',
  'gateway.removed.v1',
];

const dayMs = 86_400_000;

/** Makes every operation, consumer and job write, and calls everything that can be read. */
export const playScene = async (stage: Stage): Promise<Golden> => {
  const { store, queues, memory } = stage;
  const sent = { ...Object.fromEntries(Object.keys(queues).map((name) => [name, [] as { body: string }[]])) };
  const note = (name: string, body: string) => void sent[name]?.push({ body });

  const [home, ended] = [homeOf(1), homeOf(2)];
  await settle(stage, [home, ended]);
  const companies = await Promise.all(
    ['kept', 'spent'].map((companyId) => equipCompany(store, { companyId, webhookHosts: ['acme.example'] })),
  );
  const [kept, spent] = companies as [(typeof companies)[0], (typeof companies)[0]];
  await addOwner(store, kept);
  await enableWebhook(store, kept.companyId);
  await putWebhook(kept.companyId, { failures: 28, failedSinceMs: stage.now() - 3 * dayMs }, store);
  await issueKey(store, kept.companyId, stage.now() - 150 * dayMs);
  await stage.pass();

  const [answers, repeats] = [[], []] as [Answered[], Answered[]];
  const isDeletion = (operationId: OperationId) => endpoints[operationId].method === 'DELETE';
  const isRead = (operationId: OperationId) => endpoints[operationId].method === 'GET';
  for (const company of [kept, spent])
    for (const operationId of operationIds.toSorted(
      (one, other) => Number(isDeletion(one)) - Number(isDeletion(other)),
    )) {
      if (isRead(operationId) || (company === kept && isDeletion(operationId))) continue;
      const { idempotencyKey }: Endpoint = endpoints[operationId];
      const good = goodCall(operationId, company);
      const headers = { ...good.headers, ...(idempotencyKey && { 'idempotency-key': [`of-${operationId}`] }) };
      const answered = await ask(stage, operationId, { ...good, headers });
      // A repeat with the same idempotency key returns the same answer.
      if (idempotencyKey && company === kept) repeats.push(answered);
      for (const body of queues.webhookMessages.bodies()) note('webhookMessages', body);
      await stage.pass();
    }
  await stage.invoke('watchKeyExpiry', {});
  // Written here instead of by recordUsage, which reads the log: a stage in memory has no log.
  const usage = {
    counts: { 'getContract allowed': 2, 'getContract limited general': 1 },
    limitedPaths: { 'getContract general /contract': 1 },
  };
  await putUsage(store, kept.companyId, { hour: new Date(stage.now()).toISOString().slice(0, 13), usage }, stage.now());
  await putUsageProgress(store, progressFrom(stage.now() - dayMs), stage.now());

  const types = inboundEventTypes.toSorted((one, other) => endings.indexOf(one) - endings.indexOf(other));
  for (const type of types) {
    const { queue } = inboundEvents[type];
    sendEvent(stage, type, endings.includes(type) ? ended : home);
    note(queue, queues[queue].bodies().at(-1) ?? '');
    await stage.pass();
  }
  reportTemperature(stage, home, 19.5);
  for (let second = 0; second < 3; second++) await stage.pass();
  for (const body of queues.requestedChanges.bodies()) note('requestedChanges', body);

  const ofOwner = { 'x-user-id': [kept.contract.userId] };
  for (const operationId of operationIds.filter(isRead)) {
    const good = goodCall(operationId, kept);
    answers.push(...(await pagesOf(stage, operationId, { ...good, headers: { ...good.headers, ...ofOwner } })));
  }
  // After the reads, because a repeat writes an audit row, which listAuditEntries would show.
  answers.push(...repeats);
  return {
    items: Object.fromEntries(
      Object.entries(memory.now()).map(([name, rows]) => [name, [...rows.values()]]),
    ) as unknown as Golden['items'],
    records: Object.fromEntries(
      Object.entries(stage.records).flatMap(([table, records]) =>
        Array.isArray(records) ? [[table, oneOfEach(records, kindOfRecord)]] : [],
      ),
    ),
    messages: {
      ...Object.fromEntries(Object.entries(sent).map(([name, all]) => [name, oneOfEach(all, kindOfMessage)])),
      notices: oneOfEach(
        stage.notices.map((notice) => ({ body: JSON.stringify(notice) })),
        kindOfMessage,
      ),
    } as unknown as Golden['messages'],
    answers,
    configuration: JSON.parse(readFileSync('config/example.json', 'utf8')),
  };
};

/** Returns the answers to a read; a list is read in pages of two entries. */
const pagesOf = async (stage: Stage, operationId: OperationId, good: CallOptions): Promise<Answered[]> => {
  const { query }: Endpoint = endpoints[operationId];
  const names = Object.keys(query?.().shape ?? {});
  if (!names.includes('limit')) return [await ask(stage, operationId, good)];
  const pages: Answered[] = [];
  let position: string | null = null;
  do {
    const at: Record<string, readonly string[]> =
      position === null ? {} : { [names.includes('after') ? 'after' : 'cursor']: [position] };
    const page = await ask(stage, operationId, { ...good, query: { limit: ['2'], ...at } });
    pages.push(page);
    const { nextCursor, hasMore = true } = page.body as { nextCursor: string | null; hasMore?: boolean };
    position = hasMore ? (nextCursor ?? null) : null;
  } while (position !== null);
  return pages;
};

const oneOfEach = <Thing>(things: readonly Thing[], kindOf: (thing: Thing) => string): Thing[] => [
  ...new Map(things.map((thing) => [kindOf(thing), thing])).values(),
];

/** Returns the kind of a record: its event name, the kind of item, and the attributes before and after. */
const kindOfRecord = ({ eventName, dynamodb = {} }: DynamoDBRecord): string => {
  const { Keys = {}, OldImage = {}, NewImage = {} } = dynamodb;
  return stringify({
    eventName,
    sk: kindOfKey(Keys.sk?.S),
    old: Object.keys(OldImage).sort(),
    young: Object.keys(NewImage).sort(),
  });
};

export const kindOfKey = (sk = ''): string => sk.split('#')[0] ?? '';

const kindOfMessage = ({ body }: { readonly body: string }): string => {
  const { type, data, DetailType = type } = JSON.parse(body);
  return `${DetailType} ${data?.item?.kind ?? ''}`;
};
