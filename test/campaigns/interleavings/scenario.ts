import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { tables } from '../../../lambdas/api/tables.ts';
import { isStoreUnavailable } from '../../../lambdas/data/store/attempts.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { type Choice, type Choose, type Order, type Outcome, playOrder, type Turns } from './engine.ts';
import { calmStore, type Memory, openMemory, steppedStore } from './store/memory.ts';
import { emptyTables, type Tables } from './store/tables.ts';

/** Operations of the real data modules that meet, and what holds whatever the order of their steps. */
export type Scenario = {
  /** Who meets. */
  readonly name: string;
  /** What holds, in plain words. */
  readonly guarantee: string;
  /** How many faults one order has at most. */
  readonly maxDisturbances: { readonly prove: number; readonly full: number };
  /**
   * What the modules' draws by chance give, the first of an order being 0; always the least without it, so that all pick
   * the same free slot and meet there.
   */
  readonly draw?: (ordinal: number) => number;
  /** Makes what is there before they meet. */
  readonly arrange: (store: Store, memory: Memory) => Promise<Scene>;
};

export type Scene = {
  /** By name; each with a store of its own, whose commands wait for their turns. */
  readonly operations: Readonly<Record<string, (store: Store, around: Around) => Promise<unknown>>>;
  /** Throws if a step has broken the guarantee. */
  readonly afterEach?: (before: Tables, after: Tables) => void;
  /** Throws if the guarantee is broken when all operations have ended. */
  readonly atEnd?: (ending: Ending) => void;
};

/** What an operation uses that is not of the data modules: a store that removes what has expired, say. */
export type Around = { readonly turns: Turns; readonly memory: Memory };

export type Ending = {
  readonly tables: Tables;
  readonly outcomes: Readonly<Record<string, Outcome>>;
  /** Whether no fault happened. */
  readonly isUndisturbed: boolean;
};

/** What the operations returned that have come to their end. */
export const answersOf = <Answer>({ outcomes }: Ending): Answer[] =>
  Object.values(outcomes).flatMap((outcome) => (outcome.kind === 'ended' ? [outcome.value as Answer] : []));

/** The tables of a stage, and beside them those of an earlier second, which a restore reads and nobody writes. */
const definitions = {
  ...tables,
  ...Object.fromEntries(Object.entries(tables).map(([name, table]) => [`restored-${name}`, table])),
};

/** Makes what is there before, once, and returns what plays one order from there. */
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
    const endChance = replaceChance(draw);
    try {
      const order = await playOrder(started, { choose, maxDisturbances, afterEach: check });
      if (order.isWhole) {
        refuseWrongFailures(order);
        atEnd?.({ tables: memory.now(), outcomes: order.outcomes, isUndisturbed: order.disturbances === 0 });
      }
      return order;
    } catch (error) {
      throw new Error(`${(error as Error).message}\nThe order:\n${steps.map(inWords).join('\n')}`, { cause: error });
    } finally {
      endChance();
    }
  };
};

/**
 * Lets the modules draw the same whenever an order is played, until the returned function is called: ids, too, since they
 * say in which order a query finds the items.
 */
const replaceChance = (draw: NonNullable<Scenario['draw']>): (() => void) => {
  const { random } = Math;
  const { randomBytes, randomUUID } = crypto;
  let draws = 0;
  let bytes = 0;
  const nextBytes = (size: number) =>
    crypto.hash('shake256', `${bytes++}`, { outputEncoding: 'buffer', outputLength: size });
  const nextUuid = () =>
    nextBytes(16)
      .toString('hex')
      .replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') as ReturnType<typeof randomUUID>;
  Math.random = () => draw(draws++);
  Object.assign(crypto, { randomBytes: nextBytes, randomUUID: nextUuid });
  syncBuiltinESMExports();
  return () => {
    Math.random = random;
    Object.assign(crypto, { randomBytes, randomUUID });
    syncBuiltinESMExports();
  };
};

/** Whatever meets, an operation fails only for what was done to its store. */
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
