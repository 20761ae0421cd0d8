import type { Context, DynamoDBRecord, SQSRecord } from 'aws-lambda';
import type { OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import type { Settings } from '../../../lambdas/api/environment.ts';
import { tables } from '../../../lambdas/api/tables.ts';
import { handler as recordApplianceEvents } from '../../../lambdas/consumers/recordApplianceEvents.ts';
import { handler as recordContractEvents } from '../../../lambdas/consumers/recordContractEvents.ts';
import { handler as takeGatewayReports } from '../../../lambdas/consumers/takeGatewayReports.ts';
import { handler as takePortalEvents } from '../../../lambdas/consumers/takePortalEvents.ts';
import type { Segment } from '../../../lambdas/data/feed/feed-items.ts';
import { consentGivenAt } from '../../../lambdas/domain/consent.ts';
import type { FunctionEnvironment } from '../../../lambdas/runtime/function-environment.ts';
import { createProcessMemory } from '../../../lambdas/runtime/process-memory.ts';
import { handlerOf, proxyEvent } from '../../../test/support/call.ts';
import { applianceRecord, companyRecord, newStreamProcess } from '../../../test/support/feed.ts';
import { calmStore, openMemory } from '../../../test/support/memory-store/memory.ts';
import { emptyTables, rowsOf, type Tables } from '../../../test/support/memory-store/tables.ts';
import { newQueues } from '../../../test/support/messages.ts';
import { rowsWith } from '../../../test/support/stage/rows.ts';
import { onboard, startMs } from '../../../test/support/world.ts';

/** A stream record that is not delivered yet, and when its change was written. */
type Pending = { readonly record: DynamoDBRecord; readonly writtenAtMs: number };

const streams = {
  Contracts: { recordOf: companyRecord, handler: recordContractEvents },
  Appliances: { recordOf: applianceRecord, handler: recordApplianceEvents },
};
type StreamName = keyof typeof streams;
const streamNames = Object.keys(streams) as StreamName[];

const settings: Partial<Settings> = {
  requiredConsentVersion: 3,
  newestConsentVersion: 3,
  consentPortalUrl: 'https://portal.example.com/consent',
  metricNamespace: 'PartnerApi-test',
  canaryCompanyId: '-',
};

/**
 * The service's functions that write and read what an owner lets a company see, on a store in memory, with one clock that the
 * test sets. The test delivers each message and each stream record itself.
 */
export const openStage = async () => {
  const memory = openMemory(tables, emptyTables(tables));
  const store = calmStore(memory);
  // Early enough that a slow clock never dates an act before it.
  const consentedMs = startMs - 2 * 60_000;
  const { companyId, company, contract, key } = await onboard(store, {
    sinceMs: startMs - 1,
    ...consentGivenAt(3, consentedMs),
  });
  let nowMs = startMs;
  let messages = 0;
  let records = 0;
  let seenVersions = memory.versions.length;
  const pending: Record<StreamName, Pending[]> = { Contracts: [], Appliances: [] };
  const delivered: { readonly name: StreamName; readonly record: DynamoDBRecord }[] = [];
  /** When the change behind each feed event was written, by event id. */
  const writtenAtMs = new Map<string, number>();

  const lines: string[] = [];
  const environment = {
    store,
    storeDeadlineMs: 60_000,
    memory: createProcessMemory(),
    processTimeMs: () => nowMs,
    setting: ((name: keyof Settings) => settings[name]) as FunctionEnvironment['setting'],
    log: (line: string) => void lines.push(line),
    queueDelivery: async () => undefined,
  };

  /** Appends the changes written since the last call to the streams. */
  const noteChanges = () => {
    for (; seenVersions < memory.versions.length; seenVersions++) {
      const [before, after] = [memory.versions[seenVersions - 1], memory.versions[seenVersions]] as [Tables, Tables];
      for (const name of streamNames) {
        const [old, young] = [rowsOf(before, name), rowsOf(after, name)];
        if (old === young) continue;
        for (const id of new Set([...old.keys(), ...young.keys()])) {
          if (old.get(id) === young.get(id)) continue;
          const record = streams[name].recordOf(++records, old.get(id), young.get(id));
          const dynamodb = { ...record.dynamodb, ApproximateCreationDateTime: Math.floor(nowMs / 1000) };
          pending[name].push({ record: { ...record, dynamodb }, writtenAtMs: nowMs });
        }
      }
    }
  };

  const eventIds = () =>
    (rowsWith(memory.now(), 'Events', 'EVENT#') as unknown as Segment[]).flatMap(({ events }) =>
      events.map(({ id }) => id),
    );

  const takers = { takePortalEvents, takeGatewayReports };

  return {
    companyId,
    company,
    contract,
    store,
    memory,
    now: () => nowMs,
    setNow: (atMs: number) => {
      nowMs = Math.max(nowMs, atMs);
    },
    /** Delivers a message that arrives now; returns its outcome. */
    deliver: async (name: keyof typeof takers, event: object): Promise<string> => {
      const record = {
        messageId: `message-${++messages}`,
        body: JSON.stringify(event),
        attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(nowMs) },
      } as SQSRecord;
      lines.length = 0;
      await takers[name].withEnvironment({ ...environment, ...newQueues() })({ Records: [record] }, undefined);
      noteChanges();
      return JSON.parse(String(lines.at(-1))).outcome;
    },
    noteChanges,
    /** Delivers the next record of a stream, or repeats an old one. */
    deliverRecord: async (name: StreamName, isRepeat = false): Promise<void> => {
      const next = isRepeat ? undefined : pending[name].shift();
      if (next) {
        const known = new Set(eventIds());
        await streams[name].handler.withEnvironment({ ...environment, ...newStreamProcess() })(
          { Records: [next.record] },
          undefined,
        );
        for (const id of eventIds()) if (!known.has(id)) writtenAtMs.set(id, next.writtenAtMs);
        delivered.push({ name, record: next.record });
      } else {
        const old = delivered.findLast((each) => each.name === name);
        if (old)
          await streams[name].handler.withEnvironment({ ...environment, ...newStreamProcess() })(
            { Records: [old.record] },
            undefined,
          );
      }
    },
    pendingOf: (name: StreamName): number => pending[name].length,
    writtenAtMs: (eventId: string): number => writtenAtMs.get(eventId) ?? Number.NaN,
    /** Calls the API as the company; the token bucket is always full. */
    call: async (
      operationId: OperationId,
      { userId, ...options }: { readonly userId: string } & Omit<Parameters<typeof proxyEvent>[0], 'headers'>,
    ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> => {
      const handler = await handlerOf(operationId);
      memory.set({ ...memory.now(), TokenBuckets: new Map() });
      environment.memory = createProcessMemory();
      const headers = { 'x-user-id': [userId], 'content-type': ['application/json'] };
      const event = proxyEvent({ ...options, apiKey: key.apiKey, nowMs, headers });
      const { statusCode, body } = await handler.withEnvironment(environment)(event, {} as Context);
      noteChanges();
      return { status: statusCode, body: JSON.parse(body) };
    },
  };
};

export type Stage = Awaited<ReturnType<typeof openStage>>;
