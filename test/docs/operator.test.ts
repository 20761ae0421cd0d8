import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { manualFile, manualOf } from '../../operator/cli/manual.ts';
import { commands } from '../../operator/commands.ts';

test('the list of the operator’s commands is that of the rows; npm run docs:operator writes it anew', () => {
  expect(readFileSync(manualFile, 'utf8')).toBe(manualOf(commands));
});
