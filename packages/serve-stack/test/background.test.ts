import type { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { compileDelivery } from '../src/background/delivery.ts';
import { failedItems } from '../src/background/mappings.ts';
import { compilePattern } from '../src/background/rules.ts';
import { compileSchedule } from '../src/background/schedule.ts';
import { type StreamBatchOptions, takeInLanes } from '../src/background/stream-batches.ts';
import type { StreamRecord } from '../src/dynamodb/stream-reader.ts';
import type { Decision } from '../src/iam/policies.ts';
import { envelope } from '../src/services/event-service.ts';
import { defaultEnvironment } from '../src/template/stack.ts';

describe('event pattern', () => {
  const record = {
    eventName: 'INSERT',
    dynamodb: { Keys: { id: { S: 'a"b' } }, NewImage: { flag: { BOOL: false }, 'odd-name': { N: '7' } } },
  };

  describe('an event pattern', () => {
    test.each([
      ['{"eventName":["INSERT"]}', true],
      ['{"eventName":["MODIFY","INSERT"]}', true],
      ['{"eventName":["REMOVE"]}', false],
      ['{"eventName":["INSERT"],"dynamodb":{"Keys":{"id":{"S":["other"]}}}}', false],
      ['{"dynamodb":{"NewImage":{"flag":{"BOOL":[false]}}}}', true],
      ['{"dynamodb":{"OldImage":{"flag":{"BOOL":[false]}}}}', false],
      ['{}', true],
    ])('%s: %s', (pattern, passes) => {
      expect(compilePattern(pattern)(record)).toBe(passes);
    });

    test.each([
      ['{"eventName":[{"prefix":"INS"}]}', '{"prefix":"INS"}'],
      ['{"$or":[{"eventName":["INSERT"]}]}', '"$or"'],
      ['{"eventName":"INSERT"}', '"INSERT"'],
    ])('%s is an error that names what is unknown', (pattern, unknown) => {
      expect(() => compilePattern(pattern)).toThrow(`The local run does not know ${unknown} in the event pattern`);
    });
  });
});

describe('schedule', () => {
  describe('a schedule', () => {
    test.each([
      ['2036-03-10T07:59:59Z', '2036-03-10T08:30:00Z'],
      ['2036-03-10T08:30:00Z', '2036-03-11T08:30:00Z'],
      ['2036-12-31T23:00:00Z', '2037-01-01T08:30:00Z'],
    ])('after %s is due at %s', (now, due) => {
      expect(compileSchedule('cron(30 8 * * ? *)')(Date.parse(now))).toBe(Date.parse(due));
    });

    test.each([
      ['rate(1 minute)', 60_000],
      ['rate(5 minutes)', 300_000],
      ['rate(90 minutes)', 5_400_000],
    ])('%s is due at a fixed interval', (expression, ms) => {
      expect(compileSchedule(expression)(1000)).toBe(1000 + ms);
    });

    test.each([
      'rate(1 day)',
      'rate(1 minutes)',
      'rate(0 minutes)',
      'rate(5 minute)',
      'cron(0 8 ? * MON *)',
      'cron(0/5 8 * * ? *)',
      'cron(0 24 * * ? *)',
    ])('%s is an error', (expression) => {
      expect(() => compileSchedule(expression)).toThrow(
        `The local run knows schedules like cron(0 8 * * ? *) and rate(1 minute), not ${expression}.`,
      );
    });
  });
});

describe('rule delivery', () => {
  const queue = (name: string) => ({
    name,
    constructName: name,
    url: `http://${name}`,
    arn: `arn:aws:sqs:r:1:${name}`,
    visibilityTimeoutSeconds: 30,
    attributes: {},
  });
  const event = envelope(defaultEnvironment, { source: 's', detailType: 't', detail: { a: { b: [1] } } });
  const rule = { logicalId: 'Rule1', arn: 'arn:aws:events:r:1:rule/r', targets: [], pattern: {}, bus: 'default' };

  /** Delivers the event to the queue `q` under the queues' policies, and returns the sent messages. */
  const deliver = async (
    decisions: Readonly<Record<string, Decision>>,
    target: Partial<Parameters<typeof compileDelivery>[1]> = {},
  ) => {
    const sent: SendMessageCommand['input'][] = [];
    const client = { send: async ({ input }: SendMessageCommand) => void sent.push(input) } as unknown as SQSClient;
    const delivering = compileDelivery(
      rule,
      { Arn: 'arn:aws:sqs:r:1:q', ...target },
      {
        definitions: [queue('q'), queue('dead')],
        policies: new Map(
          Object.entries(decisions).map(([name, decision]) => [`arn:aws:sqs:r:1:${name}`, () => decision]),
        ),
        client: async () => client,
      },
    )(event);
    return delivering.then(() => sent);
  };

  const DeadLetterConfig = { Arn: 'arn:aws:sqs:r:1:dead' };

  test('a queue receives the event, or the part at the input path', async () => {
    const whole = await deliver({ q: 'allow' });
    expect(whole).toEqual([{ QueueUrl: 'http://q', MessageBody: JSON.stringify(event) }]);
    const [part] = await deliver({ q: 'allow' }, { InputPath: '$.detail.a', SqsParameters: { MessageGroupId: 'g' } });
    expect(part).toEqual({ QueueUrl: 'http://q', MessageBody: '{"b":[1]}', MessageGroupId: 'g' });
  });

  test('an event that a queue’s policy refuses becomes a dead letter with the reason', async () => {
    const [letter, ...others] = await deliver({ q: 'implicit deny', dead: 'allow' }, { DeadLetterConfig });
    expect(others).toEqual([]);
    expect(letter).toMatchObject({
      QueueUrl: 'http://dead',
      MessageBody: JSON.stringify(event),
      MessageAttributes: {
        ERROR_CODE: { StringValue: 'NO_PERMISSIONS' },
        RULE_ARN: { StringValue: rule.arn },
        TARGET_ARN: { StringValue: 'arn:aws:sqs:r:1:q' },
      },
    });
  });

  test.each([
    ['without a dead-letter queue', {}, /q does not let the rule Rule1 send/],
    ['that the dead-letter queue refuses too', { DeadLetterConfig }, /dead does not let the rule Rule1 send/],
  ])('a refused event %s is an error that names the queue', async (_, target, message) => {
    await expect(deliver({ q: 'explicit deny' }, target)).rejects.toThrow(message);
  });

  test('an unsupported path is an error before anything is delivered', async () => {
    await expect(deliver({ q: 'allow' }, { InputPath: '$.detail[0]' })).rejects.toThrow(
      'does not know the path $.detail[0]',
    );
  });
});

describe('batch response', () => {
  const all = ['a', 'b', 'c'];
  const failuresOf = (...identifiers: unknown[]) => ({
    batchItemFailures: identifiers.map((itemIdentifier) => ({ itemIdentifier })),
  });

  test.each<[string, unknown, string[]]>([
    ['nothing', null, []],
    ['an empty object', {}, []],
    ['no list', { batchItemFailures: null }, []],
    ['an empty list', failuresOf(), []],
    ['one of the batch', failuresOf('b'), ['b']],
    ['an identifier outside the batch', failuresOf('b', 'z'), all],
    ['an empty identifier', failuresOf(''), all],
    ['no identifier', failuresOf(null), all],
    ['an identifier under another name', { batchItemFailures: [{ id: 'b' }] }, all],
    ['a value that is not a list', { batchItemFailures: 'b' }, all],
    ['a text', 'fine', all],
  ])('of a function that reports failed items and answers %s', (_, payload, failed) => {
    const outcome = { kind: 'answer', payload: JSON.stringify(payload) } as const;
    expect([...failedItems(outcome, all, true)]).toEqual(failed);
    expect([...failedItems(outcome, all, false)]).toEqual([]);
  });

  test('if the function fails, all items have failed', () => {
    const outcome = { kind: 'failure', reason: 'x', processIsLost: false } as const;
    expect([...failedItems(outcome, all, true)]).toEqual(all);
  });
});

describe('stream batches', () => {
  const hourMs = 3_600_000;

  /** Returns a record for each letter; a capital letter is two hours old. */
  const recordsOf = (names: string): StreamRecord[] =>
    [...names].map((SequenceNumber) => {
      const ageMs = /[A-Z]/.test(SequenceNumber) ? 2 * hourMs : 0;
      return { dynamodb: { SequenceNumber, ApproximateCreationDateTime: new Date(Date.now() - ageMs) } };
    });
  const namesOf = (records: readonly StreamRecord[]) =>
    records.map(({ dynamodb }) => dynamodb?.SequenceNumber).join('');

  type Case = Partial<StreamBatchOptions> & {
    /** A batch with this record fails as a whole. */
    readonly poison?: string;
    /** The records that the function reports as failed, by batch. */
    readonly named?: Readonly<Record<string, string>>;
    /** The batch at which the run is stopped. */
    readonly stopAt?: string;
  };

  /** Returns the number of records that are done, the invoked batches, and the records that were given up. */
  const take = async (names: string, { poison = '-', named = {}, stopAt, ...options }: Case) => {
    const stopping = new AbortController();
    const invoked: string[] = [];
    const given: string[] = [];
    const invoke = async (records: readonly StreamRecord[]) => {
      const batch = namesOf(records);
      invoked.push(batch);
      if (batch === stopAt) stopping.abort();
      return new Set(named[batch] ?? (batch.includes(poison) ? batch : ''));
    };
    const giveUp: StreamBatchOptions['giveUp'] = async (records, reason, invocations) =>
      void given.push(`${namesOf(records)} ${reason} ${invocations}`);
    const defaults = { batchSize: 4, bisects: false, maxAgeMs: Number.POSITIVE_INFINITY, maxRetries: 1 };
    const inOneLane = { lanes: 1, isWanted: () => true };
    const all = { ...defaults, invoke, giveUp, ...options };
    const done = await takeInLanes(recordsOf(names), inOneLane, all, stopping.signal);
    return { done, invoked, given };
  };

  test('records come in batches, in order', async () => {
    expect(await take('abcdef', {})).toEqual({ done: 6, invoked: ['abcd', 'ef'], given: [] });
  });

  test('a failed batch is retried, then given up, and the next batches follow', async () => {
    expect(await take('abcdef', { poison: 'b' })).toEqual({
      done: 6,
      invoked: ['abcd', 'abcd', 'ef'],
      given: ['abcd RetryAttemptsExhausted 2'],
    });
  });

  test('bisection gives up only the bad record, and does not count as a retry', async () => {
    expect(await take('abcdef', { poison: 'c', bisects: true })).toEqual({
      done: 6,
      invoked: ['abcd', 'ab', 'cd', 'c', 'c', 'd', 'ef'],
      given: ['c RetryAttemptsExhausted 2'],
    });
  });

  test('a batch is retried from the first record that the function reports as failed', async () => {
    expect(await take('abcd', { named: { abcd: 'c' } })).toEqual({ done: 4, invoked: ['abcd', 'cd'], given: [] });
  });

  test('records that are too old are given up before they are passed on', async () => {
    expect(await take('ABcd', { maxAgeMs: hourMs })).toEqual({
      done: 4,
      invoked: ['cd'],
      given: ['AB RecordAgeExceeded 0'],
    });
  });

  test('in lanes, records of one item stay in order, and a failing lane delays no other', async () => {
    const seen: string[] = [];
    const isDown = new Set(['a']);
    const recordWith = (key: string, place: number) => {
      const [record] = recordsOf('a') as [StreamRecord];
      return { ...record, dynamodb: { ...record.dynamodb, SequenceNumber: `${place}`, Keys: { id: { S: key } } } };
    };
    const records = [...'aabbccddaabbccdd'].map(recordWith);
    const invoke = async (batch: readonly StreamRecord[]) => {
      const names = batch.map(({ dynamodb }) => `${dynamodb?.Keys?.id?.S}${dynamodb?.SequenceNumber}`);
      if (names.some((name) => isDown.has(name.charAt(0)))) {
        // The other lanes are done when this one recovers.
        if (seen.filter((name) => !name.startsWith('a')).length === 12) isDown.clear();
        return new Set(batch.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? ''));
      }
      seen.push(...names);
      return new Set<string>();
    };
    const options = {
      batchSize: 4,
      bisects: false,
      maxAgeMs: hourMs * 1e6,
      maxRetries: 100,
      invoke,
      giveUp: async () => {},
    };
    const all = { lanes: 1000, isWanted: () => true };
    expect(await takeInLanes(records, all, options, new AbortController().signal)).toBe(16);
    for (const key of 'abcd') expect(seen.filter((name) => name.startsWith(key))).toHaveLength(4);
    const placesOf = (key: string) => seen.filter((name) => name.startsWith(key)).map((name) => Number(name.slice(1)));
    for (const key of 'abcd') expect(placesOf(key)).toEqual(placesOf(key).toSorted((one, other) => one - other));
    expect(seen.slice(-4).every((name) => name.startsWith('a'))).toBe(true);
  });

  test('unwanted records are done, and never passed on', async () => {
    const seen: string[] = [];
    const invoke = async (batch: readonly StreamRecord[]) => {
      seen.push(namesOf(batch));
      return new Set<string>();
    };
    const options = {
      batchSize: 4,
      bisects: false,
      maxAgeMs: hourMs * 1e6,
      maxRetries: 1,
      invoke,
      giveUp: async () => {},
    };
    const wanted = { lanes: 1, isWanted: (record: StreamRecord) => 'bd'.includes(namesOf([record])) };
    const { signal } = new AbortController();
    expect(await takeInLanes(recordsOf('abcdef'), wanted, options, signal)).toBe(6);
    expect(await takeInLanes(recordsOf('ace'), wanted, options, signal)).toBe(3);
    expect(seen).toEqual(['bd']);
  });

  test.each([
    ['between batches', 'abcdef', { stopAt: 'abcd' }, 4],
    ['during endless retries', 'abcdef', { stopAt: 'abcd', poison: 'b', maxRetries: Number.POSITIVE_INFINITY }, 0],
    ['during a bisection', 'abcd', { stopAt: 'cd', poison: 'c', bisects: true }, 2],
  ])('a run that is stopped %s returns the position for the next one', async (_, names, options, done) => {
    expect((await take(names, options)).done).toBe(done);
  });
});
