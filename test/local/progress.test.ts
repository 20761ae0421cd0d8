import { expect, test, vi } from 'vitest';
import { createProgress } from '../../local/command-line.ts';

/** Returns what a terminal shows at the end: the last content of each line. */
const seenOn = (written: readonly string[]) =>
  written
    .join('')
    .split('\n')
    .map((line) => line.split('\r').at(-1));

test.each([
  [true, ['✓ Creating tables', '✓ Loading functions', '']],
  [false, ['✓ Creating tables', '✗ Loading functions', '']],
])('on a terminal, each part has one line, which says whether it is done: %s', (isDone, expected) => {
  const written: string[] = [];
  const { announce, end } = createProgress({ isTTY: true, write: (text) => written.push(text) });
  announce('Creating tables');
  announce('Loading functions');
  end({ isDone });
  end({ isDone });
  expect(seenOn(written)).toEqual(expected);
});

test('on a terminal, a spinner turns during each step and stops with the last one', () => {
  vi.useFakeTimers();
  const written: string[] = [];
  const { announce, end } = createProgress({ isTTY: true, write: (text) => written.push(text) });
  announce('Creating tables');
  vi.advanceTimersByTime(300);
  expect(new Set(written).size).toBe(4);
  end({ isDone: true });
  const length = written.length;
  vi.advanceTimersByTime(300);
  expect(written).toHaveLength(length);
  vi.useRealTimers();
});

test('elsewhere, each step prints one line when it begins, and one every 15 s until it ends', () => {
  vi.useFakeTimers();
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const { announce, end } = createProgress({ write: () => true });
  announce('Creating tables');
  vi.advanceTimersByTime(31_000);
  announce('Loading functions');
  vi.advanceTimersByTime(15_000);
  end({ isDone: true });
  vi.advanceTimersByTime(60_000);
  vi.useRealTimers();
  expect(write.mock.calls.map(([text]) => text)).toEqual([
    'Creating tables\n',
    'Creating tables: 15 s so far\n',
    'Creating tables: 30 s so far\n',
    'Loading functions\n',
    'Loading functions: 15 s so far\n',
  ]);
});
