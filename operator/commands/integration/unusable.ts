import * as z from 'zod';
import { doneOutcomes } from '../../../lambdas/api/inbound-events/inbound-event.ts';
import { takenMessage } from '../../../lambdas/api/log-events/background-events.ts';
import { namesOf } from '../../../lambdas/api/log-events/request-event.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { maxLogRows, timeInLog } from '../../../lambdas/runtime/log-queries.ts';
import { defineCommand, limitOption } from '../../cli/command.ts';
import { rangeSince, sinceOption } from '../../cli/times.ts';

const unusablePart = z.strictObject({
  type: z.string(),
  /** The path of the part in the event, with `*` for positions in lists: `/data/reported/roomTemperatureCelsius`. */
  pointer: z.string(),
  expected: z.string(),
  messages: z.int(),
  /** The number of gateways or, for events of the portal, of companies. */
  subjects: z.int(),
  first: z.iso.datetime(),
  last: z.iso.datetime(),
  /** The subject of the last message; `lastEventId` is its id. */
  lastSubject: z.string().nullable(),
  lastEventId: z.string().nullable(),
});

type UnusablePart = z.output<typeof unusablePart>;

export const integrationUnusable = defineCommand({
  noun: 'integration',
  verb: 'unusable',
  summary:
    'Show the parts of portal events and gateway reports that could not be used, the expected values, and the number of occurrences, gateways and companies, from the log; the rest of each message was applied. Messages that were rejected as a whole are dead letters: integration dead list shows them',
  arguments: {},
  options: { since: sinceOption('24h'), limit: limitOption(1000) },
  changes: false,
  requirements: { tableActions: {}, serviceActions: ['logs:GetQueryResults', 'logs:StartQuery'] },
  output: z.strictObject({
    since: z.iso.datetime(),
    /** Sorted by the number of messages, the highest first. */
    parts: z.array(unusablePart),
    /** Whether there are more parts than the limit. */
    hasMore: z.boolean(),
    /** Whether the log has more rows than one query returns; then the numbers cover only the latest messages. */
    isIncomplete: z.boolean(),
  }),
  run: async ({ connect, nowMs, talk }, { since, limit }) => {
    const range = rangeSince(since, nowMs);
    const { queryLog } = await connect();
    const rows = await queryLog.consumers(unusableQuery, range);
    const isIncomplete = rows.length >= maxLogRows;
    if (isIncomplete)
      talk('There were more messages than one query returns: the numbers are too low. Shorten --since.', 'warning');
    const parts = partsIn(rows);
    const hasMore = parts.length > limit;
    if (hasMore) talk(`There are more: raise --limit (${limit}).`);
    return { since: toTimestamp(range.fromMs), parts: parts.slice(0, limit), hasMore, isIncomplete };
  },
  view: ({ since, parts }) => [
    {
      title: `Since ${since}`,
      rows: parts.map(({ lastSubject, lastEventId, ...part }) => ({
        ...part,
        'last subject': lastSubject,
        'last event': lastEventId,
      })),
      ifEmpty: 'all parts of all messages could be used',
    },
  ],
});

const { eventId, expected, outcome, subject, type } = namesOf(takenMessage.shape);

/** One row per subject, so that the subjects of a part are counted exactly even if it occurs together with other parts. */
const unusableQuery = `filter ispresent(${expected}) and ${outcome} in [${doneOutcomes.map((each) => `"${each}"`).join(', ')}]
| stats count(*) as messages, earliest(@timestamp) as first, latest(@timestamp) as last, latest(${eventId}) as lastEventId by ${type}, ${subject}, ${expected}
| sort last desc`;

type Row = Readonly<Record<string, string>>;

/** Returns the parts in the rows, each once. */
const partsIn = (rows: readonly Row[]): UnusablePart[] => {
  const named = rows.flatMap((row) => partsOf(row[expected]).map((part) => ({ ...part, row })));
  const grouped = Map.groupBy(named, (part) => JSON.stringify([part.row[type], part.pointer, part.expected]));
  return [...grouped.values()]
    .map((ofPart) => summaryOf(ofPart))
    .sort((one, other) => other.messages - one.messages || Date.parse(other.last) - Date.parse(one.last));
};

type Named = ReturnType<typeof partsOf>[number] & { readonly row: Row };

/** Summarizes the rows of one part, which are sorted by time, the last one first. */
const summaryOf = (ofPart: readonly Named[]): UnusablePart => {
  const rows = ofPart.map(({ row }) => row);
  const [{ pointer, expected: wanted, row: last }] = ofPart as [Named];
  return {
    type: last[type] ?? '',
    pointer,
    expected: wanted,
    messages: rows.reduce((sum, { messages }) => sum + Number(messages), 0),
    subjects: new Set(rows.map((row) => row[subject])).size,
    first: toTimestamp(Math.min(...rows.map(({ first }) => timeInLog(first)))),
    last: toTimestamp(timeInLog(last.last)),
    lastSubject: last[subject] ?? null,
    lastEventId: last.lastEventId ?? null,
  };
};

/** Splits a text such as `/data/mode: One of … /data/name: A text.` into its parts, of which the log has at most five. */
const partsOf = (text = '') => {
  const parts = text.split(/ (?=\/\S*: )/).map((part) => {
    const [, pointer = '', wanted = part] = /^(\/\S*): (.*)$/s.exec(part) ?? [];
    return { pointer: pointer.replace(/\/\d+(?=\/|$)/g, '/*'), expected: wanted };
  });
  return [...new Map(parts.map((part) => [`${part.pointer} ${part.expected}`, part])).values()];
};
