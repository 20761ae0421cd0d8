import { isDeepStrictEqual } from 'node:util';
import { IdempotentParameterMismatchException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { type Read, readOf } from './reads.ts';
import { type Definitions, rowsOf, type Tables, withItems } from './tables.ts';
import type { Turns, Way } from './turns.ts';
import { write } from './writes.ts';

type Command = { readonly input: unknown };

/**
 * Tables in memory that execute the commands of the data modules as DynamoDB does. The existing servers (DynamoDB Local,
 * dynalite) need a network request per command, and hundreds of thousands of orders have millions of commands.
 */
export const openMemory = (definitions: Definitions, begin: Tables) => {
  const versions = [begin];
  const tokens = new Map<string, unknown>();
  const now = () => versions.at(-1) as Tables;
  return {
    definitions,
    /** The tables after each write, oldest first. */
    versions: versions as readonly Tables[],
    now,
    /** Executes a write at once; a transaction with a used token does nothing. */
    write: (command: Command): object => {
      const token = command instanceof TransactWriteCommand ? command.input.ClientRequestToken : undefined;
      if (token !== undefined && tokens.has(token)) {
        if (isDeepStrictEqual(tokens.get(token), command.input)) return {};
        throw new IdempotentParameterMismatchException({ message: 'Another write has this token.', $metadata: {} });
      }
      const { tables, answer } = write(definitions, now(), command);
      if (token !== undefined) tokens.set(token, command.input);
      versions.push(tables);
      return answer;
    },
    /** Replaces the tables without a command. */
    set: (tables: Tables) => void versions.push(tables),
  };
};

export type Memory = ReturnType<typeof openMemory>;

/** A store that executes its commands at once. */
export const calmStore = (memory: Memory): Store => {
  const send = async (command: Command): Promise<object> =>
    readOf(memory.definitions, command)?.answer(memory.now()) ?? memory.write(command);
  return { send: send as Store['send'], tableName: (table) => table };
};

/** A store whose commands wait for their turns and meet the faults that commands to DynamoDB may meet. */
export const steppedStore = (memory: Memory, turns: Turns): Store => {
  const send = (command: Command): Promise<unknown> => {
    const read = readOf(memory.definitions, command);
    // No operation writes the restored tables, so reading them needs no turn.
    if (read?.tables.every(({ name }) => name.startsWith('restored-')))
      return Promise.resolve(read.answer(memory.now()));
    const what = command.constructor.name.replace(/Command$/, '');
    return read ? sendRead(memory, turns, what, read) : sendWrite(memory, turns, what, command);
  };
  return { send: send as Store['send'], tableName: (table) => table };
};

/** The error that the SDK throws after its last attempt. */
class NoAnswer extends Error {
  override readonly name = 'TimeoutError';
}

const failForGood = () => {
  throw new NoAnswer('The store did not answer.');
};

const fails: Way = { name: 'fails', isDisturbance: true, happen: failForGood };

/** The answer to a write that has to be sent again because its answer was lost. */
const again = Symbol('again');

const sendWrite = async (memory: Memory, { wait, later }: Turns, what: string, command: Command): Promise<unknown> => {
  const carriedOut: Way = { name: 'is carried out', happen: () => memory.write(command) };
  const disturbance = (name: string, happen: () => unknown): Way => ({ name, isDisturbance: true, happen });
  const ways = [
    carriedOut,
    fails,
    disturbance('is carried out and sent again, as its answer is lost', () => {
      withoutAnswer(carriedOut);
      return again;
    }),
    disturbance('is carried out, and its answer is lost for good', () => {
      withoutAnswer(carriedOut);
      failForGood();
    }),
    disturbance('fails, and is carried out later', () => {
      later(`${what} that has failed`, carriedOut);
      failForGood();
    }),
    disturbance('is carried out, and once more later', () => {
      later(`${what} once more`, carriedOut);
      return carriedOut.happen();
    }),
  ];
  const answer = await wait(what, () => ways);
  return answer === again ? wait(`${what} sent again`, () => [carriedOut]) : answer;
};

/** The caller does not learn of a failed condition either. */
const withoutAnswer = ({ happen }: Way): void => {
  try {
    happen();
  } catch {}
};

/** The answer to a read that has read some of its items, with the tables as they were then. */
class Begun {
  readonly tables: Tables;
  constructor(tables: Tables) {
    this.tables = tables;
  }
}

/**
 * A read sees one state of the tables, with two exceptions: a read of several items may see some of them earlier than others,
 * and a read without consistency may see an earlier state.
 */
const sendRead = async (memory: Memory, { wait }: Turns, what: string, read: Read): Promise<unknown> => {
  const answer = await wait(what, () => [
    { name: 'reads', happen: () => read.answer(memory.now()) },
    ...earlierStates(memory, read).map(({ name, tables }) => ({ name, happen: () => read.answer(tables) })),
    fails,
    ...(read.isOfSeveral
      ? [{ name: 'reads some of its items', isDisturbance: true, happen: () => new Begun(memory.now()) }]
      : []),
  ]);
  if (!(answer instanceof Begun)) return answer;
  return wait(`${what} of the other items`, () =>
    mixedStates(read, answer.tables, memory.now()).map((tables, index) => ({
      name: `reads them (${index})`,
      happen: () => read.answer(tables),
    })),
  );
};

/** Returns the earlier states that a read may see of the tables that it reads without consistency. */
const earlierStates = (memory: Memory, { tables: asked }: Read): { name: string; tables: Tables }[] => {
  const stale = asked.filter(({ isConsistent }) => !isConsistent).map(({ name }) => name);
  if (stale.length === 0) return [];
  const now = memory.now();
  let newer = now;
  return memory.versions.toReversed().flatMap((earlier, ago) => {
    const isSame = stale.every((name) => earlier[name] === newer[name]);
    newer = earlier;
    if (isSame) return [];
    const seen = Object.fromEntries(stale.map((name) => [name, rowsOf(earlier, name)]));
    return [{ name: `reads as it was ${ago} writes ago`, tables: { ...now, ...seen } }];
  });
};

/** Returns the states of a read that saw some items early and the others late; an empty list if fewer than two differ. */
const mixedStates = ({ tables: asked }: Read, early: Tables, late: Tables): Tables[] => {
  const changed = asked.flatMap(({ name: table }) => {
    const [old, young] = [rowsOf(early, table), rowsOf(late, table)];
    const keys = [...new Set([...old.keys(), ...young.keys()])].filter((key) => old.get(key) !== young.get(key)).sort();
    return keys.map((key) => ({ table, key, early: old.get(key), late: young.get(key) }));
  });
  return changed.slice(1).flatMap((_, index) => [
    withItems(
      late,
      changed.slice(0, index + 1).map(({ table, key, early: item }) => ({ table, key, item })),
    ),
    withItems(
      late,
      changed.slice(index + 1).map(({ table, key, early: item }) => ({ table, key, item })),
    ),
  ]);
};
