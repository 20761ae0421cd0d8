import type { FeedEventTypeName } from '../api/schemas/feed.ts';
import type { ItemChange } from '../data/store/stream-record.ts';
import { toWebhook } from '../data/webhooks/webhooks.ts';
import { toTimestamp } from '../domain/time.ts';
import type { BusEvent } from '../data/senders.ts';

/** A notice of the same `noticeId` is the same notice, however often it comes. */
type NoticeDetail = { readonly noticeId: string; readonly companyId: string };

type NoticeType = {
  readonly detailType: string;
  /** Tells which company it is about and what has happened, and nothing by which somebody could reach the company. */
  readonly detailOf: (after: Readonly<Record<string, unknown>>, atMs: number) => NoticeDetail & object;
};

/** One row per type of notices that operators get, by the event of the feed that tells the company the same. */
const noticeTypes: Readonly<Partial<Record<FeedEventTypeName, NoticeType>>> = {
  'api_key.expiring': {
    detailType: 'API key expiring',
    detailOf: ({ sk, companyId, keyId, expiresAt, remaining, isLastKey }) => ({
      noticeId: String(sk),
      companyId: String(companyId),
      keyId,
      expiresAt,
      remaining,
      isLastKey,
    }),
  },
  'webhook.disabled': {
    detailType: 'Webhook disabled',
    detailOf: (after, atMs) => {
      const { companyId, webhookId, disabledAtMs = atMs, disabledBecause } = toWebhook({ ...after });
      const disabledAt = toTimestamp(disabledAtMs);
      return { noticeId: `${webhookId}#${disabledAt}`, companyId, webhookId, disabledAt, reason: disabledBecause };
    },
  },
};

/** The notice of a change that means this event to its company; undefined if operators are not told of such events. */
export const noticeOf = (type: FeedEventTypeName, { after, atMs }: ItemChange): BusEvent | undefined => {
  const notice = noticeTypes[type];
  return notice && after && { detailType: notice.detailType, detail: notice.detailOf(after, atMs) };
};
