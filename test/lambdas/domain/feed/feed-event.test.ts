import { expect, test } from 'vitest';
import { feedEventOf } from '../../../../lambdas/domain/feed-event.ts';

const fact = { type: 'function.blocked', atMs: 1000, gatewayId: 'gw-1', resource: '/hvacs/gw-1', data: {} } as const;
const eventOf = (part?: string, recordId = 'r', companyId = 'acme', userId?: string) =>
  feedEventOf(
    { ...fact, ...(part !== undefined && { part }), ...(userId !== undefined && { userId }) },
    { recordId },
    companyId,
  );

test('the id of an event follows from record, company, type and part, in every later version', () => {
  const ids = [eventOf(), eventOf('dhw'), eventOf('heating'), eventOf('dhw', 's'), eventOf('dhw', 'r', 'other')];
  expect(new Set(ids.map(({ id }) => id)).size).toBe(5);
  expect(eventOf('dhw').id).toBe('evt_wvqxl8m5Goz8cV-ulxoxSn');
});

test('an event says whose it is if it is somebody’s, and its part to nobody', () => {
  expect(eventOf('dhw', 'r', 'acme', 'owner-1')).toStrictEqual({ ...fact, id: eventOf('dhw').id, userId: 'owner-1' });
  expect(eventOf('dhw')).toStrictEqual({ ...fact, id: eventOf('dhw').id });
});
