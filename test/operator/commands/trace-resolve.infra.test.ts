import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bundle, bundle, bundleHandlers } from '../../../infra/functions/bundle.ts';
import { condensedStack } from '../../../lambdas/api/log-events/stack-frames.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { proven } from '../../support/campaign.ts';
import { operate, operateForJson } from '../../support/operator.ts';

const away = mkdtempSync(join(tmpdir(), 'traces-'));
afterAll(() => rmSync(away, { recursive: true }));

/** The stack of a failing handler in a bundle as Lambda runs it: minified, alone, without its source map. */
const stackOf = ({ folder }: Bundle): string => {
  const script = `import(process.argv[1]).then(({ handler }) => handler()).catch(({ stack }) => console.log(stack))`;
  const file = join(folder, 'index.mjs');
  return execFileSync(process.execPath, ['--input-type=module', '-e', script, file], { cwd: away, encoding: 'utf8' });
};

/** The place of a text in a file. */
const placeOf = (file: string, text: string): string => {
  const lines = readFileSync(file, 'utf8').split('\n');
  const line = lines.findIndex((each) => each.includes(text));
  return `${file}:${line + 1}:${(lines[line]?.indexOf(text) ?? -1) + 1}`;
};

const options = { store: undefined as unknown as Store, directory: join(away, 'source-maps') };
const places = [
  placeOf('test/infra/functions/throwing-module.ts', 'new RangeError'),
  placeOf('test/infra/functions/throwing-handler.ts', "failIn('the depths')"),
];

let stack: string;
beforeAll(async () => {
  const { bundles } = await bundle({ throwing: 'test/infra/functions/throwing-handler.ts' }, away);
  stack = stackOf(bundles.throwing as Bundle);
});

const placesIn = async (stdin: string) => {
  const { exit, output } = await operateForJson(['trace', 'resolve'], { ...options, stdin });
  expect(exit).toBe('ok');
  return output.frames.map(({ place }: { place: string }) => place);
};

describe('trace resolve', () => {
  test('resolves the stack of a bundle to source lines', async () => {
    expect(stack).toMatch(/^RangeError: It failed in the depths\.\n +at \S+ \([0-9a-f]{12}\.mjs:\d+:\d+\)\n/);
    expect(stack).not.toContain('throwing-');
    expect(await placesIn(stack)).toEqual(places);
  });

  test('resolves the stack in the line of an event too', async () => {
    expect(await placesIn(JSON.stringify({ level: 'ERROR', stack: condensedStack(stack), status: 500 }))).toEqual(
      places,
    );
  });

  test('shows each frame once, with its number of occurrences', async () => {
    const { output } = await operateForJson(['trace', 'resolve'], { ...options, stdin: stack + stack });
    expect(output.frames).toMatchObject(places.map((place) => ({ place, times: 2 })));
  });

  test('names the bundle without a source map, and what to do', async () => {
    const unknown = 'at ze (00000000000a.mjs:25:39514)';
    const { exit, stdout } = await operate(['trace', 'resolve'], { ...options, stdin: `${stack}${unknown}` });
    expect(exit).toBe('not-found');
    expect(stdout).toContain(places[0]);
    expect(stdout).toContain('There is no source map of the bundle 00000000000a.');
    expect(stdout).toContain('npm run synth');
  });

  test('refuses a text without a frame, and shows an example', async () => {
    const { exit, stderr } = await operate(['trace', 'resolve'], { ...options, stdin: 'Error: nothing' });
    expect([exit, stderr]).toEqual(['usage', expect.stringContaining('3f9a2c1d4e5f.mjs:25:39514')]);
  });
});

test('the program finds the source maps where the synth writes them', proven, async () => {
  const { bundles } = await bundleHandlers();
  const stackOfHandler = stackOf(bundles.watchKeyExpiry);
  const found = execFileSync(process.execPath, ['operator/main.ts', 'trace', 'resolve'], {
    input: stackOfHandler,
    encoding: 'utf8',
  });
  expect(found).toMatch(/^lambdas\/jobs\/watchKeyExpiry\.ts:\d+:\d+ /m);
});
