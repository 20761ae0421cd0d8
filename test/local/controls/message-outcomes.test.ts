import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServedStack } from 'serve-stack';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { outcomesIn } from '../../../local/controls/message-outcomes.ts';

let log: (...lines: readonly object[]) => void;
let served: ServedStack;
beforeEach(() => {
  const logsDirectory = mkdtempSync(join(tmpdir(), 'outcomes-'));
  onTestFinished(() => rmSync(logsDirectory, { recursive: true }));
  served = { logsDirectory, version: () => ({ stack: { name: 'Stack' } }) } as unknown as ServedStack;
  const file = join(logsDirectory, 'Stack-takeGatewayReports.log');
  writeFileSync(file, '');
  log = (...lines) => appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
});

const outcomes = () => outcomesIn(served, 'takeGatewayReports');

test.each([
  ['a line of its own', { eventId: 'a', outcome: 'noted' }, 'noted'],
  ['a line with others', { eventIds: ['b', 'a'], outcome: 'applied' }, 'applied'],
])('the outcome of a message is read from %s', async (_, line, outcome) => {
  const outcomeOf = outcomes();
  log({ eventId: 'other', outcome: 'stale' }, line);
  expect(await outcomeOf('a')).toBe(outcome);
});

test('waits for the next delivery of a message that failed', async () => {
  const outcomeOf = outcomes();
  log({ eventId: 'a', outcome: 'failed' }, { eventId: 'b', outcome: 'gateway-not-found' });
  const [one, other] = [outcomeOf('a'), outcomeOf('b')];
  log({ eventId: 'a', outcome: 'applied' }, { eventId: 'b', outcome: 'stale' });
  expect([await one, await other]).toEqual(['applied', 'stale']);
});

test('throws an error with the outcome if the message was refused', async () => {
  const outcomeOf = outcomes();
  log({ eventId: 'a', outcome: 'future-time' });
  await expect(outcomeOf('a')).rejects.toThrow('The service refused the event (future-time).');
});

test('ignores log lines from before the call', async () => {
  log({ eventId: 'a', outcome: 'stale' });
  const outcome = outcomes()('a');
  log({ eventId: 'a', outcome: 'applied' });
  expect(await outcome).toBe('applied');
});
