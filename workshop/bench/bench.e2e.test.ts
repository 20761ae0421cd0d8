import { expect, test, vi } from 'vitest';
import { proven } from '../../test/support/campaign.ts';
import { compareCalls } from './call-comparison.ts';
import { compareCallCost } from './call-cost.ts';
import { compareLoading } from './loading-comparison.ts';

test('the loading comparison runs: the bundled functions find their imports', proven, async () => {
  const said = vi.spyOn(console, 'log').mockReturnValue();
  await compareLoading(1);
  expect(said.mock.calls.join('\n')).toMatch(/ratio {2}\d+\.\d\d/);
});

test('the comparisons of calls run: every call is answered', proven, async () => {
  const said = vi.spyOn(console, 'log').mockReturnValue();
  await compareCallCost(1, 10);
  expect(said.mock.calls.join('\n')).toMatch(/its two store commands alone +\d+\.\d\d ms/);
  await compareCalls(2);
  expect(said.mock.calls.join('\n')).toMatch(/key and request +p50 \d+\.\d ms/);
});
