import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Consumer,
  type ConsumerName,
  consumers,
  type FailureQueueName,
} from '../../../lambdas/api/background-functions.ts';
import { busVariable, queueVariable } from '../../../lambdas/api/environment.ts';
import { type BusName, type QueueName, queues } from '../../../lambdas/api/queues.ts';
import {
  functionNamed,
  grantsOf,
  logicalIdOf,
  resourceOf,
  roleOf,
  stackName,
  type Template,
  targetIdOf,
  templateOfStage,
  theResource,
} from '../synthesized.ts';
import { queueId } from './queue-policies.ts';

let template: Template;
beforeAll(async () => {
  template = await templateOfStage('example');
});

const busId = (name: BusName) => resourceOf(template, 'AWS::Events::EventBus', `${capitalized(name)}Bus`)[0];
const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const deadLettersOf = (queue: QueueName) =>
  resourceOf(template, 'AWS::SQS::Queue', `IntegrationsQueues${queue}DeadLetters`)[0];
const failureQueue = (queue: FailureQueueName) =>
  resourceOf(template, 'AWS::SQS::Queue', `IntegrationsConsumers${queue}`)[0];

describe.each(Object.entries<Consumer>(consumers) as [ConsumerName, Consumer][])('%s', (name, row) => {
  const own = () => functionNamed(template, `${stackName}-${name}`);
  const mapping = () =>
    resourceOf(template, 'AWS::Lambda::EventSourceMapping', `IntegrationsConsumers${name}Source`)[1];
  const source = row.source;
  const failures = () => {
    if ('stream' in source) return failureQueue(source.failureQueue);
    return queues[source.queue].direction === 'in' ? deadLettersOf(source.queue) : undefined;
  };

  test('receives the batches of its row, and returns only the failed messages', () => {
    const { Properties } = mapping();
    expect(Properties.FunctionName).toEqual({ Ref: own()[0] });
    expect(Properties.BatchSize).toBe(row.batchSize);
    expect(Properties.MaximumBatchingWindowInSeconds).toBeUndefined();
    expect(Properties.ScalingConfig?.MaximumConcurrency).toBe(row.maxConcurrency);
    expect(Properties.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
    expect(own()[1].Properties.Timeout).toBe(row.timeoutSeconds);
  });

  test('has no recursion check if it sends to its own queue; otherwise Lambda stops a loop', () => {
    const sends = 'queue' in source && row.queueActions?.[source.queue]?.includes('SendMessage');
    expect(own()[1].Properties.RecursiveLoop).toBe(sends ? 'Allow' : undefined);
  });

  test('has only its row’s filter, since Lambda deletes what a filter does not match', () => {
    const { attribute, text } = ('stream' in source && source.onlyIf) || {};
    const pattern = { dynamodb: { NewImage: { [`${attribute}`]: { S: [text] } } } };
    expect(mapping().Properties.FilterCriteria).toEqual(
      attribute && { Filters: [{ Pattern: JSON.stringify(pattern) }] },
    );
  });

  test('may do exactly what its row says, receive from its source, and write its log', () => {
    const [, { Properties: role }] = roleOf(template, own()[1]);
    const logGroup = own()[1].Properties.LoggingConfig.LogGroup.Ref;
    expect(logGroup).toMatch(/^ConsumerLog/);
    const ofSource =
      'queue' in source
        ? [
            ...['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'].map(
              (action) => `sqs:${action} on ${queueId(template, source.queue)}`,
            ),
            ...(failures() ? [`sqs:SendMessage on ${failures()}`] : []),
          ]
        : [
            ...['DescribeStream', 'GetRecords', 'GetShardIterator'].map(
              (action) => `dynamodb:${action} on ${logicalIdOf(template, source.stream)} stream`,
            ),
            'dynamodb:ListStreams on *',
            `sqs:SendMessage on ${failureQueue(source.failureQueue)}`,
          ];
    expect(grantsOf(template, role)).toEqual(
      new Set([
        ...Object.entries(row.tableActions).flatMap(([table, actions]) =>
          actions.map((action) => `dynamodb:${action} on ${targetIdOf(template, table)}`),
        ),
        ...Object.entries(row.queueActions ?? {}).flatMap(([queue, actions]) =>
          actions.map((action) => `sqs:${action} on ${queueId(template, queue as QueueName)}`),
        ),
        ...(row.macKeys ?? []).map(
          () => `kms:GenerateMac on ${logicalIdOf(template, 'WebhookSecrets', 'AWS::KMS::Key')}`,
        ),
        ...(row.buses ?? []).map((bus) => `events:PutEvents on ${busId(bus)}`),
        ...ofSource,
        `logs:CreateLogStream on ${logGroup}`,
        `logs:PutLogEvents on ${logGroup}`,
      ]),
    );
  });

  test('has the queue for failures in its environment', () => {
    const variable = own()[1].Properties.Environment.Variables[queueVariable('failures')];
    expect(variable).toEqual(failures() && { Ref: failures() });
  });

  test('has only the buses of its row in its environment', () => {
    const variables = Object.entries(own()[1].Properties.Environment.Variables);
    expect(Object.fromEntries(variables.filter(([name]) => name.endsWith('_BUS')))).toEqual(
      Object.fromEntries((row.buses ?? []).map((bus) => [busVariable(bus), { Ref: busId(bus) }])),
    );
  });

  test('has a visibility timeout of six times its timeout, or retries until the stream drops records', () => {
    if ('queue' in source) {
      const { visibilityTimeoutSeconds } = queues[source.queue];
      expect(visibilityTimeoutSeconds).toBeGreaterThanOrEqual(6 * row.timeoutSeconds);
      expect(mapping().Properties.EventSourceArn).toEqual({ 'Fn::GetAtt': [queueId(template, source.queue), 'Arn'] });
      return;
    }
    expect(mapping().Properties).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': [logicalIdOf(template, source.stream), 'StreamArn'] },
      StartingPosition: 'TRIM_HORIZON',
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 10_000,
      ParallelizationFactor: source.batchesPerShard ?? 1,
      MaximumRecordAgeInSeconds: 23 * 3600,
      DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [failureQueue(source.failureQueue), 'Arn'] } } },
    });
    expect(mapping().DependsOn).toContain(theResource(template, 'AWS::ApiGateway::Stage')[0]);
  });
});

test('reports of gateways cannot change a contract', () => {
  const [, { Properties: role }] = roleOf(template, functionNamed(template, `${stackName}-takeGatewayReports`)[1]);
  expect(JSON.stringify(role)).not.toContain(logicalIdOf(template, 'Contracts'));
});
