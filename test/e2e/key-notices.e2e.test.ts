import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dueNotice, type NoticeDays, toDuration } from '../../lambdas/domain/key-notices.ts';
import { addMonths, toTimestamp } from '../../lambdas/domain/time.ts';
import { proven } from '../support/campaign.ts';
import { openService, type Service } from '../support/service.ts';
import { eventually } from '../support/time.ts';
import { issueKey } from '../support/world.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const dayMs = 86_400_000;

/** Issues a key with six days left, or slightly fewer after longer months. */
const issueOldKey = (companyId: string) =>
  issueKey(service.local.store, companyId, addMonths(Date.now() + 6 * dayMs, -6));

const events = (): { detail: Record<string, unknown> }[] => {
  const file = join(service.directory, 'logs/events.log');
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];
};

const untilPublished = (count: number) => eventually(() => expect(events()).toHaveLength(count));

test('a key that expires soon leads to one event on the bus, however often the watch runs', proven, async () => {
  const key = await issueOldKey('acme');
  await service.runSchedules();
  await untilPublished(1);
  expect(events()[0]).toMatchObject({
    source: 'partner-api',
    'detail-type': 'API key expiring',
    detail: {
      companyId: 'acme',
      keyId: key.keyId,
      expiresAt: toTimestamp(key.expiresAtMs),
      remaining: toDuration(dueNotice(key, Date.now()) as NoticeDays),
      // The company's own demo key is younger.
      isLastKey: false,
      access: 'full',
      label: null,
    },
  });

  await service.runSchedules();
  // This event comes after those of the second run, since a stream keeps the order.
  const another = await issueOldKey('globex');
  await service.runSchedules();
  await untilPublished(2);
  expect(events().map(({ detail }) => detail.keyId)).toEqual([key.keyId, another.keyId]);
  expect(service.output()).not.toContain(key.apiKey);
});
