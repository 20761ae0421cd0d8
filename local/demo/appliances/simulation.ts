import { setTimeout as wait } from 'node:timers/promises';

type Options = {
  /** Each appliance does what is due at a time. */
  readonly appliances: readonly ((nowMs: number) => Promise<void>)[];
  /** Told once, in one sentence, that appliances fail; they go on trying. */
  readonly print: (line: string) => void;
  /** The pause between two looks at the requested changes. */
  readonly restMs?: number;
};

export type Simulation = { readonly stop: () => Promise<void> };

/** Lets the appliances live; resolves when each has lived for a first time. An appliance that fails holds up no other. */
export const startSimulation = async ({ appliances, print, restMs = 500 }: Options): Promise<Simulation> => {
  const stopping = new AbortController();
  let hasFailed = false;

  const tick = async () => {
    const nowMs = Date.now();
    const outcomes = await Promise.allSettled(appliances.map((step) => step(nowMs)));
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (!failure || hasFailed || stopping.signal.aborted) return;
    hasFailed = true;
    print(`A simulated appliance could not report (${failure.reason}); it goes on trying, without another word.`);
  };

  const live = async () => {
    while (!stopping.signal.aborted) {
      await wait(restMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (!stopping.signal.aborted) await tick();
    }
  };

  await tick();
  const living = live();
  return {
    stop: async () => {
      stopping.abort();
      await living;
    },
  };
};
