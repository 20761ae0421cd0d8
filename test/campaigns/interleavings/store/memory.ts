import { isDeepStrictEqual } from 'node:util';
import { IdempotentParameterMismatchException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { readOf } from './reads.ts';
import type { Definitions, Tables } from './tables.ts';
import { write } from './writes.ts';

export type Command = { readonly input: unknown };

/**
 * Tables in memory that carry out the commands of the data modules as DynamoDB does. An evaluator of its own: the servers
 * there are (DynamoDB Local, dynalite) take a request each, and hundreds of thousands of orders have millions of commands.
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
    /** Carries a write out at once; a transaction under a token that was used does nothing. */
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
    /** Sets the tables, past all commands. */
    set: (tables: Tables) => void versions.push(tables),
  };
};

export type Memory = ReturnType<typeof openMemory>;

/** A store whose commands are carried out at once. */
export const calmStore = (memory: Memory): Store => {
  const send = async (command: Command): Promise<object> =>
    readOf(memory.definitions, command)?.answer(memory.now()) ?? memory.write(command);
  return { send: send as Store['send'], tableName: (table) => table };
};
