import { feedEventTypes } from '../../../lambdas/api/schemas/feed.ts';
import {
  type Action,
  type Answer,
  forEach,
  json,
  prefixed,
  problem,
  type Scenario,
  type Scenarios,
} from './scenario.ts';

type Page = { types?: readonly string[]; next: string; hasMore?: boolean; withheld?: number; seconds?: string };

const eventOf = (id: string, type: string) => ({
  id,
  type,
  at: '2036-03-10T12:00:00Z',
  resource: '/contract',
  data: {},
});

/** Returns a page of the feed. The id of an event is the next cursor and the position in the page: `b.0`. */
const page = ({ types = [], next, hasMore = false, withheld = 0, seconds = '7' }: Page) => {
  const items = types.map((type, index) => eventOf(`${next}.${index}`, type));
  return json(200, { items, nextCursor: next, hasMore, withheld }, { 'x-poll-interval': seconds });
};

/** The answer to a cursor whose next events are deleted; the feed continues at the cursor `old`. */
const expired = json(
  410,
  { code: 'cursor-expired', status: 410, title: 'A title', detail: 'A detail.', oldestCursor: 'old' },
  { 'content-type': 'application/problem+json' },
);

const change = 'circuit.changed';
const follow = { do: 'follow', kept: 'a' } as const;

/** A program that follows the feed from the cursor `a` until the service refuses. */
const untilRefusal = (pages: readonly Answer[], steps: string, program: Action = follow): Scenario => ({
  program: [program],
  answers: [...pages, problem(403, 'company-suspended')],
  steps,
  outcome: { ok: false, code: 'company-suspended' },
});

/** A program that follows the feed from the cursor `a`, reads one page, and ends at a step. */
const endingAt = (step: number, by: 'stop' | 'crash', given: Answer, steps: string): Scenario => ({
  program: [follow],
  answers: [given],
  interruption: { step, by },
  steps,
  outcome: { ok: false, code: by === 'stop' ? 'stopped' : 'crash' },
});

const [readA, readB, readC] = ['GET /events?after=a', 'GET /events?after=b', 'GET /events?after=c'];
const twoEvents = page({ types: [change, change], next: 'b', hasMore: true });
const hidden = page({ next: 'b', withheld: 1 });
const oneEvent = page({ types: [change], next: 'b' });

const cursor: Scenarios = {
  'is kept only after all events of its page were consumed': untilRefusal(
    [twoEvents, page({ types: [change], next: 'c' })],
    `${readA}, b.0, b.1, keeps b, ${readB}, c.0, keeps c, waits 7, ${readC}`,
  ),
  'is not kept again while the feed has no more events': untilRefusal(
    [page({ next: 'a' }), page({ next: 'a' })],
    `${readA}, waits 7, ${readA}, waits 7, ${readA}`,
  ),
  'starts after the newest event if none was kept, and is read before the state': untilRefusal(
    [page({ next: 'a' }), oneEvent],
    `GET /events?after=latest, reads state: begin, keeps a, ${readA}, b.0, keeps b, waits 7, ${readB}`,
    { do: 'follow' },
  ),
  'is not kept if the service refuses': untilRefusal([], readA),
  'is sent with the page size of the program': untilRefusal([], `${readA}&limit=10`, { ...follow, pageSize: 10 }),
  'is not kept if the program stops within the page': endingAt(2, 'stop', twoEvents, `${readA}, b.0`),
  'is not kept if the program crashes within the page': endingAt(3, 'crash', twoEvents, `${readA}, b.0, b.1`),
};

const accessTypes = ['consent.changed', 'contract.changed', 'gateway.added'];
const otherTypes = Object.keys(feedEventTypes).filter((type) => !accessTypes.includes(type));

/** The client reads the state after the events of a page, and before it keeps the cursor of the page. */
const readsState = (because: string, types: readonly string[], withheld = 0): Scenario => {
  const ids = types.map((_, index) => `b.${index}`).join(', ');
  return untilRefusal(
    [page({ types, next: 'b', withheld })],
    `${readA}, ${ids}, reads state: ${because}, keeps b, waits 7, ${readB}`,
  );
};

const state: Scenarios = {
  'after an expired cursor, before the oldest event that is kept': untilRefusal(
    [expired, oneEvent],
    `${readA}, reads state: cursor-expired, keeps old, GET /events?after=old, b.0, keeps b, waits 7, ${readB}`,
  ),
  'because events were withheld': readsState('withheld', [change], 2),
  ...forEach(accessTypes, (type) => [`because of ${type}`, readsState('access-changed', [type])]),
  'once per page, however many of its events require it': readsState('withheld', [...accessTypes, ...accessTypes], 1),
  'again if the read fails, because no cursor is kept': endingAt(2, 'crash', hidden, `${readA}, reads state: withheld`),
  'for no other event types': untilRefusal(
    [page({ types: otherTypes, next: 'b' })],
    `${readA}, ${otherTypes.map((_, index) => `b.${index}`).join(', ')}, keeps b, waits 7, ${readB}`,
  ),
};

const away: readonly Answer[] = [
  ...Array<Answer>(8).fill({ fault: 'lost' }),
  problem(500, 'internal-error'),
  problem(503, 'service-unavailable', { 'retry-after': '86400' }),
];
const waits = [1, 2, 4, 8, 16, 32, 64, 64, 64, 3600].map((seconds) => `waits ${seconds}, ${readA}`).join(', ');

const outages: Scenarios = {
  'longer than the patience ends the loop': {
    ...untilRefusal(
      [],
      [1, 2, 4, 8].reduce((steps, seconds) => `${steps}, waits ${seconds}, ${readA}`, readA ?? ''),
    ),
    answers: [{ fault: 'lost' }],
    outcome: { ok: false, code: 'no-answer' },
  },
  'of any length does not, if the program says so': untilRefusal(
    [...away, oneEvent],
    `${readA}, ${waits}, b.0, keeps b, waits 7, ${readB}`,
    { ...follow, forever: true },
  ),
  'is not a refusal': untilRefusal([], readA, { ...follow, forever: true }),
};

/** The second page does not move the cursor: more events follow, but none that is visible yet. */
const stalled = [page({ next: 'b', hasMore: true }), page({ next: 'b', hasMore: true }), page({ next: 'c' })];
const intervals = { '12': 12, '': 5, soon: 5, '0': 5, '-1': 5 };

const polling: Scenarios = {
  'continues at once while there are more events, unless the page did not move the cursor': untilRefusal(
    stalled,
    `${readA}, keeps b, ${readB}, waits 7, ${readB}, keeps c, waits 7, ${readC}`,
  ),
  'calls the function of the program instead if there are no more events': untilRefusal(
    stalled,
    `${readA}, keeps b, ${readB}, waits 7, ${readB}, keeps c, waits for the program, ${readC}`,
    { ...follow, hasUntilNext: true },
  ),
  ...forEach(Object.entries(intervals), ([seconds, waited]) => [
    `waits ${waited} seconds if the poll interval is '${seconds}'`,
    untilRefusal([page({ next: 'a', seconds })], `${readA}, waits ${waited}, ${readA}`),
  ]),
  'ends the wait if the program stops': endingAt(2, 'stop', page({ next: 'a' }), `${readA}, waits 7`),
};

export const events: Scenarios = {
  ...prefixed('the cursor', cursor),
  ...prefixed('the client reads the state', state),
  ...prefixed('between two pages, the client', polling),
  ...prefixed('an outage', outages),
  'an event is returned unchanged, and a newer type is marked as unknown': {
    ...untilRefusal(
      [page({ types: [change, 'toString'], next: 'b' })],
      `${readA}, b.0, b.1, keeps b, waits 7, ${readB}`,
    ),
    outcome: {
      code: 'company-suspended',
      events: [eventOf('b.0', change), { ...eventOf('b.1', 'unknown-event'), newType: 'toString' }],
    },
  },
};
