import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { bundleHandlers } from '../../infra/functions/bundle.ts';
import { generateKey } from '../../lambdas/domain/api-keys/api-key.ts';
import { median, quantile } from './statistics.ts';
import { type BenchStore, openStore } from './store.ts';

/** Load and first store call of a function, against the same libraries bundled without care; in turn, one process each. */
export const compareLoading = async (pairs = 25): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'loading-'));
  const store = await openStore();
  const [ours, plain] = [
    join(bundleHandlers(directory).bundles.getContract.folder, 'index.mjs'),
    bundlePlain(directory),
  ];
  const durationsMs: { ours: number; plain: number }[] = [];
  for (let pair = 0; pair <= pairs; pair++)
    durationsMs.push({ ours: await probe(ours, store), plain: await probe(plain, store) });
  durationsMs.shift(); // The first pair warms the file cache.
  await store.close();
  rmSync(directory, { recursive: true });

  console.log(`Load + first store call, Node ${process.version}, ${pairs} pairs in turn`);
  for (const name of ['ours', 'plain'] as const) {
    const values = durationsMs.map((pair) => pair[name]);
    console.log(
      `  ${name.padEnd(6)} median ${median(values).toFixed(1)} ms, p90 ${quantile(values, 0.9).toFixed(1)} ms`,
    );
  }
  const ratio = median(durationsMs.map((pair) => pair.ours / pair.plain));
  console.log(`  ratio  ${ratio.toFixed(2)} (median of the pairs; budget 0.75)\n`);
};

const bundlePlain = (directory: string): string => {
  const outfile = join(directory, 'plain.mjs');
  buildSync({
    entryPoints: [join(import.meta.dirname, 'plain-handler.ts')],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
};

const { apiKey } = generateKey('nobody', Date.now());

const probe = async (bundle: string, { variables }: BenchStore): Promise<number> => {
  const { stderr } = await promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, 'loading-probe.mjs'), bundle, apiKey],
    { env: { ...variables } },
  );
  return Number(stderr);
};
