import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { apiVersion } from '../../../lambdas/api/version.ts';

test('the version of the client follows the version of the API', () => {
  expect(JSON.parse(readFileSync('partner/client/package.json', 'utf8')).version).toMatch(
    new RegExp(`^${apiVersion}\\.\\d+$`),
  );
});
