import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import stringWidth from 'string-width';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { changeView } from '../../operator/cli/make-change.ts';
import { formatView, type Level, print, printView } from '../../operator/cli/output.ts';

/** A stream with the properties of a terminal, which knows the variables of this process but for those of a CI machine. */
const terminal = () =>
  Object.assign(new PassThrough(), {
    isTTY: true,
    getColorDepth: () =>
      WriteStream.prototype.getColorDepth({ NO_COLOR: process.env.NO_COLOR, TERM: 'xterm-256color' }),
  });

const textIn = (stream: PassThrough): string => stream.read()?.toString() ?? '';

const view = [{ rows: ['ok', 'warning', 'error'].map((level) => ({ level: { word: level, level: level as Level } })) }];

describe('levels', () => {
  afterEach(() => vi.unstubAllEnvs());

  test.each([
    ['ok', '\u001b[32m'],
    ['warning', '\u001b[33m'],
    ['error', '\u001b[31m'],
  ] as const)('%s has its colour on a terminal, line by line', (level, color) => {
    vi.stubEnv('NO_COLOR', undefined);
    vi.stubEnv('FORCE_COLOR', undefined);
    const stream = terminal();
    print(stream, 'one\ntwo\n', level);
    printView(stream, view);
    const text = textIn(stream);
    expect(text).toContain(`${color}one\u001b[39m\n${color}two\u001b[39m\n`);
    expect(text).toContain(`${color}${level}\u001b[39m`);
  });

  test.each([
    ['elsewhere', () => new PassThrough(), {}],
    ['elsewhere, whatever FORCE_COLOR says', () => new PassThrough(), { FORCE_COLOR: '1' }],
    ['on a terminal with NO_COLOR', terminal, { NO_COLOR: '1' }],
  ])('have no colour %s', (_, open, variables) => {
    vi.stubEnv('FORCE_COLOR', undefined);
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const stream = open();
    print(stream, 'one\n', 'error');
    printView(stream, view);
    expect(textIn(stream)).toBe(`one\n${formatView(view)}`);
  });

  test('values, titles and texts cannot add colours', () => {
    const stream = terminal();
    printView(stream, [
      { title: '\u001b[31mt', fields: { name: '\u001b[31mn' } },
      { title: 'x', text: '\u001b[31mt' },
    ]);
    expect(textIn(stream)).toBe('t\nname  n\n\nx\nt\n');
  });
});

test.each(['שלום', '株式会社', '👩‍🔧 Co', 'é', 'Büro', 'long enough for all'])('aligns the column after %s', (name) => {
  const rows = [
    { name: 'A company', state: 'active' },
    { name, state: 'active' },
  ];
  const starts = formatView([{ rows }])
    .trimEnd()
    .split('\n')
    .map((line) => stringWidth(line.slice(0, line.search(/STATE|active/))));
  expect(new Set(starts).size).toBe(1);
  expect(starts[0]).toBe(Math.max('A company'.length, stringWidth(name)) + 2);
});

describe('the differences of a change', () => {
  const change = { companyId: 'acme', outcome: 'changed' as const };
  const claimed = { what: 'stateClaimedAt', before: null, after: '2036-03-10T12:01:00Z' };

  test('leave out times that only order facts', () => {
    const state = { what: 'state', before: 'active', after: 'ended' };
    const since = { what: 'since', before: null, after: '2036-03-10T12:00:00Z' };
    const text = formatView(changeView({ ...change, differences: [state, claimed, since] }));
    expect(text).toMatch(/state +active +ended\nsince +- +2036/);
    expect(text).not.toContain('Claimed');
  });

  test('keep those times if there are no other differences', () => {
    expect(formatView(changeView({ ...change, differences: [claimed] }))).toContain('stateClaimedAt');
  });
});
