import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { clientConfigOf, createStreamReader, type StreamRecord } from 'serve-stack/dynamodb';

type Item = Record<string, AttributeValue>;

/** When an item was written; writes of one read of a stream are in the order of the stream. */
type Time = { readonly atMs: number; readonly order: number };

/** A write of one region that is not replicated yet; without an item it is a deletion. */
type Write = Time & { readonly table: number; readonly key: Item; readonly item: Item | undefined };

/** A table by its names in the two regions, and the key of the mark that times its stream, if the table is written to. */
export type ReplicatedTable = {
  readonly names: readonly [first: string, second: string];
  readonly mark: Item | undefined;
};

export type Side = 0 | 1;

const lookEveryMs = 100;

/**
 * Replicates tables between two regions through their streams, item by item, as DynamoDB's global tables do: after a lag, and
 * the last writer wins. When a region is lost, a random part of its unsent writes arrives; the rest stays there until the
 * region returns.
 */
export const startReplication = (
  endpoint: string,
  tables: readonly ReplicatedTable[],
  { lagMs, random }: { readonly lagMs: () => number; readonly random: () => number },
) => {
  const client = new DynamoDBClient(clientConfigOf(endpoint));
  const streams = new DynamoDBStreamsClient(clientConfigOf(endpoint));
  /** When each item of a region was written, in either region. */
  const present = [new Map<string, Time>(), new Map<string, Time>()] as const;
  /** The writes of the replication to a region, which the reader of that region's stream sees again. */
  const echoes = [new Map<string, (Item | undefined)[]>(), new Map<string, (Item | undefined)[]>()] as const;
  const isLost = [false, false];
  let order = 0;
  /** Whether a region returns: then both have writes that the other lacks. */
  let isReturning = false;

  const readersOf = (from: Side) =>
    tables.map(({ names, mark }, table) => {
      const to = (1 - from) as Side;
      const read = createStreamReader({ tables: client, streams }, names[from]);
      let waiting: Write[] = [];
      // Records after a mark in the stream were written after it, however late they are read.
      let markMs = 0;
      const take = async (records: readonly StreamRecord[]) => {
        for (const record of records) {
          const marked = record.dynamodb?.NewImage?.markedAtMs?.N;
          if (marked === undefined) waiting.push(...writeOf(record, table, from, markMs));
          else markMs = Number(marked);
        }
        return records.length;
      };
      return {
        look: async () => {
          const nowMs = Date.now();
          if (mark) {
            const Item = { ...mark, markedAtMs: { N: String(nowMs) } };
            await client.send(new PutItemCommand({ TableName: names[from], Item }));
          }
          do await read(take);
          while (mark && markMs < nowMs);
        },
        deliver: async (isDue: (write: Write) => boolean) => {
          const due = waiting.filter(isDue);
          waiting = waiting.filter((write) => !due.includes(write));
          for (const write of due) await apply(to, write);
        },
        waiting: () => waiting.length,
      };
    });

  const writeOf = ({ dynamodb }: StreamRecord, table: number, from: Side, atMs: number): Write[] => {
    const [key, item] = [dynamodb?.Keys as Item, dynamodb?.NewImage as Item | undefined];
    const place = placeOf(table, key);
    const own = echoes[from].get(place) ?? [];
    const echo = own.findIndex((each) => isDeepStrictEqual(each, item));
    if (echo >= 0) {
      own.splice(echo, 1);
      return [];
    }
    const write = { table, key, item, atMs, order: order++ };
    present[from].set(place, write);
    return [write];
  };

  /** Writes to a region unless the region has a later write; concurrent writes there are kept. */
  const apply = async (to: Side, write: Write): Promise<void> => {
    const { table, key, item } = write;
    const place = placeOf(table, key);
    const TableName = tables[table]?.names[to] ?? '';
    const { Item: there } = await client.send(new GetItemCommand({ TableName, Key: key, ConsistentRead: true }));
    if (isReturning) await readers[to][table]?.look();
    const last = present[to].get(place);
    if (last && isLater(last, write)) return;
    // A write that changes nothing makes no stream record.
    if (!isDeepStrictEqual(there, item)) {
      const echo = [...(echoes[to].get(place) ?? [])];
      echoes[to].set(place, [...echo, item]);
      try {
        const unchanged = { TableName, ...asSeen(there, key) };
        if (item) await client.send(new PutItemCommand({ ...unchanged, Item: item }));
        else await client.send(new DeleteItemCommand({ ...unchanged, Key: key }));
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        echoes[to].set(place, echo);
        return apply(to, write);
      }
    }
    present[to].set(place, write);
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
    /** Loses a region now: its writes older than the lag arrive, and a random part of the others. */
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
    /** Returns a region to service; resolves when the writes that it kept have arrived. */
    giveBack: (side: Side): Promise<void> =>
      inTurn(async () => {
        isReturning = true;
        for (const reader of readers[side]) {
          await reader.look();
          await reader.deliver(() => true);
        }
        isReturning = false;
        isLost[side] = false;
      }),
    /** Resolves when no write is waiting. */
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

/** Returns one text per key, whatever the order of its attributes. */
const placeOf = (table: number | string, key: Item): string =>
  `${table} ${JSON.stringify(Object.entries(key).toSorted())}`;

/** Returns the condition that the item is as read, or that it does not exist if none was read. */
const asSeen = (seen: Item | undefined, key: Item) => {
  const attributes = Object.entries(seen ?? key);
  return {
    ConditionExpression: attributes
      .map((_, n) => (seen ? `#a${n} = :a${n}` : `attribute_not_exists(#a${n})`))
      .join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(attributes.map(([name], n) => [`#a${n}`, name])),
    ...(seen && { ExpressionAttributeValues: Object.fromEntries(attributes.map(([, value], n) => [`:a${n}`, value])) }),
  };
};

const isLater = (one: Time, other: Time): boolean =>
  one.atMs > other.atMs || (one.atMs === other.atMs && one.order > other.order);
