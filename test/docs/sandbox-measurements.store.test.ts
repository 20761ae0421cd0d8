import { beforeAll, expect, test } from 'vitest';
import { sandboxMeasurements } from '../../docs/generate/sandbox-cost.ts';
import { changeOf, type OpenSandbox, openSandbox } from '../support/sandbox.ts';
import { consumedUnits } from '../support/units.ts';
import { onboard, openWorld } from '../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let gatewayId: string;
beforeAll(async () => {
  world = await openWorld();
  gatewayId = `sim-${(await onboard(world.store)).companyId}-1`;
});

const minuteMs = 60_000;

/** Runs the schedule after each interval; returns what the home consumed, without what each run consumes in any case. */
const measure = async (sandbox: OpenSandbox, runs: number, everyMinutes: number) => {
  const sum = { readUnits: 0, writeUnits: 0, events: 0 };
  for (let run = 0; run < runs; run++) {
    sandbox.pass(everyMinutes * minuteMs);
    world.proxy.begin();
    const { sent, fault } = await sandbox.runSchedule();
    expect(fault).toBeUndefined();
    for (const { readUnits, writeUnits } of consumedUnits(world.proxy.exchanges)) {
      sum.readUnits += readUnits;
      sum.writeUnits += writeUnits;
    }
    sum.events += sent.length;
  }
  const { readUnits } = sandboxMeasurements['a run without a home that is due'];
  return { ...sum, readUnits: sum.readUnits - runs * readUnits };
};

/** A home that is at rest: nothing has happened for a day. */
const openAtRest = async () => {
  const sandbox = await openSandbox();
  await sandbox.runSchedule();
  sandbox.pass(24 * 60 * minuteMs);
  await sandbox.runSchedule();
  return sandbox;
};

const remedy =
  'Correct sandboxMeasurements in docs/generate/sandbox-cost.ts, then npm run generate. Fewer and smaller writes of the home cost less.';

/** Sizes depend on ids and readings, so a tenth more or less is the same. */
const expectLike = (measured: Awaited<ReturnType<typeof measure>>, work: keyof typeof sandboxMeasurements) => {
  for (const [name, amount] of Object.entries(sandboxMeasurements[work])) {
    const deviation = Math.abs(measured[name as keyof typeof measured] - amount);
    expect(deviation, `${work}: ${JSON.stringify(measured)}. ${remedy}`).toBeLessThanOrEqual(amount / 10);
  }
};

test('a run without a home that is due reads the index and the companies', async () => {
  const sandbox = await openAtRest();
  world.proxy.begin();
  expect((await sandbox.runSchedule()).sent).toEqual([]);
  const consumed = consumedUnits(world.proxy.exchanges);
  const total = (name: 'readUnits' | 'writeUnits') => consumed.reduce((sum, units) => sum + units[name], 0);
  const { events: _, ...expected } = sandboxMeasurements['a run without a home that is due'];
  expect({ readUnits: total('readUnits'), writeUnits: total('writeUnits') }).toEqual(expected);
});

test('a day of a home at rest consumes what the page on the sandbox says', async () => {
  expectLike(await measure(await openAtRest(), 24, 60), 'a day of a home at rest');
});

test('an hour of a home in use consumes what the page on the sandbox says', async () => {
  const sandbox = await openAtRest();
  await sandbox.deliver([changeOf(gatewayId, 2, 24)]);
  expectLike(await measure(sandbox, 60, 1), 'an hour of a home in use');
});
