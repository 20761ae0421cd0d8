import * as z from 'zod';
import { requestedChangeType } from '../../lambdas/api/outbound-events/requested-change.ts';
import { idPattern } from '../../lambdas/api/schemas/common.ts';
import { parseJson } from '../../lambdas/domain/parse-json.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { readEvent } from '../../lambdas/inbound/read-event.ts';
import { type PlaceName, placeOf } from './dead-letter-places.ts';
import type { DeadLetter } from './dead-letters.ts';

/** A dead letter by its ids, without what it says of anybody. */
export const letterSummary = z.strictObject({
  messageId: z.string(),
  sentAt: z.iso.datetime(),
  type: z.string().nullable(),
  eventId: z.string().nullable(),
  /** The id of a company or of a gateway. */
  subject: z.string().nullable(),
  /** What is wrong with the text of the message; null if its text is right, and what it asks for could not be done. */
  fault: z.string().nullable(),
});

export type LetterSummary = z.output<typeof letterSummary>;

export const summaryOf = (place: PlaceName, letter: DeadLetter): LetterSummary => {
  const { messageId, sentAtMs } = letter;
  const { inboundQueue } = placeOf(place);
  const { labels, refusal } = inboundQueue
    ? readEvent(inboundQueue, letter.text, sentAtMs)
    : { labels: outboundLabels(letter.text), refusal: undefined };
  return {
    messageId,
    sentAt: toTimestamp(sentAtMs),
    type: labels.type ?? null,
    eventId: labels.eventId ?? null,
    subject: labels.subject ?? null,
    fault: refusal ? `${refusal.fault}: ${refusal.expected}` : null,
  };
};

const outboundLabels = (text: string) => {
  const { type, id, subject } = Object(parseJson(text)) as Readonly<Record<string, unknown>>;
  const idIn = (value: unknown) => (typeof value === 'string' && idPattern.test(value) ? value : undefined);
  return {
    type: type === requestedChangeType ? requestedChangeType : undefined,
    eventId: idIn(id),
    subject: idIn(subject),
  };
};

export const summaryRow = ({ messageId, sentAt, type, eventId, subject, fault }: LetterSummary) => ({
  message: messageId,
  sent: sentAt,
  type,
  event: eventId,
  subject,
  fault,
});
