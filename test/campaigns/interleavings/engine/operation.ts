/** Something that may come of a step. The first way of a step is what usually happens. */
export type Way = {
  readonly name: string;
  /** Whether it is a fault, of which only so many happen in one order. */
  readonly isDisturbance?: boolean;
  /** Makes it happen and returns the step's answer, or throws it. */
  readonly happen: () => unknown;
};

/** What an operation waits with: the scheduler decides when each step has its turn, and which way it goes. */
export type Turns = {
  /** Asks for the ways whenever the step could have its turn; it has none as long as there are none. */
  readonly wait: (what: string, ways: () => readonly Way[]) => Promise<unknown>;
  /** Lets something happen at any later time that nobody waits for. */
  readonly later: (what: string, way: Way) => void;
};

/** What may meet others: between two of its steps anything may happen. */
export type Operation = { readonly name: string; readonly run: (turns: Turns) => Promise<unknown> };

export type Outcome =
  | { readonly kind: 'ended'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'stopped' };
