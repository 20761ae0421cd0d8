import { expect, test } from 'vitest';
import { createBell } from '../../../partner/client/events.ts';
import { wait } from '../../../partner/client/responses.ts';

/** A bell whose time is over when the test says so. */
const openScene = () => {
  const waits: { seconds: number; end: () => void }[] = [];
  const bell = createBell({
    atLeastEverySeconds: 60,
    wait: (seconds, signal) =>
      new Promise((resolve, reject) => {
        waits.push({ seconds, end: resolve });
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  return { bell, waits };
};

test('a ring ends the wait', async () => {
  const { bell, waits } = openScene();
  const rung = bell.rung();
  bell.ring();
  await rung;
  expect(waits).toMatchObject([{ seconds: 60 }]);
});

test('a ring from before the wait is not lost, and counts once', async () => {
  const { bell, waits } = openScene();
  bell.ring();
  bell.ring();
  await bell.rung();
  expect(waits).toEqual([]);
  const next = bell.rung();
  expect(waits).toHaveLength(1);
  waits[0]?.end();
  await next;
});

test('one that ended a wait is not heard again in the next', async () => {
  const { bell, waits } = openScene();
  const first = bell.rung();
  bell.ring();
  await first;
  const second = bell.rung();
  expect(waits).toHaveLength(2);
  waits[1]?.end();
  await second;
});

test('without a ring the wait ends when its time is over', async () => {
  const { bell, waits } = openScene();
  const rung = bell.rung();
  waits[0]?.end();
  await rung;
});

test('an abort ends the wait with its reason, before and while it lasts', async () => {
  const bell = createBell({ wait });
  const stopping = new AbortController();
  const rung = bell.rung(stopping.signal);
  stopping.abort(new Error('stopped'));
  await expect(rung).rejects.toThrow('stopped');
  bell.ring();
  await expect(bell.rung(stopping.signal)).rejects.toThrow('stopped');
});
