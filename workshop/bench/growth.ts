import { prepareContract } from './bench-company.ts';
import { consumers } from './growth-consumers.ts';
import { beginMs, operations, type Subject } from './growth-operations.ts';
import { metered, openStore } from './store.ts';

const rounds = { warm: 10, measured: 30 } as const;

/**
 * Prints for each operation and consumer how its work grows: processor time, calls and units of the store, beside the bytes
 * that it answers or takes in. Work that grows by more than these bytes is marked.
 */
export const measureGrowth = async (subjects: readonly Subject[] = [...operations, ...consumers]): Promise<void> => {
  const { store: bare, close } = await openStore();
  const { store, used } = metered(bare);
  console.log('Work by the size of what it is about: ms of processor time, calls, read and write units, bytes');
  for (const [index, { what, sizes = [1, 10, 100], prepare }] of subjects.entries()) {
    const measured = [];
    for (const size of sizes) {
      const company = await prepareContract(store, `growth${index}x${size}`);
      const work = await prepare({ store, company }, size);
      measured.push({ size, ...(await measure(work, used)) });
    }
    const [first, last] = [measured[0], measured.at(-1)];
    const isFaster = first && last && last.units / first.units > 1.2 * (last.bytes / first.bytes);
    console.log(`  ${what}${isFaster ? ' (!)' : ''}`);
    for (const { size, cpuMs, calls, reads, writes, bytes } of measured)
      console.log(
        `    ${String(size).padStart(3)}: ${cpuMs.toFixed(2).padStart(6)} ms ${calls.toFixed(1).padStart(6)} calls ${reads.toFixed(1).padStart(6)} ${writes.toFixed(1).padStart(6)} units ${bytes.toFixed(0).padStart(7)} bytes`,
      );
  }
  await close();
  console.log('');
};

const measure = async (work: (nowMs: number) => Promise<number>, used: ReturnType<typeof metered>['used']) => {
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
  const sum = used();
  const [reads, writes, calls] = [sum.reads, sum.writes, sum.calls].map((each) => each / rounds.measured) as [
    number,
    number,
    number,
  ];
  return { cpuMs: (user + system) / 1000 / rounds.measured, calls, reads, writes, units: reads + writes, bytes };
};
