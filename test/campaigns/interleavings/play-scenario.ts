import assert from 'node:assert/strict';
import { tables } from '../../../lambdas/api/tables.ts';
import { isStoreUnavailable } from '../../../lambdas/data/store/store-errors.ts';
import { type Choice, type Choose, type Order, playOrder } from './engine/order.ts';
import type { Scenario } from './scenario.ts';
import { calmStore, openMemory } from './store/memory.ts';
import { steppedStore } from './store/stepped-store.ts';
import { emptyTables } from './store/tables.ts';

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
    const byChance = Math.random;
    let draws = 0;
    Math.random = () => draw(draws++);
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
      Math.random = byChance;
    }
  };
};

/** Whatever meets, an operation fails only for what was done to its store. */
const refuseWrongFailures = ({ outcomes, disturbances }: Order): void => {
  for (const [name, outcome] of Object.entries(outcomes))
    if (outcome.kind === 'failed')
      assert(
        disturbances > 0 && isStoreUnavailable(outcome.error),
        `${name} failed: ${(outcome.error as Error).stack}`,
      );
};

const inWords = ({ step: { by, what }, way, isLast }: Choice, index: number): string =>
  `  ${index + 1}. ${by}: ${what} ${way.name}${isLast ? ', and nothing more is heard of it' : ''}`;
