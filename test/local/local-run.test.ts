import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { isForApiPage } from '../../local/api-page.ts';
import { help, inOneLine, isHelpWanted, printFault, readOptions } from '../../local/command-line.ts';

describe('api page', () => {
  test.each([
    ['/docs', true],
    ['/docs/', true],
    ['/docs?x', true],
    ['/docs/reference.html', true],
    ['/v1/docs', false],
    ['/docs-of-others', false],
    ['/', false],
  ])('a request for %s is for the page: %s', (url, expected) => {
    expect(isForApiPage(url)).toBe(expected);
  });
});

describe('command line', () => {
  test('serves the demo world on the documented port and keeps no data by default', () => {
    expect(readOptions([])).toEqual({
      service: {
        port: 8443,
        isOnAllAddresses: false,
        directory: expect.stringMatching(/\.local$/),
        keepData: false,
        isEmpty: false,
        isWithoutBackend: false,
        isWithoutFleet: false,
        forwardWebhooksTo: undefined,
        dynamoDbEndpoint: undefined,
        inspect: undefined,
      },
      isWatched: false,
    });
  });

  test('resolves another directory against the working directory', () => {
    const { service } = readOptions(['--directory', '.local/second', '--port', '9443']);
    expect(service).toMatchObject({ directory: resolve('.local/second'), port: 9443 });
  });

  test('listens on all addresses only with the option for it', () => {
    expect(readOptions(['--all-addresses']).service).toMatchObject({ port: 8443, isOnAllAddresses: true });
  });

  test('a replay has the folder of the run that received the message', () => {
    const { replay } = readOptions(['--replay', 'msg_1', '--forward-webhooks', 'http://localhost:9911/hook']);
    expect(replay).toEqual({ directory: resolve('.local'), id: 'msg_1', url: 'http://localhost:9911/hook' });
  });

  test('the help and the documentation have the same options', () => {
    const optionsIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name).toSorted();
    const [, table = ''] = /\n## Options\n(.*?)\n\n/s.exec(readFileSync('docs/local-run.md', 'utf8')) ?? [];
    expect(optionsIn(help(), /^ {2}--([\w-]+)/gm)).toEqual(
      optionsIn(table, /^\| `--([\w-]+)/gm)
        .concat('replay')
        .toSorted(),
    );
  });

  test.each([
    [['--help'], true],
    [['--prot', '1', '-h'], true],
    [['--port', '1'], false],
  ])('%j asks for help: %s', (args, expected) => {
    expect(isHelpWanted(args)).toBe(expected);
  });

  test.each([
    [
      { code: 'ENOSPC', path: '/data/demo.json' },
      /^The disk is full: \/data\/demo.json could not be written\. Make room, .*\n$/,
    ],
    [{ code: 'EDQUOT' }, /^The disk is full: a file could not be written\. .*\n$/],
    [new Error('A fault of ours'), /^Error: A fault of ours\n {4}at /],
    [undefined, /^undefined\n$/],
  ])('a fault that ends the program is a sentence where a person can mend it: %j', (fault, shown) => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    printFault(fault);
    expect(write.mock.calls.map(([text]) => text).join('')).toMatch(shown);
  });

  describe('refuses a wrong option and says what to write instead', () => {
    test.each([
      ['an unknown option', ['--prot', '1'], /^Unknown option '--prot'\. Options: .*\.$/],
      ['an argument', ['8443'], /^Unexpected argument '8443'\. Options: .*\.$/],
      ['no port', ['--port', '65536'], /^--port 65536 is not a port; write a number from 0 .* to 65535\.$/],
      [
        'no operation to inspect',
        ['--inspect', 'getContrat'],
        /^--inspect getContrat is not an operation; the operations and jobs are .*getContract.*\.$/,
      ],
      ['options that exclude each other', ['--keep', '--empty'], /^--empty and --keep exclude each other: .*\.$/],
      [
        'no receiver',
        ['--forward-webhooks', 'localhost:9911'],
        /^--forward-webhooks localhost:9911 is not a URL; write one .*\.$/,
      ],
      [
        'a replay to nobody',
        ['--replay', 'msg_1'],
        /^--replay names the webhook message to send; add --forward-webhooks .*\.$/,
      ],
      ['no endpoint', ['--dynamodb-endpoint', 'x'], /^--dynamodb-endpoint x is invalid; write a URL like .*\.$/],
    ])('%s', (_, args, sentence) => {
      expect(() => readOptions(args)).toThrow(sentence);
    });
  });
});

describe('stack swap', () => {
  const bundlerOutput = `cdk synth failed with exit code 1. It said:
✘ [ERROR] Expected ";" but found "x"

    lambdas/handlers/contract.ts:4:8:
      4 │ export x
        ╵        ^
Subprocess exited with error 1`;

  const nodeOutput = `cdk synth failed with exit code 1. It said:
file:///home/me/api/infra/stack.ts:12
const = 1;
      ^
SyntaxError: Unexpected token '='
    at compileSourceTextModule (node:internal/modules/esm/utils:346:16)`;

  test.each([
    ['the bundler', bundlerOutput, 'lambdas/handlers/contract.ts:4:8: Expected ";" but found "x"'],
    ['Node.js', nodeOutput, "/home/me/api/infra/stack.ts:12: Unexpected token '='"],
    ['a sentence', 'The table ApiKeys has other keys.', 'The table ApiKeys has other keys.'],
    ['lines without the word', 'first\nlast\n', 'last'],
  ])('%s: where the first error is, and what it says', (_, output, line) => {
    expect(inOneLine(new Error(output))).toBe(line);
  });
});
