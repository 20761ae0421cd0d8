import type { APIGatewayProxyResult, SQSRecord } from 'aws-lambda';
import type { Segment } from '../../../lambdas/data/feed/feed-items.ts';
import { consentGivenAt } from '../../../lambdas/domain/consent.ts';
import { type CallOptions, handlerOf, proxyEvent } from '../../../test/support/call.ts';
import { rowsWith } from '../../../test/support/stage/rows.ts';
import { consumersOfToday, openStage } from '../../../test/support/stage/stage.ts';
import { onboard, startMs } from '../../../test/support/world.ts';

const operations = ['getHeatingCircuit', 'updateHeatingCircuit', 'listEvents'] as const;

const recorders = { Contracts: 'recordContractEvents', Appliances: 'recordApplianceEvents' } as const;
type StreamName = keyof typeof recorders;
const streamNames = Object.keys(recorders) as StreamName[];

/**
 * The service's functions that write and read what an owner lets a company see, for one company. The test delivers each message
 * and each stream record itself, and sets the clock.
 */
export const openCompanyStage = async () => {
  const handlers = await Promise.all(operations.map(async (each) => [each, await handlerOf(each)] as const));
  const stage = openStage({ versions: [{ ...consumersOfToday, ...Object.fromEntries(handlers) }] });
  const { memory, store, now, records } = stage;
  // Early enough that a slow clock never dates an act before it.
  const consentedMs = startMs - 2 * 60_000;
  const { companyId, company, contract, key } = await onboard(store, {
    sinceMs: startMs - 1,
    ...consentGivenAt(3, consentedMs),
  });
  records.noteChanges();
  for (const name of streamNames) records[name].length = 0;

  /** When the change of each record was written, by stream. */
  const times: Record<StreamName, number[]> = { Contracts: [], Appliances: [] };
  const delivered = { Contracts: 0, Appliances: 0 };
  /** When the change behind each feed event was written, by event id. */
  const writtenAtMs = new Map<string, number>();
  let messages = 0;

  /** Appends the changes written since the last call to the streams. */
  const noteChanges = () => {
    records.noteChanges();
    for (const name of streamNames) while (times[name].length < records[name].length) times[name].push(now());
  };

  const eventIds = () =>
    (rowsWith(memory.now(), 'Events', 'EVENT#') as unknown as Segment[]).flatMap(({ events }) =>
      events.map(({ id }) => id),
    );

  const pendingOf = (name: StreamName): number => records[name].length - delivered[name];

  return {
    companyId,
    company,
    contract,
    store,
    memory,
    now,
    setNow: (atMs: number) => stage.idle(Math.max(0, atMs - now())),
    /** Delivers a message that arrives now; returns its outcome. */
    deliver: async (name: 'takePortalEvents' | 'takeGatewayReports', event: object): Promise<string> => {
      const record = {
        messageId: `message-${++messages}`,
        body: JSON.stringify(event),
        attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(now()) },
      } as SQSRecord;
      await stage.invoke(name, { Records: [record] });
      noteChanges();
      return JSON.parse(String(stage.lines.at(-1))).outcome;
    },
    noteChanges,
    /** Delivers the next record of a stream, or repeats an old one, to a new process. */
    deliverRecord: async (name: StreamName, isRepeat = false): Promise<void> => {
      const index = isRepeat || pendingOf(name) === 0 ? delivered[name] - 1 : delivered[name]++;
      if (index < 0) return;
      const known = new Set(eventIds());
      stage.restart();
      await stage.invoke(recorders[name], { Records: [records[name][index]] });
      for (const id of eventIds()) if (!known.has(id)) writtenAtMs.set(id, Number(times[name][index]));
    },
    pendingOf,
    writtenAtMs: (eventId: string): number => writtenAtMs.get(eventId) ?? Number.NaN,
    /** Calls the API as the company; the token bucket is always full. */
    call: async (
      operationId: (typeof operations)[number],
      { userId, ...options }: { readonly userId: string } & Omit<CallOptions, 'headers'>,
    ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> => {
      memory.set({ ...memory.now(), TokenBuckets: new Map() });
      stage.restart();
      const headers = { 'x-user-id': [userId], 'content-type': ['application/json'] };
      const event = proxyEvent({ ...options, apiKey: key.apiKey, nowMs: now(), headers });
      const { statusCode, body } = (await stage.invoke(operationId, event)) as APIGatewayProxyResult;
      noteChanges();
      return { status: statusCode, body: JSON.parse(body) };
    },
  };
};

export type CompanyStage = Awaited<ReturnType<typeof openCompanyStage>>;
