import type { Store } from '../../../lambdas/data/store/store.ts';
import type { Outcome, Turns } from './engine/operation.ts';
import type { Memory } from './store/memory.ts';
import type { Tables } from './store/tables.ts';

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
