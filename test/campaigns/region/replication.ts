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

/** When an item was written: those of one look at a stream in the order of the stream. */
type Time = { readonly atMs: number; readonly order: number };

/** A write of one region on its way to the other; without an item it is a deletion. */
type Write = Time & { readonly table: number; readonly key: Item; readonly item: Item | undefined };

/** One table, by its names in the two regions, and the key of an item by which its stream tells the time, if it is written to. */
export type ReplicatedTable = {
  readonly names: readonly [first: string, second: string];
  readonly mark: Item | undefined;
};

export type Side = 0 | 1;

const lookEveryMs = 100;

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
  /** When what a region has of an item was written, in whichever region. */
  const present = [new Map<string, Time>(), new Map<string, Time>()] as const;
  /** What replication has written to a region, and its reader there meets again. */
  const echoes = [new Map<string, (Item | undefined)[]>(), new Map<string, (Item | undefined)[]>()] as const;
  const isLost = [false, false];
  let order = 0;
  /** Both regions have written: what one has kept meets what the other has done meanwhile. */
  let isReturning = false;

  const readersOf = (from: Side) =>
    tables.map(({ names, mark }, table) => {
      const to = (1 - from) as Side;
      const read = createStreamReader({ tables: client, streams }, names[from]);
      let waiting: Write[] = [];
      // What stands behind a mark in the stream was written after it, however late the stream tells.
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

  /** Writes to a region unless it has something later; what is written there meanwhile stands. */
  const apply = async (to: Side, write: Write): Promise<void> => {
    const { table, key, item } = write;
    const place = placeOf(table, key);
    const TableName = tables[table]?.names[to] ?? '';
    const { Item: there } = await client.send(new GetItemCommand({ TableName, Key: key, ConsistentRead: true }));
    if (isReturning) await readers[to][table]?.look();
    const last = present[to].get(place);
    if (last && isLater(last, write)) return;
    // A write that changes nothing is no record of a stream.
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
    /** Lets it be there again; resolves when what it had kept has arrived. */
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

/** A key has the same place in whatever order its parts are told. */
const placeOf = (table: number | string, key: Item): string =>
  `${table} ${JSON.stringify(Object.entries(key).toSorted())}`;

/** The condition that an item is as it was seen; without one, that there is none. */
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
