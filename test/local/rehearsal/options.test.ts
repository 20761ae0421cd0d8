import { expect, test } from 'vitest';
import { readOptions } from '../../../local/rehearsal/options.ts';

test('without an option the healthy scenario is played for three shown hours, on any free port', () => {
  expect(readOptions([])).toEqual({ name: 'healthy', seconds: 36, port: 0 });
});

test.each([
  ['an unknown option', ['--scenari', 'x'], /^Unknown option '--scenari'\. Known are .*\.$/],
  ['no scenario', ['--scenario', 'toString'], /^--scenario toString is none; known are healthy, .*silence\.$/],
  ['too short a run', ['--seconds', '5'], /^--seconds 5 is none; write a whole number from 6 to 600\.$/],
  ['no port', ['--port', '65536'], /^--port 65536 is no port; write a number from 0 .* to 65535\.$/],
])('%s is refused with what to write instead', (_, args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence);
});
