import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { clientConfigOf } from '../src/dynamodb/dynamodb-local.ts';
import { lockTables } from '../src/dynamodb/table-lock.ts';

const clientOf = () => new DynamoDBClient(clientConfigOf(inject('dynamoDbEndpoint')));
const client = clientOf();
afterAll(() => client.destroy());

type Options = Parameters<typeof lockTables>[1];

const unexpected: Options['onLost'] = ({ message }) => expect.unreachable(message);

const lock = async (tables: string, options: Partial<Options> = {}, by = client) => {
  const taken = await lockTables(by, {
    tables,
    directory: '/first',
    isOwnStore: false,
    onLost: unexpected,
    ...options,
  });
  onTestFinished(taken.release);
  return taken;
};

describe('only one run uses tables', () => {
  test('a second run is refused, and the error names the first one', async () => {
    const tables = randomUUID();
    await lock(tables);
    await expect(lock(tables, { directory: '/second' })).rejects.toThrow(
      `Another run uses the tables ${tables}… of this store: process ${process.pid} on `,
    );
    await lock(`${tables}-others`);
  });

  test('if several runs start at the same time, one of them locks the tables', async () => {
    const tables = randomUUID();
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => lock(tables)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('a run locks the tables that another run has released', async () => {
    const tables = randomUUID();
    await (await lock(tables)).release();
    await lock(tables);
  });

  test('a run locks the tables of a run without a heartbeat; that run is notified if it still runs', async () => {
    const tables = randomUUID();
    const lost = Promise.withResolvers<string>();
    const cutOff = clientOf();
    let isCutOff = true;
    cutOff.middlewareStack.add(
      (next) => (args) => {
        if (isCutOff && 'UpdateExpression' in (args.input as object)) throw new Error('The connection is cut.');
        return next(args);
      },
      { step: 'initialize' },
    );
    onTestFinished(() => cutOff.destroy());
    await lock(tables, { onLost: ({ message }) => lost.resolve(message) }, cutOff);
    await lock(tables);
    isCutOff = false;
    expect(await lost.promise).toBe(
      `Another run has taken the tables ${tables}…, because this one did not answer for long.`,
    );
    await expect(lock(tables)).rejects.toThrow('Another run uses');
  });

  test('in its own store, a run does not wait for the heartbeat of an earlier run', async () => {
    const tables = randomUUID();
    await lock(tables, { onLost: () => undefined });
    await lock(tables, { isOwnStore: true });
  });
});
