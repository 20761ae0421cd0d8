import { globSync } from 'node:fs';
import { matchesGlob, resolve } from 'node:path';
import { expect, test } from 'vitest';
import campaigns from '../../workshop/vitest.config.ts';

const { forceRerunTriggers = [] } = campaigns({ mode: 'test', command: 'serve' }).test ?? {};
const playsAll = (file: string): boolean => forceRerunTriggers.some((glob) => matchesGlob(resolve(file), glob));

test('a change of any file of the functions plays the samples of all campaigns: no import leads from a campaign to each', () => {
  const files = globSync('lambdas/**/*.ts');
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => !playsAll(file))).toEqual([]);
});

test('a change of one test plays the samples in its own file alone', () => {
  expect(globSync('{test,workshop}/**/*.test.ts').filter(playsAll)).toEqual([]);
});
