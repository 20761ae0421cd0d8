import { cutText } from '../api/limits.ts';
import type { Refusal, Shadow } from '../domain/appliances/appliance.ts';
import { entityTagOf } from '../domain/appliances/entity-tag.ts';
import { toTimestamp } from '../domain/time.ts';

/** The settings as a partner sees them: what is desired counts at once. */
export const settingsOf = <Settings extends object>({ reported, desired }: Shadow<Settings>): Settings => ({
  ...reported,
  ...desired,
});

export const statusOf = ({ desired, version, reportedAtMs, lastRefusal }: Shadow) => ({
  state: desired ? ('pending' as const) : ('confirmed' as const),
  version,
  reportedAt: toTimestamp(reportedAtMs),
  ...(lastRefusal && { lastRefusal: refusalBody(lastRefusal) }),
});

/** The appliance has written its texts; an answer bounds them. */
const refusalBody = ({ atMs, reason, detail }: Refusal) => ({
  at: toTimestamp(atMs),
  reason: cutText(reason),
  detail: cutText(detail),
});

/** An answer whose ETag is the version of what it shows. */
export const taggedAnswer = <Body>({ version }: Shadow, body: Body) => ({
  headers: { ETag: entityTagOf(version) },
  body,
});
