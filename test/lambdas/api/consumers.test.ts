import { expect, test } from 'vitest';
import { type Consumer, type ConsumerName, consumers } from '../../../lambdas/api/background-functions.ts';
import { queues } from '../../../lambdas/api/queues.ts';
import { consumerEnvironment } from '../../../lambdas/inbound/consumer-environment.ts';

const rows = Object.entries<Consumer>(consumers).map(([name, row]) => ({ ...row, name: name as ConsumerName }));

test.each(rows)('$name has its batch done before the queue delivers it again', ({ name, timeoutSeconds, source }) => {
  expect(consumerEnvironment(name, {}).storeDeadlineMs).toBeLessThan(timeoutSeconds * 1000);
  // AWS asks for six times: a batch may wait for its function, which then tries again.
  if ('queue' in source)
    expect(queues[source.queue].visibilityTimeoutSeconds).toBeGreaterThanOrEqual(6 * timeoutSeconds);
});

test.each(rows)(
  '$name has a window if its batch is one of more than ten messages of a queue, as Lambda asks',
  (row) => {
    if ('queue' in row.source && row.batchSize > 10) expect(row.batchingWindowSeconds).toBeGreaterThanOrEqual(1);
  },
);
