import { expect, test, vi } from 'vitest';
import { compareLoading } from './loading-comparison.ts';

test('the comparison of loading times runs: the functions as bundled find all that they need', async () => {
  const said = vi.spyOn(console, 'log').mockReturnValue();
  await compareLoading(1);
  expect(said.mock.calls.join('\n')).toMatch(/ratio {2}\d\.\d\d/);
});
