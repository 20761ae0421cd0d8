import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeValue,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { clientConfigOf, createStreamReader, type StreamRecord } from 'serve-stack/dynamodb';

type Item = Record<string, AttributeValue>;

/** When an item was written: those of one look at a stream in the order of the stream. */
type Time = { readonly atMs: number; readonly order: number };

/** A write of one region on its way to the other; without an item it is a deletion. */
type Write = Time & { readonly table: number; readonly key: Item; readonly item: Item | undefined };

/** One table, by its names in the two regions. */
export type ReplicatedTable = readonly [first: string, second: string];

export type Side = 0 | 1;

const lookEveryMs = 50;

/**
 * Replicates tables between two regions by their streams, item by item, as DynamoDB's global tables do: after a lag, the last
 * writer wins. What a region has written and not sent when it is lost stays there until its return, but for what chance let through.
 */
export const startReplication = (
  endpoint: string,
  tables: readonly ReplicatedTable[],
  { lagMs, random }: { readonly lagMs: () => number; readonly random: () => number },
) => {
  const client = new DynamoDBClient(clientConfigOf(endpoint));
  const streams = new DynamoDBStreamsClient(clientConfigOf(endpoint));
  /** The last write of each item, in whichever region. */
  const newest = new Map<string, Time>();
  /** What replication has written itself, and its own readers meet again. */
  const echoes = new Map<string, (Item | undefined)[]>();
  const isLost = [false, false];
  let order = 0;

  const readersOf = (from: Side) =>
    tables.map((names, table) => {
      const read = createStreamReader({ tables: client, streams }, names[from]);
      let waiting: Write[] = [];
      // A look goes on to the end: what it finds was written after the look before had begun.
      let lastLookAtMs = 0;
      return {
        look: async () => {
          const begunMs = Date.now();
          for (let found = 1; found > 0; ) {
            found = 0;
            await read(async (records) => {
              waiting.push(...records.flatMap((record) => writeOf(record, table, names[from], lastLookAtMs)));
              found += records.length;
              return records.length;
            });
          }
          lastLookAtMs = begunMs;
        },
        deliver: async (isDue: (write: Write) => boolean) => {
          const due = waiting.filter(isDue);
          waiting = waiting.filter((write) => !due.includes(write));
          for (const write of due) await apply(names[1 - from] as string, write);
        },
        waiting: () => waiting.length,
      };
    });

  const writeOf = ({ dynamodb }: StreamRecord, table: number, name: string, atMs: number): Write[] => {
    const [key, item] = [dynamodb?.Keys as Item, dynamodb?.NewImage as Item | undefined];
    const own = echoes.get(`${name} ${JSON.stringify(key)}`) ?? [];
    const echo = own.findIndex((each) => isDeepStrictEqual(each, item));
    if (echo >= 0) {
      own.splice(echo, 1);
      return [];
    }
    const write = { table, key, item, atMs, order: order++ };
    const place = placeOf(write);
    const before = newest.get(place);
    if (!before || isLater(write, before)) newest.set(place, write);
    return [write];
  };

  const apply = async (TableName: string, write: Write) => {
    const { key, item } = write;
    const last = newest.get(placeOf(write));
    if (last && isLater(last, write)) return;
    const { Item: there } = await client.send(new GetItemCommand({ TableName, Key: key, ConsistentRead: true }));
    // A write that changes nothing is no record of a stream.
    if (isDeepStrictEqual(there, item)) return;
    const place = `${TableName} ${JSON.stringify(key)}`;
    echoes.set(place, [...(echoes.get(place) ?? []), item]);
    if (item) await client.send(new PutItemCommand({ TableName, Item: item }));
    else await client.send(new DeleteItemCommand({ TableName, Key: key }));
  };

  const readers = [readersOf(0), readersOf(1)] as const;
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  };
  let isOver = false;
  const replicate = async () => {
    while (!isOver) {
      await inTurn(async () => {
        for (const reader of ([0, 1] as const).flatMap((side) => (isLost[side] ? [] : readers[side]))) {
          await reader.look();
          const dueMs = Date.now() - lagMs();
          await reader.deliver(({ atMs }) => atMs <= dueMs);
        }
      });
      await wait(lookEveryMs);
    }
  };
  const replicating = replicate();

  return {
    /** Lets a region be lost now: what it had written more than the lag before arrives, and of the rest what chance lets through. */
    lose: async (side: Side) => {
      const atMs = Date.now();
      isLost[side] = true;
      await inTurn(async () => {
        for (const reader of readers[side]) {
          await reader.look();
          await reader.deliver((write) => write.atMs <= atMs - lagMs() || random() < 0.5);
        }
      });
      return { atMs, held: readers[side].reduce((sum, { waiting }) => sum + waiting(), 0) };
    },
    /** Lets it be there again, with what it had kept. */
    giveBack: (side: Side): void => {
      isLost[side] = false;
    },
    /** Resolves when nothing is on its way. */
    settle: async (): Promise<void> => {
      for (let calm = 0; calm < 3; calm++) {
        await wait(lagMs() + 2 * lookEveryMs);
        await inTurn(async () => undefined);
        if (readers.flat().some(({ waiting }) => waiting() > 0)) calm = -1;
      }
    },
    stop: async (): Promise<void> => {
      isOver = true;
      await replicating;
      client.destroy();
      streams.destroy();
    },
  };
};

const placeOf = ({ table, key }: Pick<Write, 'table' | 'key'>): string => `${table} ${JSON.stringify(key)}`;

const isLater = (one: Time, other: Time): boolean =>
  one.atMs > other.atMs || (one.atMs === other.atMs && one.order > other.order);
