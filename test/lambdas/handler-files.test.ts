import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { consumerNames } from '../../lambdas/api/consumers.ts';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { jobNames } from '../../lambdas/api/jobs.ts';

/** Bundles, functions and their names follow from the rows, so the rows and the files have to be the same. */
describe.each([
  ['lambdas/handlers', operationIds, 'lambdas/api/endpoints/endpoints.ts'],
  ['lambdas/jobs', jobNames, 'lambdas/api/jobs.ts'],
  ['lambdas/consumers', consumerNames, 'lambdas/api/consumers.ts'],
])('%s', (folder, names, rowsFile) => {
  const files = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''));

  test(`has a file for each row of ${rowsFile}`, () => {
    expect(names.filter((name) => !files.includes(name)).map((name) => `${folder}/${name}.ts is missing`)).toEqual([]);
  });

  test(`has a row in ${rowsFile} for each file`, () => {
    expect(files.filter((name) => !(names as string[]).includes(name)).map((name) => `no row ${name}`)).toEqual([]);
  });
});

test.each(operationIds)('lambdas/handlers/%s.ts serves the operation that it is named after', (operationId) => {
  const [, served] = readFileSync(`lambdas/handlers/${operationId}.ts`, 'utf8').match(/\bserve\(\s*'(\w+)'/) ?? [];
  expect(served).toBe(operationId);
});
