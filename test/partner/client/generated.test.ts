import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { apiVersion } from '../../../lambdas/api/version.ts';
import { generatedFiles } from '../../../partner/client/build/generated-files.ts';

test('client/generated is what `npm run client` writes', async () => {
  for (const [file, text] of Object.entries(await generatedFiles()))
    expect(readFileSync(`partner/client/generated/${file}`, 'utf8') === text, file).toBe(true);
});

test('the version of the client follows the API’s', () => {
  expect(JSON.parse(readFileSync('partner/client/package.json', 'utf8')).version).toMatch(
    new RegExp(`^${apiVersion}\\.\\d+$`),
  );
});
