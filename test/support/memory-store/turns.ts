import { setTimeout } from 'node:timers/promises';

/** A possible outcome of a step. The first one is the usual outcome. */
export type Way = {
  readonly name: string;
  /** Whether it is a fault; the number of faults per order is limited. */
  readonly isDisturbance?: boolean;
  /** Applies this outcome; returns the step's answer or throws its error. */
  readonly happen: () => unknown;
};

/** How an operation waits for its steps: the scheduler decides when each step runs, and with which outcome. */
export type Turns = {
  /** Calls `ways` for the possible outcomes whenever the step could run; a step without outcomes waits. */
  readonly wait: (what: string, ways: () => readonly Way[]) => Promise<unknown>;
  /** Schedules an effect for any later time, for which no operation waits. */
  readonly later: (what: string, way: Way) => void;
};

/** A concurrent operation: anything may happen between two of its steps. */
type Operation = { readonly name: string; readonly run: (turns: Turns) => Promise<unknown> };

export type Outcome =
  | { readonly kind: 'ended'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'stopped' };

/** Chooses the next step and its outcome; returns the index of the choice. */
export type Choose = (choices: readonly Choice[]) => number;

export type Choice = {
  readonly step: Step;
  readonly way: Way;
  /** Whether the operation ends here without an answer, as when its process dies. */
  readonly isLast: boolean;
};

type Step = {
  readonly by: string;
  readonly what: string;
  readonly ways: () => readonly Way[];
  readonly answer?: { readonly resolve: (value: unknown) => void; readonly reject: (error: unknown) => void };
};

export type Order = {
  readonly outcomes: Readonly<Record<string, Outcome>>;
  readonly disturbances: number;
  /** Whether all operations ended; false if a step waited for something that did not happen, so that no such order exists. */
  readonly isWhole: boolean;
};

type OrderOptions = {
  readonly choose: Choose;
  /** The largest number of disturbances in one order. */
  readonly maxDisturbances: number;
  /** Runs after each step. An error that it throws ends the order. */
  readonly afterEach: (choice: Choice) => void;
};

/** Runs the operations one step at a time, in the order that `choose` picks on the way. */
export const playOrder = async (
  operations: readonly Operation[],
  { choose, maxDisturbances, afterEach }: OrderOptions,
): Promise<Order> => {
  const waiting: Step[] = [];
  const running = new Set<string>();
  const outcomes: Record<string, Outcome> = {};
  let disturbances = 0;

  for (const { name, run } of operations) {
    const end = (outcome: Outcome) => {
      outcomes[name] ??= outcome;
      running.delete(name);
    };
    running.add(name);
    run(turnsOf(name, waiting)).then(
      (value) => end({ kind: 'ended', value }),
      (error) => end({ kind: 'failed', error }),
    );
  }

  const happen = (choice: Choice) => {
    const { step, way, isLast } = choice;
    if (way.isDisturbance || isLast) disturbances++;
    waiting.splice(waiting.indexOf(step), 1);
    const answer = answerOf(way);
    if (!isLast) return step.answer && answer(step.answer);
    outcomes[step.by] = { kind: 'stopped' };
    running.delete(step.by);
    // Effects for which no operation waits are in flight already and still happen.
    for (const other of waiting.filter(({ by, answer: heard }) => by === step.by && heard))
      waiting.splice(waiting.indexOf(other), 1);
  };

  for (;;) {
    await untilQuiet();
    const choices = waiting.flatMap((step) => choicesOf(step, disturbances < maxDisturbances));
    if (choices.length > 0) {
      const choice = choices[choose(choices)] as Choice;
      happen(choice);
      afterEach(choice);
    } else if (waiting.length === 0 && running.size > 0) await setTimeout(1);
    else return { outcomes, disturbances, isWhole: waiting.length === 0 };
  }
};

const turnsOf = (by: string, waiting: Step[]): Turns => ({
  wait: (what, ways) => new Promise((resolve, reject) => waiting.push({ by, what, ways, answer: { resolve, reject } })),
  later: (what, way) => void waiting.push({ by, what, ways: () => [way] }),
});

/** Runs the effect first and answers later, since the code after an answer must not run before. */
const answerOf = (way: Way) => {
  try {
    const value = way.happen();
    return ({ resolve }: NonNullable<Step['answer']>) => resolve(value);
  } catch (error) {
    return ({ reject }: NonNullable<Step['answer']>) => reject(error);
  }
};

/** Resolves when every operation waits for a step or a timer. */
const untilQuiet = () => new Promise<void>((resolve) => setImmediate(resolve));

const choicesOf = (step: Step, mayDisturb: boolean): Choice[] => {
  const [first, ...others] = step.ways();
  if (!first) return [];
  const ways = mayDisturb ? others : others.filter(({ isDisturbance }) => !isDisturbance);
  return [
    { step, way: first, isLast: false },
    ...ways.map((way) => ({ step, way, isLast: false })),
    ...(mayDisturb && step.answer ? [{ step, way: first, isLast: true }] : []),
  ];
};

/** Plays one order with these choices, always from the same beginning. Throws if it breaks a guarantee. */
type Play = (choose: Choose) => Promise<Order>;

type Played = { readonly orders: number; readonly areAll: boolean };

/** Plays every order, depth first, while there is time; returns the number of orders. */
export const playEveryOrder = async (play: Play, hasTime: () => boolean): Promise<Played> => {
  let path: { taken: number; readonly of: number }[] = [];
  let orders = 0;
  do {
    let depth = 0;
    const { isWhole } = await play(({ length }) => {
      path[depth] ??= { taken: 0, of: length };
      const { taken, of } = path[depth++] as (typeof path)[number];
      if (of !== length)
        throw new Error(`A step had ${of} ways to go on and now has ${length}: an operation hangs on chance or time.`);
      return taken;
    });
    if (isWhole) orders++;
    path = path.slice(0, path.findLastIndex(({ taken, of }) => taken + 1 < of) + 1);
    const last = path.at(-1);
    if (last) last.taken++;
  } while (path.length > 0 && (orders === 0 || hasTime()));
  return { orders, areAll: path.length === 0 };
};

/** The share of usual outcomes: a fault at every step would end all operations early. */
const usualShare = 0.8;

/** Plays `count` random orders. */
export const playRandomOrders = async (play: Play, count: number, random: () => number): Promise<Played> => {
  const pick = (choices: readonly Choice[]) => {
    const usual = choices.flatMap(({ way, isLast }, index) => (way.isDisturbance || isLast ? [] : [index]));
    const from = usual.length > 0 && random() < usualShare ? usual : [...choices.keys()];
    return from[Math.floor(random() * from.length)] as number;
  };
  for (let orders = 0; orders < count; ) if ((await play(pick)).isWhole) orders++;
  return { orders: count, areAll: false };
};
