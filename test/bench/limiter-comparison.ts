import { type Limiter, limiters } from './limiters.ts';
import { median, quantile } from './statistics.ts';
import { openStore } from './store.ts';

const rounds = 5;
const sliceMs = 500;
const inFlightCounts = [1, 8, 64];
const bucketCounts = [1, 10_000];

type Slice = { readonly latenciesMs: readonly number[]; readonly refused: number; readonly decisionsPerSecond: number };

/** Decisions per second and latencies of four limiters, in turn on one DynamoDB Local, on one hot bucket and on many. */
export const compareLimiters = async (): Promise<void> => {
  const store = await openStore();
  const contenders = Object.entries(await limiters(store));
  for (const [, limiter] of contenders) await runSlice(limiter, 64, 1000);

  console.log(
    `Limiters on DynamoDB Local, ${rounds} rounds of ${sliceMs} ms in turn; all requests ought to be admitted`,
  );
  console.log(row('buckets', 'in flight', 'limiter', 'decisions/s', 'of bare', 'p50 ms', 'p99 ms', 'wrongly refused'));
  for (const bucketCount of bucketCounts)
    for (const inFlight of inFlightCounts) {
      const slices: Record<string, Slice[]> = {};
      for (let round = 0; round < rounds; round++)
        for (const [name, limiter] of contenders)
          slices[name] = [...(slices[name] ?? []), await runSlice(limiter, inFlight, bucketCount)];
      print(bucketCount, inFlight, slices);
    }
  await store.close();
};

/** Keeps that many decisions in flight for the time of a slice. */
const runSlice = async (limiter: Limiter, inFlight: number, bucketCount: number): Promise<Slice> => {
  const latenciesMs: number[] = [];
  let refused = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + sliceMs;
  const worker = async () => {
    while (performance.now() < endsAt) {
      const bucketId = `${bucketCount}/${Math.floor(Math.random() * bucketCount)}`;
      const decisionStartedAt = performance.now();
      if (!(await limiter(bucketId))) refused++;
      latenciesMs.push(performance.now() - decisionStartedAt);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { latenciesMs, refused, decisionsPerSecond: (latenciesMs.length * 1000) / (performance.now() - startedAt) };
};

const print = (bucketCount: number, inFlight: number, slices: Readonly<Record<string, readonly Slice[]>>): void => {
  const rate = (name: string) => median((slices[name] ?? []).map(({ decisionsPerSecond }) => decisionsPerSecond));
  for (const [name, own] of Object.entries(slices)) {
    const latenciesMs = own.flatMap((slice) => slice.latenciesMs);
    const refused = own.reduce((sum, slice) => sum + slice.refused, 0);
    console.log(
      row(
        bucketCount === 1 ? '1 (hot)' : String(bucketCount),
        String(inFlight),
        name,
        rate(name).toFixed(0),
        (rate(name) / rate('bare UpdateItem')).toFixed(2),
        median(latenciesMs).toFixed(1),
        quantile(latenciesMs, 0.99).toFixed(1),
        `${((100 * refused) / latenciesMs.length).toFixed(1)} %`,
      ),
    );
  }
};

const widths = [9, 10, 30, 12, 9, 9, 9, 16];
const row = (...cells: string[]): string =>
  cells.map((cell, column) => (column === 2 ? cell.padEnd(30) : cell.padStart(widths[column] ?? 0))).join('  ');
