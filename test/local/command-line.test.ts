import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readOptions } from '../../local/command-line.ts';

test('without an option the demo world is served on the documented port, and forgotten afterwards', () => {
  expect(readOptions([])).toEqual({
    service: {
      port: 8443,
      directory: expect.stringMatching(/\.local$/),
      keepData: false,
      isEmpty: false,
      isWithoutBackend: false,
      dynamoDbEndpoint: undefined,
      inspect: undefined,
    },
    isWatched: false,
  });
});

test('another directory is one in the working directory, for a run beside the first', () => {
  const { service } = readOptions(['--directory', '.local/second', '--port', '9443']);
  expect(service).toMatchObject({ directory: resolve('.local/second'), port: 9443 });
});

describe('an option that is wrong is refused with what to write instead', () => {
  test.each([
    ['an unknown option', ['--prot', '1'], /^Unknown option '--prot'\. Known are .*\.$/],
    ['an argument', ['8443'], /^Unexpected argument '8443'\. Known are .*\.$/],
    ['no port', ['--port', '65536'], /^--port 65536 is no port; write a number from 0 .* to 65535\.$/],
    [
      'no operation to inspect',
      ['--inspect', 'getContrat'],
      /^--inspect getContrat is no operation; known are .*getContract.*\.$/,
    ],
    ['what excludes each other', ['--keep', '--empty'], /^--empty and --keep exclude each other: .*\.$/],
    ['no endpoint', ['--dynamodb-endpoint', 'x'], /^--dynamodb-endpoint x is none; write one like .*\.$/],
  ])('%s', (_, args, sentence) => {
    expect(() => readOptions(args)).toThrow(sentence);
  });
});
