import { readdirSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { printable, printJson } from '../../../operator/cli/output.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { onboard, openWorld } from '../../support/world.ts';

const codePoints = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));

/** What steers a terminal: C0 but for the line break, DEL and C1, and the marks of writing direction. */
const steering = [
  ...codePoints(0x00, 0x09),
  ...codePoints(0x0b, 0x1f),
  ...codePoints(0x7f, 0x9f),
  ...['\u061c', '\u200e', '\u200f', ...codePoints(0x202a, 0x202e), ...codePoints(0x2066, 0x2069)],
];
const steeringIn = (text: string) => steering.filter((character) => text.includes(character));

const hostile = `${steering.join('x')}\u001b[2J\u009b31m\u001b]0;title\u0007end`;

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

test('printed text keeps lines and letters and loses all that steers a terminal', () => {
  expect(steeringIn(printable(hostile))).toEqual([]);
  expect(printable('Größe\n„שלום“ 🔥 \u2028')).toBe('Größe\n„שלום“ 🔥 \u2028');
});

test('printed JSON means the same, and has nothing that steers a terminal', () => {
  const stream = new PassThrough();
  printJson(stream, { [hostile]: [hostile] });
  const text = stream.read().toString();
  expect(steeringIn(text)).toEqual([]);
  expect(JSON.parse(text)).toEqual({ [hostile]: [hostile] });
});

describe('a stored name, a reason and an operator that hold such characters', () => {
  test('reach no terminal raw, in any format', async () => {
    const { companyId } = await onboard(world.store, { name: hostile });
    const options = { ...world, operator: hostile };
    const outputs = [
      await operate(['company', 'suspend', companyId, '--reason', hostile], options),
      ...(await Promise.all(
        [
          ['company', 'list'],
          ['company', 'show', companyId],
          ['audit', 'list', companyId],
        ].flatMap((commandLine) => [operate(commandLine, options), operateForJson(commandLine, options)]),
      )),
      await operate(['company', 'show', hostile], options),
      await operate(['company', 'resume', companyId, `--${hostile}`], options),
    ];
    for (const { stdout, stderr } of outputs) expect(steeringIn(stdout + stderr)).toEqual([]);
    expect(
      outputs
        .map(({ stdout, stderr }) => stdout + stderr)
        .join('')
        .match(/end/g)?.length,
    ).toBeGreaterThan(5);
  });
});

test('only the one file that cleans text writes to a terminal', () => {
  const files = readdirSync('operator', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const writers = files.filter((name) =>
    /(stdout|stderr|stream)\.write\(/.test(readFileSync(`operator/${name}`, 'utf8')),
  );
  expect(writers.sort()).toEqual(['cli/output.ts']);
});
