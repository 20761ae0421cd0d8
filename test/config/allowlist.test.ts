import { expect, test } from 'vitest';
import { compileAllowlist } from '../../config/allowlist.ts';
import { loadStageConfig } from '../../config/load.ts';

test('a block that several companies share stands in the allowlist once', () => {
  expect(compileAllowlist(loadStageConfig('local').companies)).toEqual(['127.0.0.1/32', '127.0.0.2/32']);
});

test('the order of the companies does not matter: the same registrations are the same policy', () => {
  const { companies } = loadStageConfig('example');
  expect(compileAllowlist([...companies].reverse())).toEqual(compileAllowlist(companies));
});
