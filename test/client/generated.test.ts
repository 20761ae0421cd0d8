import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generatedFiles } from '../../client/build/generated-files.ts';
import { apiVersion } from '../../lambdas/api/version.ts';

test('client/generated is what `npm run client` writes', async () => {
  for (const [file, text] of Object.entries(await generatedFiles()))
    expect(readFileSync(`client/generated/${file}`, 'utf8') === text, file).toBe(true);
});

test('the version of the client follows the API’s', () => {
  expect(JSON.parse(readFileSync('client/package.json', 'utf8')).version).toMatch(new RegExp(`^${apiVersion}\\.\\d+$`));
});
