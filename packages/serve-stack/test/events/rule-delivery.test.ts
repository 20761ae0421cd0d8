import type { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { compileDelivery, type RuleTarget } from '../../src/background/rules.ts';
import type { Decision } from '../../src/iam/policies.ts';
import { envelope } from '../../src/services/event-bus.ts';
import { defaultEnvironment } from '../../src/template/template.ts';

const queue = (name: string) => ({
  ...{ name, constructName: name, url: `http://${name}`, arn: `arn:aws:sqs:r:1:${name}` },
  ...{ visibilityTimeoutSeconds: 30, attributes: {} },
});
const event = envelope(defaultEnvironment, { source: 's', detailType: 't', detail: { a: { b: [1] } } });
const rule = { logicalId: 'Rule1', arn: 'arn:aws:events:r:1:rule/r', targets: [], pattern: {}, bus: 'default' };

/** Delivers the event to the queue `q` as its and other queues' policies let it, and tells what was sent. */
const deliver = async (decisions: Readonly<Record<string, Decision>>, target: Partial<RuleTarget> = {}) => {
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

test('a queue gets the event, or what the input path leads to', async () => {
  const whole = await deliver({ q: 'allow' });
  expect(whole).toEqual([{ QueueUrl: 'http://q', MessageBody: JSON.stringify(event) }]);
  const [part] = await deliver({ q: 'allow' }, { InputPath: '$.detail.a', SqsParameters: { MessageGroupId: 'g' } });
  expect(part).toEqual({ QueueUrl: 'http://q', MessageBody: '{"b":[1]}', MessageGroupId: 'g' });
});

test('what a queue’s policy refuses is a dead letter that says why', async () => {
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
  ['without dead letters', {}, /q does not let the rule Rule1 send/],
  ['whose dead letters are refused too', { DeadLetterConfig }, /dead does not let the rule Rule1 send/],
])('a refused event %s is an error that names the queue', async (_, target, message) => {
  await expect(deliver({ q: 'explicit deny' }, target)).rejects.toThrow(message);
});

test('a path of another kind is an error before anything is delivered', async () => {
  await expect(deliver({ q: 'allow' }, { InputPath: '$.detail[0]' })).rejects.toThrow(
    'does not know the path $.detail[0]',
  );
});
