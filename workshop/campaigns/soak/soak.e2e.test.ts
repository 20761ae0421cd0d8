import { expect, onTestFinished } from 'vitest';
import { mixedTraffic, warmUp } from '../../../local/dashboard-preview/demo-traffic.ts';
import { type Client, createClient } from '../../../local/dashboard-preview/partner-requests.ts';
import { startRunClock } from '../../../local/dashboard-preview/run-clock.ts';
import { expectDocumentedAt } from '../../../test/support/api-document.ts';
import { campaign, provenTest, size, timer } from '../../../test/support/campaign.ts';
import { errorLinesIn, expectFlatMemory, startServing, watchMemory } from './serving.ts';

const seconds = size({ test: 0, prove: 30, full: 900 });

provenTest(
  'mixed load: every answer fits the API document, no 5xx, and memory stays flat',
  campaign,
  async ({ annotate }) => {
    const { demo, pid, directory } = await startServing();
    const outcomes: Record<string, number> = {};
    const unexpected: string[] = [];
    const client = checked(
      createClient(demo),
      (outcome) => {
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      },
      unexpected,
    );
    onTestFinished(client.close);

    await warmUp({ demo, client });
    const clock = startRunClock(seconds * 1000, timer(seconds));
    const memory = watchMemory(pid, clock);
    await Promise.all(mixedTraffic({ demo, client }).map((traffic) => traffic(clock))).finally(clock.stop);
    const used = memory.stop();

    await annotate(
      `at most ${seconds} s, ${client.sent()} requests, ${unexpected.length} unexpected answers: ${JSON.stringify(outcomes)}`,
    );
    await annotate(`MB per process, second third and last: ${JSON.stringify(used)}`);
    expect(unexpected.slice(0, 20), errorLinesIn(directory)).toEqual([]);
    expect(client.sent()).toBeGreaterThan(0);
    expectFlatMemory(used);
  },
);

/** A client that checks every answer against the API document and records violations in `unexpected`. */
const checked = (client: Client, count: (outcome: string) => void, unexpected: string[]): Client => ({
  ...client,
  send: async (request) => {
    const { method = 'GET', path } = request;
    const answer = await client.send(request);
    const { status, headers } = answer;
    try {
      const body = answer.body ? JSON.parse(answer.body) : undefined;
      count(status < 400 ? String(status) : body.code);
      expect(status).toBeLessThan(500);
      expectDocumentedAt(method, path, { status, headers, body });
    } catch (error) {
      const { message, actual } = error as Error & { actual?: unknown };
      unexpected.push(`${method} ${path}: ${status} ${message} ${JSON.stringify(actual)}`);
    }
    return answer;
  },
});
