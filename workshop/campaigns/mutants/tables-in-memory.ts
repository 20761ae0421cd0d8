import { tables as definitions, type TableName } from '../../../lambdas/api/tables.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import type { Exchange, FaultPlan, FaultProxy } from '../../../test/support/fault-proxy.ts';
import { calmStore, openMemory } from '../../../test/support/memory-store/memory.ts';
import { emptyTables, type Tables } from '../../../test/support/memory-store/tables.ts';
import type { WorldTables } from '../../../test/support/world-tables.ts';

declare global {
  /** The tables of the test file that runs, if they are in memory. */
  var tablesInMemory: { readonly now: () => Tables; readonly set: (tables: Tables) => void } | undefined;
}

/**
 * Replaces the tables in DynamoDB Local by tables in memory, which take a fifth of the time and can be set back before a test is
 * repeated. A test that injects faults, or that reads consumed capacity or attribute values as they are sent, fails with them.
 */
export const openTables = async (): Promise<WorldTables> => {
  let memory = openMemory(definitions, emptyTables(definitions));
  const set = (tables: Tables) => {
    memory = openMemory(definitions, tables);
  };
  globalThis.tablesInMemory = { now: () => memory.now(), set };
  const exchanges: Exchange[] = [];
  const send = async (command: { readonly input: object }) => {
    exchanges.push({ action: actionOf(command), input: JSON.parse(JSON.stringify(command.input)) });
    return structuredClone(await calmStore(memory).send(command as Parameters<Store['send']>[0]));
  };
  const begin = (plan?: FaultPlan) => {
    exchanges.length = 0;
    if (plan) throw new Error('Tables in memory have no faults.');
  };
  return {
    proxy: { exchanges, begin } as unknown as FaultProxy,
    connect: () => ({ send: send as Store['send'], tableName: (name) => name }),
    takeNewTables: async (...names: TableName[]) => {
      const empty = emptyTables(definitions);
      const taken =
        names.length === 0 ? empty : Object.fromEntries(names.map((name) => [name, empty[name] ?? new Map()]));
      set({ ...memory.now(), ...taken });
    },
  };
};

/** The action that a command sends: `GetItem` for a GetCommand. */
const actionOf = (command: object): string => {
  const name = command.constructor.name.replace(/Command$/, '');
  return /^Transact/.test(name) ? `${name}Items` : name.replace(/^(BatchGet|Get|Put|Update|Delete)$/, '$1Item');
};
