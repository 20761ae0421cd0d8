import { prepareContract } from './bench-company.ts';
import { consumers } from './growth-consumers.ts';
import { beginMs, operations, type Work } from './growth-operations.ts';
import { metered, openStore } from './store.ts';

/** How often the work of one size is done: first without a measurement, since the first times are slower. */
type Rounds = { readonly warm: number; readonly measured: number };

/**
 * Prints how the work of each operation and consumer grows: processor time, calls and units of the store, and the bytes
 * that it answers or takes in. Work that grows by more than these bytes is marked.
 */
export const measureGrowth = async (rounds: Rounds = { warm: 10, measured: 30 }): Promise<void> => {
  const { store: bare, close } = await openStore();
  const { store, used } = metered(bare);
  console.log('Work by the size of what it is about: ms of processor time, calls, read and write units, bytes');
  for (const [index, { what, sizes = [1, 10, 100], prepare }] of [...operations, ...consumers].entries()) {
    const measured = [];
    for (const size of sizes) {
      const company = await prepareContract(store, `growth${index}x${size}`);
      const work = await prepare({ store, company }, size);
      measured.push({ size, ...(await measure(work, used, rounds)) });
    }
    const [first, last] = [measured[0], measured.at(-1)];
    const isFaster = first && last && unitsOf(last) / unitsOf(first) > 1.2 * (last.bytes / first.bytes);
    console.log(`  ${what}${isFaster ? ' (!)' : ''}`);
    for (const { size, cpuMs, calls, reads, writes, bytes } of measured)
      console.log(
        `    ${String(size).padStart(3)}: ${cpuMs.toFixed(2).padStart(6)} ms ${calls.toFixed(1).padStart(6)} calls ${reads.toFixed(1).padStart(6)} ${writes.toFixed(1).padStart(6)} units ${bytes.toFixed(0).padStart(7)} bytes`,
      );
  }
  await close();
  console.log('');
};

type Measured = Awaited<ReturnType<typeof measure>>;

const unitsOf = ({ reads, writes }: Measured): number => reads + writes;

/** Does the work again and again; returns what one time takes. */
const measure = async (work: Work, used: ReturnType<typeof metered>['used'], rounds: Rounds) => {
  let [before, bytes] = [process.cpuUsage(), 0];
  for (let round = -rounds.warm; round < rounds.measured; round++) {
    if (round === 0) {
      used();
      before = process.cpuUsage();
    }
    // Slower than each bucket refills.
    bytes = await work(beginMs + (round + rounds.warm + 1) * 60_000);
  }
  const { user, system } = process.cpuUsage(before);
  const { calls, reads, writes } = used();
  const each = (sum: number) => sum / rounds.measured;
  return { cpuMs: each((user + system) / 1000), calls: each(calls), reads: each(reads), writes: each(writes), bytes };
};
