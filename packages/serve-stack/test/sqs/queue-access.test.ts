import { expect, test } from 'vitest';
import { queueAccessOf } from '../../src/services/queue-definitions.ts';
import { defaultEnvironment } from '../../src/template/template.ts';

const q = 'arn:aws:sqs:eu-central-1:000000000000:q';
const QueueUrl = 'http://127.0.0.1:1/000000000000/q';

test.each([
  ['SendMessageBatch', { QueueUrl }, { action: 'sqs:sendmessage', resource: q }],
  ['GetQueueUrl', { QueueName: 'q' }, { action: 'sqs:getqueueurl', resource: q }],
  ['ListQueues', {}, { action: 'sqs:listqueues', resource: q.replace(/q$/, '*') }],
  ['ReceiveMessage', { QueueUrl, QueueName: 'other' }, { action: 'sqs:receivemessage', resource: q }],
])('%s with %j takes the right to what it does, at the queue that it names', (operation, body, access) => {
  expect(queueAccessOf(defaultEnvironment, operation, body)).toEqual(access);
});

test('an operation that changes what the template says is an error that names it', () => {
  expect(() => queueAccessOf(defaultEnvironment, 'SetQueueAttributes', { QueueUrl })).toThrow(
    'the operation SetQueueAttributes of SQS',
  );
});
