import { setTimeout } from 'node:timers/promises';
import type { Operation, Outcome, Turns, Way } from './operation.ts';

/** Picks one of so many ways that an order can go on. */
export type Choose = (choices: readonly Choice[]) => number;

export type Choice = {
  readonly step: Step;
  readonly way: Way;
  /** Whether the operation hears no answer and does nothing any more, as when its process dies. */
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
  /** Whether it led to its end; false if a step waits for what did not come, so that there is no such order. */
  readonly isWhole: boolean;
};

export type OrderOptions = {
  readonly choose: Choose;
  /** How many disturbances may happen in one order. */
  readonly maxDisturbances: number;
  /** Runs after each step. What it throws ends the order. */
  readonly afterEach: (choice: Choice) => void;
};

/** Runs the operations, one step at a time, in the order that is chosen while they run. */
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
    // What nobody waits for is under way already, and happens all the same.
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

/** Lets everything happen first and answers then, since what an answer sets going must not run before. */
const answerOf = (way: Way) => {
  try {
    const value = way.happen();
    return ({ resolve }: NonNullable<Step['answer']>) => resolve(value);
  } catch (error) {
    return ({ reject }: NonNullable<Step['answer']>) => reject(error);
  }
};

/** Resolves when all operations wait, for a step or a timer: what can go on does so before. */
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
