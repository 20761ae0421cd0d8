import { beforeAll, expect, test } from 'vitest';
import { eventTypes } from '../../../partner/client/generated/event-types.ts';
import { expiredCursor, feedPage, problem, type Scripted, scriptedClient } from '../client/scripted.ts';
import { playScripted, python, rowsOf } from './driver.ts';

// Both clients play the same scenarios. The TypeScript client, which has its own tests, defines the expected results.

class Ended extends Error {}

type FeedScenario = {
  readonly script: readonly Scripted[];
  readonly kept?: string;
  readonly pageSize?: number;
  readonly untilNext?: boolean;
  readonly stateFails?: boolean;
};

const refusal = problem(403, 'company-suspended');
const change = 'circuit.changed';

const feeds: Readonly<Record<string, FeedScenario>> = {
  'two pages': {
    kept: 'a',
    script: [
      feedPage({ types: [change, change], next: 'b', hasMore: true }),
      feedPage({ types: [change], next: 'c' }),
      refusal,
    ],
  },
  'nothing new': { kept: 'a', script: [feedPage({ next: 'a' }), feedPage({ next: 'a' }), refusal] },
  'no cursor': { script: [feedPage({ next: 'a' }), feedPage({ types: [change], next: 'b' }), refusal] },
  'an expired cursor': { kept: 'a', script: [expiredCursor, feedPage({ types: [change], next: 'b' }), refusal] },
  'events that are withheld': { kept: 'a', script: [feedPage({ types: [change], next: 'b', withheld: 2 }), refusal] },
  'another access': {
    kept: 'a',
    script: [feedPage({ types: ['consent.changed', 'gateway.added'], next: 'b' }), refusal],
  },
  'another contract': { kept: 'a', script: [feedPage({ types: ['contract.changed'], next: 'b' }), refusal] },
  'another gateway': { kept: 'a', script: [feedPage({ types: ['gateway.added'], next: 'b' }), refusal] },
  'withheld events and another access': {
    kept: 'a',
    script: [feedPage({ types: ['consent.changed'], next: 'b', withheld: 1 }), refusal],
  },
  'every type, and a newer one': {
    kept: 'a',
    script: [feedPage({ types: [...eventTypes, 'toString'], next: 'b' }), refusal],
  },
  'a state that cannot be read': { kept: 'a', stateFails: true, script: [feedPage({ next: 'b', withheld: 1 })] },
  'a page that brings nothing while more follows': {
    kept: 'a',
    script: [
      feedPage({ next: 'b', hasMore: true }),
      feedPage({ next: 'b', hasMore: true }),
      feedPage({ next: 'c' }),
      refusal,
    ],
  },
  'a wait of the caller’s own': {
    kept: 'a',
    untilNext: true,
    script: [
      feedPage({ next: 'b', hasMore: true }),
      feedPage({ next: 'b', hasMore: true }),
      feedPage({ next: 'c' }),
      refusal,
    ],
  },
  'pages of another size': { kept: 'a', pageSize: 10, script: [refusal] },
  ...Object.fromEntries(
    ['', 'soon', '0', '-1', '12'].map((seconds) => [
      `a poll interval of "${seconds}"`,
      { kept: 'a', script: [feedPage({ next: 'a' }, seconds), refusal] },
    ]),
  ),
};

/** Follows the feed in TypeScript. Returns what the caller observes and the requests to the service. */
const follow = async ({ script, kept, stateFails, untilNext, ...options }: FeedScenario) => {
  const steps: string[] = [];
  const { client, sent } = scriptedClient(script, { wait: async (seconds) => void steps.push(`waits ${seconds}`) });
  const events = client.events({
    ...options,
    cursors: { read: async () => kept, keep: async (cursor) => void steps.push(`keeps ${cursor}`) },
    readState: async (because) => {
      if (stateFails) throw new Ended('The database is away.');
      steps.push(`reads state: ${because}`);
    },
    ...(untilNext && { untilNext: async () => void steps.push('notified') }),
  });
  try {
    for await (const { id, type } of events) steps.push(`${id} ${type}`);
  } catch (error) {
    if (error instanceof Ended) steps.push(`fails: ${error.message}`);
    else steps.push(`refused: ${(error as { answer: { problem: { code: string } } }).answer.problem.code}`);
  }
  const asked = sent.map(({ url }) => [...new URL(url).searchParams].toSorted());
  return { steps, asked };
};

python('the feed in Python (needs python3, 3.9 or newer)', () => {
  let played: { steps: string[]; asked: string[] }[];
  beforeAll(async () => {
    played = await playScripted('feed', Object.values(feeds));
  });

  test.each(rowsOf(feeds))('handles %s as TypeScript does', async (_, scenario, index) => {
    const { steps, asked = [] } = played[index] ?? {};
    const parsed = asked.map((query) => [...new URLSearchParams(query)].toSorted());
    expect({ steps, asked: parsed }).toEqual(await follow(scenario));
  });
});
