import { expect, test } from 'vitest';
import { startSimulation } from '../../../../local/demo/appliances/simulation.ts';

/** An appliance that counts its steps and does in each what it is told to. */
const countingAppliance = (act: () => void = () => undefined) => {
  const waiting: { readonly steps: number; readonly resolve: () => void }[] = [];
  let steps = 0;
  return {
    step: async () => {
      steps++;
      for (const each of waiting) if (steps >= each.steps) each.resolve();
      act();
    },
    steps: () => steps,
    until: (count: number) => new Promise<void>((resolve) => waiting.push({ steps: count, resolve })),
  };
};

test('each appliance has lived once when it resolves, goes on living, and rests for good once it is stopped', async () => {
  const [one, other] = [countingAppliance(), countingAppliance()];
  const print = () => undefined;
  const simulation = await startSimulation({ appliances: [one.step, other.step], print, restMs: 1 });
  expect([one.steps(), other.steps()]).toEqual([1, 1]);
  await Promise.all([one.until(4), other.until(4)]);
  await simulation.stop();
  const before = one.steps();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(one.steps()).toBe(before);
});

test('an appliance that fails holds up no other, goes on trying, and is spoken of once', async () => {
  const printed: string[] = [];
  const failing = countingAppliance(() => {
    throw new Error('no store');
  });
  const well = countingAppliance();
  const appliances = [failing.step, well.step];
  const simulation = await startSimulation({ appliances, print: (line) => printed.push(line), restMs: 1 });
  await Promise.all([failing.until(5), well.until(5)]);
  await simulation.stop();
  expect(printed).toEqual([
    expect.stringMatching(/^A simulated appliance could not report \(Error: no store\); .*\.$/),
  ]);
});

test('a step that is under way when it is stopped comes to its end first', async () => {
  let finish = () => undefined as unknown;
  let hasEnded = false;
  let steps = 0;
  const step = async () => {
    if (steps++ === 0) return;
    await new Promise((resolve) => {
      finish = () => resolve(undefined);
    });
    hasEnded = true;
  };
  const simulation = await startSimulation({ appliances: [step], print: () => undefined, restMs: 1 });
  while (steps < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  const stopped = simulation.stop().then(() => expect(hasEnded).toBe(true));
  finish();
  await stopped;
});
