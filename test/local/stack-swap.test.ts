import { expect, test } from 'vitest';
import { inOneLine } from '../../local/stack-swap.ts';

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
