import assert from 'node:assert/strict';
import { tables } from '../../../lambdas/api/tables.ts';
import { isStoreUnavailable } from '../../../lambdas/data/store/attempts.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { replaceChance } from '../../../test/support/chance.ts';
import { calmStore, type Memory, openMemory, steppedStore } from '../../../test/support/memory-store/memory.ts';
import { emptyTables, type Tables } from '../../../test/support/memory-store/tables.ts';
import {
  type Choice,
  type Choose,
  type Order,
  type Outcome,
  playOrder,
  type Turns,
} from '../../../test/support/memory-store/turns.ts';

/** Concurrent operations of the real data modules, and a guarantee that holds in every order of their steps. */
export type Scenario = {
  /** The concurrent operations. */
  readonly name: string;
  /** The guarantee in plain words. */
  readonly guarantee: string;
  /** The largest number of faults in one order. */
  readonly maxDisturbances: { readonly prove: number; readonly full: number };
  /**
   * Returns the modules' random numbers; the first of an order has the ordinal 0. By default always 0, so that all pick the
   * same free slot and conflict there.
   */
  readonly draw?: (ordinal: number) => number;
  /** Creates the rows that exist before the operations begin. */
  readonly arrange: (store: Store, memory: Memory) => Promise<Scene>;
};

export type Scene = {
  /** The operations by name. Each has its own store, whose commands wait for their turns. */
  readonly operations: Readonly<Record<string, (store: Store, around: Around) => Promise<unknown>>>;
  /** Throws if a step broke the guarantee. */
  readonly afterEach?: (before: Tables, after: Tables) => void;
  /** Throws if the guarantee is broken after all operations have ended. */
  readonly atEnd?: (ending: Ending) => void | Promise<void>;
};

/** What an operation uses from outside the data modules, such as a store that removes expired items. */
export type Around = { readonly turns: Turns; readonly memory: Memory };

export type Ending = {
  readonly tables: Tables;
  /** The tables, for a guarantee about what happens afterwards. */
  readonly memory: Memory;
  readonly outcomes: Readonly<Record<string, Outcome>>;
  /** Whether no fault happened. */
  readonly isUndisturbed: boolean;
};

/** Returns the answers of the operations that ended. */
export const answersOf = <Answer>({ outcomes }: Ending): Answer[] =>
  Object.values(outcomes).flatMap((outcome) => (outcome.kind === 'ended' ? [outcome.value as Answer] : []));

/** The tables of a stage, and read-only ones with the state of an earlier second, which a restore reads. */
const definitions = {
  ...tables,
  ...Object.fromEntries(Object.entries(tables).map(([name, table]) => [`restored-${name}`, table])),
};

/** Creates the first rows once, and returns a function that plays one order from there. */
export const openScenario = async ({ arrange, draw = () => 0 }: Scenario) => {
  const arranged = openMemory(definitions, emptyTables(definitions));
  const { operations, afterEach, atEnd } = await arrange(calmStore(arranged), arranged);
  const begin = arranged.now();

  return async (choose: Choose, maxDisturbances: number): Promise<Order> => {
    const memory = openMemory(definitions, begin);
    const steps: Choice[] = [];
    let before = begin;
    const check = (step: Choice) => {
      steps.push(step);
      const after = memory.now();
      if (after !== before) afterEach?.(before, after);
      before = after;
    };
    const started = Object.entries(operations).map(([name, run]) => ({
      name,
      run: (turns: Parameters<typeof steppedStore>[1]) => run(steppedStore(memory, turns), { turns, memory }),
    }));
    let draws = 0;
    const endChance = replaceChance(() => draw(draws++));
    try {
      const order = await playOrder(started, { choose, maxDisturbances, afterEach: check });
      if (order.isWhole) {
        refuseWrongFailures(order);
        const { outcomes, disturbances } = order;
        await atEnd?.({ tables: memory.now(), memory, outcomes, isUndisturbed: disturbances === 0 });
      }
      return order;
    } catch (error) {
      throw new Error(`${(error as Error).message}\nThe order:\n${steps.map(inWords).join('\n')}`, { cause: error });
    } finally {
      endChance();
    }
  };
};

/** An operation fails only because of a fault of its store. */
const refuseWrongFailures = ({ outcomes, disturbances }: Order): void => {
  for (const [name, outcome] of Object.entries(outcomes))
    if (outcome.kind === 'failed')
      assert(
        disturbances > 0 && (isStoreUnavailable(outcome.error) || isStoreUnavailable((outcome.error as Error).cause)),
        `${name} failed: ${(outcome.error as Error).stack}`,
      );
};

const inWords = ({ step: { by, what }, way, isLast }: Choice, index: number): string =>
  `  ${index + 1}. ${by}: ${what} ${way.name}${isLast ? ', and nothing more is heard of it' : ''}`;
