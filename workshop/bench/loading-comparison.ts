import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { bundle } from '../../infra/functions/bundle.ts';
import { handlerFileOf } from '../../lambdas/api/endpoints/endpoints.ts';
import { generateKey } from '../../lambdas/domain/api-key.ts';
import { type BenchStore, median, openStore, quantile, runProbe } from './store.ts';

/**
 * Compares load and first store call of a function with the same libraries bundled without optimization, one process each, in
 * turn.
 */
export const compareLoading = async (pairs = 25): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'loading-'));
  const store = await openStore();
  const { bundles } = await bundle({ ours: `${handlerFileOf('getContract')}?getContract` }, directory);
  const [ours, plain] = [join(bundles.ours?.folder ?? '', 'index.mjs'), bundlePlain(directory)];
  const probes: { ours: Probe; plain: Probe }[] = [];
  for (let pair = 0; pair <= pairs; pair++)
    probes.push({ ours: await probe(ours, store), plain: await probe(plain, store) });
  probes.shift(); // The first pair warms the file cache.
  await store.close();
  rmSync(directory, { recursive: true });

  console.log(`Load + first store call, Node ${process.version}, ${pairs} pairs in turn`);
  for (const name of ['ours', 'plain'] as const) {
    const values = probes.map((pair) => pair[name].durationMs);
    const loadingMs = median(probes.map((pair) => pair[name].loadingMs));
    console.log(
      `  ${name.padEnd(6)} median ${median(values).toFixed(1)} ms (${loadingMs.toFixed(1)} ms of it loading), p90 ${quantile(values, 0.9).toFixed(1)} ms`,
    );
  }
  const ratio = (name: keyof Probe) => median(probes.map(({ ours, plain }) => ours[name] / plain[name])).toFixed(2);
  console.log(
    `  ratio  ${ratio('durationMs')} (median of the pairs; budget 0.75, goal 0.65), of processor time ${ratio('cpuMs')}\n`,
  );
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

type Probe = { readonly durationMs: number; readonly loadingMs: number; readonly cpuMs: number };

const probe = (bundle: string, store: BenchStore) => runProbe<Probe>('loading-probe.mjs', [bundle, apiKey], store);
