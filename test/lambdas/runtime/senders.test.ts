import fc from 'fast-check';
import { type BusEvent, createAccessKeys, startEventService } from 'serve-stack/services';
import { defaultEnvironment } from 'serve-stack/template';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createBusSender, createQueueSender } from '../../../lambdas/runtime/senders.ts';
import { campaign, size } from '../../support/campaign.ts';
import { openQueue } from '../../support/queue.ts';
import { anyText } from '../../support/random.ts';
import { patience } from '../../support/time.ts';

describe('queue sender', () => {
  let queue: Awaited<ReturnType<typeof openQueue>>;
  beforeAll(async () => {
    queue = await openQueue();
    vi.stubEnv('AWS_ENDPOINT_URL_SQS', queue.endpoint);
    vi.stubEnv('AWS_REGION', queue.region);
    vi.stubEnv('AWS_ACCESS_KEY_ID', queue.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'any');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await queue.close();
  });

  /** Returns what arrives of a text that is sent in JSON. */
  const sent = async (text: string): Promise<unknown> => {
    const send = createQueueSender({ WEBHOOK_MESSAGES_QUEUE: queue.url }, patience.requestTimeouts);
    await send('webhookMessages', { body: JSON.stringify({ text }) });
    return JSON.parse((await queue.take()) ?? 'null')?.text;
  };

  test.each(['evening\uffff', '\ufffe', '\ud800', '\u0000\u001f\u007f', 'Zu Hause 🏠', '\\uffff', '\u{1ffff}'])(
    'no queue refuses %j, which arrives unchanged',
    async (text) => {
      expect(await sent(text)).toBe(text);
    },
  );

  test('no text is refused', campaign, async () => {
    await fc.assert(
      fc.asyncProperty(anyText(40), async (text) => {
        expect(await sent(text)).toBe(text);
      }),
      { numRuns: size({ test: 15, prove: 50 }) },
    );
  });
});

describe('bus sender', () => {
  const arn = 'arn:aws:events:eu-central-1:000000000000:event-bus/stage-notices';
  const taken: BusEvent[] = [];
  let refused: readonly number[] = [];
  let asked = 0;
  /** Called once for each event: the events in `refused` do not find the bus. */
  const buses = () =>
    new Map(refused.includes(asked++) ? [] : [[arn, { put: (event: BusEvent) => `${taken.push(event)}` }]]);

  let close: () => Promise<void>;
  beforeAll(async () => {
    const accessKeys = createAccessKeys();
    const principal = { arn: 'arn:aws:sts::000000000000:assumed-role/tester/t', decide: () => 'allow' as const };
    const service = await startEventService({
      environment: defaultEnvironment,
      accessKeys,
      buses,
      policyOf: () => undefined,
    });
    close = service.close;
    vi.stubEnv('AWS_ENDPOINT_URL_EVENTBRIDGE', service.endpoint);
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeys.issue(principal));
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'any');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await close();
  });
  beforeEach(() => {
    taken.length = 0;
    asked = 0;
    refused = [];
  });

  const putOnBus = createBusSender({ NOTICES_BUS: 'stage-notices' }, patience.requestTimeouts);
  const events = (count: number) =>
    Array.from({ length: count }, (_, number) => ({ detailType: 'Counted', detail: { number } }));

  test('all events arrive unchanged, in their order, in calls within the limit of EventBridge', async () => {
    await putOnBus('notices', events(25));
    expect(taken).toMatchObject(events(25).map((event) => ({ source: 'partner-api', ...event })));
  });

  test('no events cause no call', async () => {
    await putOnBus('notices', []);
    expect(asked).toBe(0);
  });

  test('an event that the bus refuses causes an error, even if the bus accepts the other events', async () => {
    refused = [1];
    await expect(putOnBus('notices', events(3))).rejects.toThrow(
      'The bus stage-notices has not accepted all events: ResourceNotFoundException, Event bus stage-notices does not exist',
    );
    expect(taken.map(({ detail }) => detail)).toEqual([{ number: 0 }, { number: 2 }]);
  });

  test('a function whose row does not name the bus gets an error, and puts nothing on the default bus', async () => {
    await expect(createBusSender({}, patience.requestTimeouts)('notices', events(1))).rejects.toThrow(
      'NOTICES_BUS is not set',
    );
    expect(asked).toBe(0);
  });
});
