import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSRecord } from 'aws-lambda';
import { clientConfigOf } from 'serve-stack/dynamodb';
import { expect, inject } from 'vitest';
import * as z from 'zod/mini';
import { simulatedHomeEvent } from '../../lambdas/api/log-events/sandbox-events.ts';
import { type RequestedChangeEvent, requestedChangeType } from '../../lambdas/api/requested-change.ts';
import { simulatedHomesTable } from '../../lambdas/api/sandbox.ts';
import { connectStore } from '../../lambdas/data/store/store.ts';
import type { SandboxEnvironment } from '../../lambdas/sandbox/environment.ts';
import type { SandboxMessage } from '../../lambdas/sandbox/messages.ts';
import { handler } from '../../lambdas/sandbox/simulateHomes.ts';
import { take } from './messages.ts';
import { patience } from './time.ts';
import { startMs, theWorld } from './world.ts';

/** The function of a sandbox with a table of its own, a set clock, and a list that replaces the queue and the bus. */
export const openSandbox = async (homesOfCompany = 1) => {
  const tableName = `${randomUUID()}-SimulatedHomes`;
  const admin = new DynamoDBClient(clientConfigOf(inject('dynamoDbEndpoint')));
  await admin.send(new CreateTableCommand({ TableName: tableName, BillingMode: 'PAY_PER_REQUEST', ...schema() }));
  const { environment: ofWorld, proxy } = theWorld();
  const { store } = connectStore(() => tableName, patience.requestTimeouts, clientConfigOf(proxy.endpoint));
  let nowMs = startMs;
  const pass = (milliseconds: number) => {
    nowMs += milliseconds;
  };
  let unseen: SandboxMessage[] = [];
  const lines: string[] = [];
  const environment: SandboxEnvironment = {
    ...ofWorld,
    homesTable: { send: store.send, tableName: () => tableName },
    homesOfCompany: () => homesOfCompany,
    processTimeMs: () => nowMs,
    wait: async (milliseconds) => pass(milliseconds),
    send: async (message) => void unseen.push(message),
    log: (line) => void lines.push(line),
  };
  /** Calls the function; returns the failed messages, the events that it sent, and its log lines. */
  const invoke = async (event: Parameters<typeof run>[0], overrides: Partial<SandboxEnvironment> = {}) => {
    lines.length = 0;
    unseen = [];
    const { answer, fault } = await run(event, { ...environment, ...overrides });
    return {
      fault,
      failures: answer?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
      sent: unseen,
      logged: lines.map((line) => z.parse(simulatedHomeEvent, JSON.parse(line))),
    };
  };
  return {
    environment,
    nowMs: () => nowMs,
    pass,
    /** Runs the function as its schedule does. */
    runSchedule: (overrides?: Partial<SandboxEnvironment>) => invoke({}, overrides),
    /** Delivers messages of a queue to the function: texts, or objects as JSON. Their ids are their places. */
    deliver: (messages: readonly (string | object)[], overrides?: Partial<SandboxEnvironment>) =>
      invoke({ Records: messages.map(recordOf) }, overrides),
    /** Lets the consumers of the service take the events, which all have to be applied. */
    apply: async (messages: readonly SandboxMessage[]) => {
      for (const [source, name] of [
        ['portal', 'takePortalEvents'],
        ['gateway-backend', 'takeGatewayReports'],
      ] as const) {
        const ofSource = messages.filter((message) => message.source === source);
        for (let first = 0; first < ofSource.length; first += batchSize) {
          const batch = ofSource.slice(first, first + batchSize);
          const { outcomes } = await take(name, batch, { arrivedAtMs: nowMs });
          expect(outcomes).toEqual(batch.map(() => 'applied'));
        }
      }
    },
  };
};

/** The number of messages that a consumer takes at once. */
const batchSize = 10;

export type OpenSandbox = Awaited<ReturnType<typeof openSandbox>>;

/** Lets the function run as Lambda does: an error ends the call. */
const run = async (event: Parameters<typeof handler>[0], environment: SandboxEnvironment) => {
  try {
    return { answer: await handler.withEnvironment(environment)(event, undefined), fault: undefined };
  } catch (fault) {
    return { answer: undefined, fault };
  }
};

const recordOf = (message: string | object, place: number) =>
  ({ messageId: `${place}`, body: typeof message === 'string' ? message : JSON.stringify(message) }) as SQSRecord;

/** The table as DynamoDB creates it from its row. */
const schema = () => {
  const { partitionKey, indexes } = simulatedHomesTable;
  const [[IndexName, index]] = Object.entries(indexes) as [[string, (typeof indexes)['byDue']]];
  const names = [partitionKey, index.partitionKey, index.sortKey];
  return {
    AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
    KeySchema: [{ AttributeName: partitionKey, KeyType: 'HASH' as const }],
    GlobalSecondaryIndexes: [
      {
        IndexName,
        KeySchema: [
          { AttributeName: index.partitionKey, KeyType: 'HASH' as const },
          { AttributeName: index.sortKey, KeyType: 'RANGE' as const },
        ],
        Projection: { ProjectionType: index.projection },
      },
    ],
  };
};

/** A change that the service requests of the first heating circuit of a home. */
export const changeOf = (gatewayId: string, version: number, roomSetpointCelsius: number) =>
  ({
    type: requestedChangeType,
    subject: gatewayId,
    data: {
      item: { kind: 'circuit', family: 'heating', circuitId: 'hc1' },
      version,
      desired: { roomSetpointCelsius },
    },
  }) as RequestedChangeEvent;

/** The data of the events of a type, in the order in which they were sent. */
export const dataOf = (messages: readonly SandboxMessage[], type: SandboxMessage['type']) =>
  messages.filter((message) => message.type === type).map(({ data }) => data as Readonly<Record<string, unknown>>);
