import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { bundle } from '../../infra/functions/bundle.ts';
import { handlerFileOf } from '../../lambdas/api/endpoints/endpoints.ts';
import { median } from './store.ts';

/**
 * A function, and modules that load each of its libraries alone, bundled as functions are. The rest of the function is our own
 * code and the creation of the store's client.
 */
const modules = {
  'all of getContract': `${handlerFileOf('getContract')}?getContract`,
  'AWS SDK and smithy, with our lookup': 'lambdas/data/lookup.ts',
  'zod, with our endpoints’ schemas': 'lambdas/api/endpoints/endpoints.ts',
  middy: 'node_modules/@middy/core/index.js',
};

/** Libraries by the prefix of the package name; the SDK includes packages that only it uses. */
const families = { smithy: /^@smithy\//, zod: /^zod$/, middy: /^@middy\//, 'AWS SDK': /./ };

/**
 * Prints the size of each library in a function's bundle, and the processor time of loading it, which other work on the machine
 * disturbs little.
 */
export const weighBundleParts = async (loads = 15): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'parts-'));
  const { bundles, metafile } = await bundle(modules, directory);

  console.log('Bytes of the bundle of getContract, by library');
  const whole = outputOf(metafile, 'all of getContract');
  for (const [family, bytes] of Object.entries(bytesByFamily(whole)).toSorted(([, one], [, other]) => other - one))
    console.log(`  ${family.padEnd(8)} ${String(bytes).padStart(7)}  ${((100 * bytes) / whole.bytes).toFixed(0)} %`);

  console.log(`Processor time of loading, median of ${loads} processes in turn; a bundle’s own bytes beside it`);
  const builtins = builtinsOf(whole);
  const samples = Array.from({ length: loads }, () =>
    Object.values(bundles).map(({ folder }) => probe(join(folder, 'index.mjs'), builtins)),
  );
  const print = (name: string, values: readonly number[], bytes: number) =>
    console.log(`  ${name.padEnd(36)} ${median(values).toFixed(1).padStart(5)} ms  ${String(bytes).padStart(7)} bytes`);
  for (const [index, name] of Object.keys(modules).entries())
    print(
      name,
      samples.map((sample) => sample[index]?.ofBundleMs ?? Number.NaN),
      outputOf(metafile, name).bytes,
    );
  print(
    'Node’s own modules that it needs',
    samples.flatMap((sample) => sample.map(({ ofNodeMs }) => ofNodeMs)),
    0,
  );
  console.log('');
  rmSync(directory, { recursive: true });
};

type Output = Metafile['outputs'][string];

const outputOf = ({ outputs }: Metafile, name: string): Output => {
  const output = outputs[`${name}.mjs`];
  if (!output) throw new Error(`The bundle has no output ${name}.mjs; it has ${Object.keys(outputs).join(', ')}.`);
  return output;
};

const bytesByFamily = ({ inputs }: Output): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
    const packageName = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? '';
    const [family = 'ours'] = Object.entries(families).find(([, names]) => names.test(packageName)) ?? [];
    sums[family] = (sums[family] ?? 0) + bytesInOutput;
  }
  return sums;
};

const builtinsOf = ({ inputs }: Output): string[] =>
  Object.keys(inputs).flatMap((input) => /^builtin:(.*)/.exec(input)?.[1] ?? []);

type Probe = { readonly ofNodeMs: number; readonly ofBundleMs: number };

const probe = (file: string, builtins: readonly string[]): Probe =>
  JSON.parse(
    execFileSync(process.execPath, [join(import.meta.dirname, 'part-probe.mjs'), file, ...builtins], {
      env: { AWS_REGION: 'eu-central-1' },
      encoding: 'utf8',
    }),
  );
