import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Demo } from '../../local/demo/demo-file.ts';
import { startRunClock } from '../../local/rehearsal/run-clock.ts';
import { mixedTraffic, warmUp } from '../../local/rehearsal/traffic/demo-traffic.ts';
import { type Client, createClient } from '../../local/rehearsal/traffic/http-client.ts';
import { campaign, provenTest, size } from '../support/campaign.ts';
import { expectDocumentedAt } from '../support/documented.ts';
import { type Group, mean, memoryOf } from './soak/process-memory.ts';

const seconds = size({ test: 0, prove: 60, full: 900 });

/** A minute is too short to tell a leak from a start: it only finds one that doubles the memory. */
const growthAllowed = size({ test: 0, prove: 2, full: 1.1 });

provenTest(
  `${seconds} s of mixed load: every answer is one of the API document and none a 5xx, and memory stays flat`,
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
    const clock = startRunClock(seconds * 1000);
    const thirds: Partial<Record<Group, number[]>>[] = [{}, {}, {}];
    const sampler = setInterval(() => {
      const third = thirds[Math.min(2, Math.floor((3 * clock.runMsAt(Date.now())) / clock.lengthMs))];
      for (const [group, megabytes] of Object.entries(memoryOf(pid)) as [Group, number][])
        if (third) third[group] = [...(third[group] ?? []), megabytes];
    }, 1000);
    onTestFinished(() => clearInterval(sampler));
    await Promise.all(mixedTraffic({ demo, client }).map((traffic) => traffic(clock))).finally(clock.stop);
    clearInterval(sampler);

    const [, second = {}, last = {}] = thirds.map((third) => mapValues(third, mean));
    await annotate(`${client.sent()} requests, ${unexpected.length} unexpected answers: ${JSON.stringify(outcomes)}`);
    await annotate(
      `MB per process, second third and last: ${JSON.stringify([second, last].map((each) => mapValues(each, Math.round)))}`,
    );
    expect(unexpected.slice(0, 20), errorLinesIn(directory)).toEqual([]);
    expect(Object.keys(last).sort()).toEqual(['functions', 'server', 'store']);
    for (const [group, megabytes] of Object.entries(last) as [Group, number][])
      expect(megabytes, group).toBeLessThanOrEqual(growthAllowed * (second[group] ?? 0));
  },
);

type Served = { readonly demo: Demo; readonly pid: number; readonly directory: string };

/** What the functions say of faults of their own: without it nobody could find the cause of one 500 in 10,000 answers. */
const errorLinesIn = (directory: string): string =>
  readdirSync(join(directory, 'logs'))
    .flatMap((file) => readFileSync(join(directory, 'logs', file), 'utf8').split('\n'))
    .filter((line) => line.includes('"level":"ERROR"'))
    .slice(0, 20)
    .join('\n');

/** The local run in a process of its own, as `npm start` is one, until the test ends. */
const startServing = async (): Promise<Served> => {
  const directory = mkdtempSync(join(tmpdir(), 'soak-'));
  const child = fork(join(import.meta.dirname, 'soak/served-process.ts'), [directory]);
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill();
    await ended;
    rmSync(directory, { recursive: true });
  });
  const failed = ended.then(([exitCode]) => {
    throw new Error(`The local run ended with ${exitCode} before it served.`);
  });
  const [demo] = (await Promise.race([once(child, 'message'), failed])) as [Demo];
  return { demo, pid: child.pid as number, directory };
};

/** A client that holds every answer against the API document; what is not as it should be goes into `unexpected`. */
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

const mapValues = <Name extends string, Value, Mapped>(
  record: Partial<Record<Name, Value>>,
  map: (value: Value) => Mapped,
) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value as Value)])) as Partial<
    Record<Name, Mapped>
  >;
