import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { compileQueueMappings } from '../src/background/queue-mappings.ts';
import { compilePatternRules } from '../src/background/rules.ts';
import { compileStreamMappings } from '../src/background/stream-mappings.ts';
import { compileBusPolicies } from '../src/services/event-service.ts';
import { compileQueuePolicies, readQueuePolicies, readQueues } from '../src/services/queue-definitions.ts';
import { createResolver } from '../src/template/intrinsics.ts';
import type { Resource } from '../src/template/stack.ts';
import { stackOf } from './fixture.ts';

type Properties = Readonly<Record<string, unknown>>;

const arn = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });
const allow = (Action: string[], Resource: unknown) => ({ Effect: 'Allow', Action, Resource });
const streamArn = { 'Fn::GetAtt': ['Table1', 'StreamArn'] };

const statements = [
  allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], arn('Queue1')),
  allow(['dynamodb:DescribeStream', 'dynamodb:GetRecords'], streamArn),
  allow(['dynamodb:GetShardIterator', 'dynamodb:ListStreams'], [streamArn, '*']),
  allow(['sqs:SendMessage'], arn('Dead1')),
];

/**
 * Compiles a stack with one resource of each kind, with some changed properties. `without` removes a statement from the
 * function's role.
 */
const compile = (changes: Readonly<Record<string, Properties>>, without?: number) => {
  const resource = (logicalId: string, Type: string, properties: Properties = {}): [string, Resource] => [
    logicalId,
    { Type, Properties: { ...properties, ...changes[logicalId] } },
  ];
  const Statement = statements.filter((_, index) => index !== without);
  const policy = { Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage', Resource: '*' };
  const stack = stackOf(
    Object.fromEntries([
      resource('Role1', 'AWS::IAM::Role', { Policies: [{ PolicyName: 'p', PolicyDocument: { Statement } }] }),
      resource('Function1', 'AWS::Lambda::Function', {
        FunctionName: 'f',
        Code: {},
        Handler: 'index.handler',
        Role: arn('Role1'),
        Runtime: 'nodejs24.x',
        Timeout: 30,
      }),
      resource('Table1', 'AWS::DynamoDB::Table', { StreamSpecification: { StreamViewType: 'NEW_IMAGE' } }),
      resource('Queue1', 'AWS::SQS::Queue'),
      resource('Dead1', 'AWS::SQS::Queue'),
      resource('Fifo1', 'AWS::SQS::Queue', { FifoQueue: true }),
      resource('QueuePolicy1', 'AWS::SQS::QueuePolicy', {
        Queues: [{ Ref: 'Queue1' }],
        PolicyDocument: { Statement: policy },
      }),
      resource('FromQueue', 'AWS::Lambda::EventSourceMapping', {
        EventSourceArn: arn('Queue1'),
        FunctionName: { Ref: 'Function1' },
      }),
      resource('FromStream', 'AWS::Lambda::EventSourceMapping', {
        EventSourceArn: streamArn,
        FunctionName: { Ref: 'Function1' },
        StartingPosition: 'TRIM_HORIZON',
        DestinationConfig: { OnFailure: { Destination: arn('Dead1') } },
      }),
      resource('Rule1', 'AWS::Events::Rule', {
        EventPattern: { source: ['shop'] },
        Targets: [{ Id: 'T', Arn: arn('Queue1') }],
      }),
      resource('BusPolicy1', 'AWS::Events::EventBusPolicy', {
        StatementId: 's',
        Statement: { Effect: 'Allow', Principal: '*', Action: 'events:PutEvents', Resource: '*' },
      }),
    ]),
  );
  const resolve = createResolver(stack);
  const definitions = readQueues(stack.template, resolve);
  const client = () => Promise.reject(new Error('Nothing is sent.'));
  const queues = {
    definitions,
    client,
    policies: compileQueuePolicies(stack, definitions, readQueuePolicies(stack, resolve)),
  };
  const common = { resolve, client, functions: new Map(), queues: definitions, timesFaster: () => 1 };
  const fromQueues = compileQueueMappings(stack, { ...common, events: new EventEmitter() });
  const fromStreams = compileStreamMappings(stack, { ...common, events: new EventEmitter(), report: () => undefined });
  compilePatternRules(stack, resolve, queues);
  compileBusPolicies(stack, resolve);
  return [...fromQueues, ...fromStreams].map(({ name }) => name);
};

test('known properties are accepted', () => {
  expect(compile({})).toEqual(['FromQueue', 'FromStream']);
});

test('a disabled mapping invokes no function', () => {
  expect(compile({ FromQueue: { Enabled: false } })).toEqual(['FromStream']);
  expect(compile({ FromQueue: { Enabled: true }, FromStream: { Enabled: false } })).toEqual(['FromQueue']);
});

describe('what is unknown, or AWS would refuse, is an error that names it', () => {
  const condition = { StringLike: { 'aws:PrincipalOrgID': 'o-1' } };
  test.each<[string, Readonly<Record<string, Properties>>, string | RegExp]>([
    ['a property of a queue', { Queue1: { Sharing: 1 } }, 'property of Queue1 (AWS::SQS::Queue): Sharing'],
    [
      'a dead-letter queue of another kind',
      { Fifo1: redrive(arn('Dead1')) },
      /^Fifo1 sends dead letters to .*Fixture-Dead1/,
    ],
    [
      'dead letters elsewhere',
      { Queue1: redrive('arn:aws:sqs:r:1:x') },
      'Queue1 sends dead letters to arn:aws:sqs:r:1:x',
    ],
    ['another redrive', { Queue1: redrive(arn('Dead1'), { every: 1 }) }, 'redrive policy of Queue1: every'],
    [
      'a second policy',
      { QueuePolicy1: { Queues: [{ Ref: 'Queue1' }, { Ref: 'Queue1' }] } },
      'a second policy of the queue',
    ],
    [
      'a condition',
      { BusPolicy1: { Statement: statementWith(condition) } },
      'operator StringLike on the condition key aws:Pr',
    ],
    [
      'a filter',
      { FromQueue: { FilterCriteria: { Filters: [] } } },
      'property of FromQueue (AWS::Lambda::EventSourceMapping) from sqs: Fi',
    ],
    ['a source', { FromQueue: { EventSourceArn: 'arn:aws:kinesis:r:1:s' } }, 'event source of FromQueue: kinesis'],
    ['a response', { FromQueue: { FunctionResponseTypes: ['Other'] } }, 'response type of FromQueue: Other'],
    ['a function elsewhere', { FromQueue: { FunctionName: 'g' } }, 'no function g, which FromQueue calls'],
    [
      'a queue elsewhere',
      { FromQueue: { EventSourceArn: 'arn:aws:sqs:r:1:x' } },
      'no queue arn:aws:sqs:r:1:x, which the mapping Fr',
    ],
    [
      'what only streams have',
      { FromQueue: { StartingPosition: 'LATEST' } },
      'FromQueue (AWS::Lambda::EventSourceMapping) from sqs: St',
    ],
    [
      'what only queues have',
      { FromStream: { ScalingConfig: {} } },
      'FromStream (AWS::Lambda::EventSourceMapping) from dynamodb',
    ],
    ['a position', { FromStream: { StartingPosition: 'LATEST' } }, 'starting position of FromStream: LATEST'],
    [
      'failures in a FIFO queue',
      { FromStream: destination(arn('Fifo1')) },
      'Lambda sends failed records only to standard queues',
    ],
    [
      'too short a visibility',
      { Queue1: { VisibilityTimeout: 29 } },
      'visibility timeout: 29 seconds is less than Function timeout: 30',
    ],
    ['a target', { Rule1: { Targets: [{ Id: 'T', Arn: arn('Function1') }] } }, /Rule1 sends to arn:aws:lambda:/],
    [
      'a target’s property',
      { Rule1: { Targets: [{ Id: 'T', Arn: arn('Queue1'), Input: '{}' }] } },
      'rule’s target Input',
    ],
    ['an operator', { Rule1: { EventPattern: { source: [{ prefix: 's' }] } } }, 'does not know {"prefix":"s"}'],
    [
      'neither a schedule nor a pattern',
      { Rule1: { EventPattern: { Ref: 'AWS::NoValue' } } },
      'Rule1 has both or neither',
    ],
  ])('%s', (_, changes, message) => {
    expect(() => compile(changes)).toThrow(message);
  });

  test.each([
    ['receive from its queue', 0, 'sqs:ReceiveMessage on arn:aws:sqs:eu-central-1:000000000000:Fixture-Queue1'],
    ['read its stream', 1, 'dynamodb:DescribeStream on arn:aws:dynamodb:'],
    ['send failed records', 3, 'sqs:SendMessage on arn:aws:sqs:eu-central-1:000000000000:Fixture-Dead1'],
  ])('a role that may not %s', (_, without, refused) => {
    expect(() => compile({}, without)).toThrow(`The role of the function f does not allow ${refused}`);
  });
});

const redrive = (deadLetterTargetArn: unknown, more = {}) => ({
  RedrivePolicy: { deadLetterTargetArn, maxReceiveCount: 2, ...more },
});
const destination = (Destination: unknown) => ({ DestinationConfig: { OnFailure: { Destination } } });
const statementWith = (Condition: object) => ({
  Effect: 'Allow',
  Principal: '*',
  Action: 'events:PutEvents',
  Resource: '*',
  Condition,
});
