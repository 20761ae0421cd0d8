import { beforeAll, expect, test } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import { grantsOf, logicalIdOf } from './functions-and-roles.ts';
import {
  type Resource,
  resourceOf,
  resourcesOf,
  stackName,
  type Template,
  templateOfStage,
  theResource,
} from './synthesized.ts';

const config = loadStageConfig('example');
let template: Template;
let pipe: Resource['Properties'];
let table: string;
let bus: string;
beforeAll(async () => {
  template = await templateOfStage('example');
  pipe = theResource(template, 'AWS::Pipes::Pipe')[1].Properties;
  table = logicalIdOf(template, 'KeyNotices');
  [bus] = resourceOf(template, 'AWS::Events::EventBus', 'Notices');
});

test('new rows of notices, none that are removed, go to the bus of the stage from the first one on', () => {
  expect(pipe).toMatchObject({
    Source: { 'Fn::GetAtt': [table, 'StreamArn'] },
    Target: { 'Fn::GetAtt': [bus, 'Arn'] },
    SourceParameters: { DynamoDBStreamParameters: { StartingPosition: 'TRIM_HORIZON' } },
    TargetParameters: {
      EventBridgeEventBusParameters: { Source: 'partner-api', DetailType: 'API key expiring' },
    },
  });
  const filters = pipe.SourceParameters.FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) =>
    JSON.parse(Pattern),
  );
  expect(filters).toEqual([{ eventName: ['INSERT'] }]);
  expect(template.Resources[bus]?.Properties.Name).toBe(`${stackName}-notices`);
  expect(template.Outputs.NoticeBus?.Value).toEqual({ 'Fn::GetAtt': [bus, 'Arn'] });
});

test('the pipe is created last, when its stream can be read, and may be replaced, since it has no name of its own', () => {
  const [[, { DependsOn }]] = resourcesOf(template, 'AWS::Pipes::Pipe') as [[string, Resource]];
  const [stage] = theResource(template, 'AWS::ApiGateway::Stage');
  expect(DependsOn).toContain(stage);
  expect(pipe).not.toHaveProperty('Name');
});

test('notices are kept for a rule that comes late, and under no name that would forbid to replace what keeps them', () => {
  const [, { Properties }] = resourceOf(template, 'AWS::Events::Archive', 'Notices');
  expect(Properties).toMatchObject({
    SourceArn: { 'Fn::GetAtt': [bus, 'Arn'] },
    EventPattern: { source: ['partner-api'] },
    RetentionDays: 90,
  });
  expect(Properties).not.toHaveProperty('ArchiveName');
});

test('the alarm counts every way in which the pipe can fail', () => {
  const keyWatch = resourcesOf(template, 'AWS::CloudWatch::Alarm').find(
    ([, { Properties }]) => Properties.AlarmName === `${stackName}-key-watch`,
  )?.[1].Properties;
  const watched = keyWatch?.Metrics.flatMap(({ MetricStat }: { MetricStat?: { Metric: { MetricName: string } } }) =>
    MetricStat ? [MetricStat.Metric.MetricName] : [],
  );
  expect(watched.toSorted()).toEqual([
    'Errors',
    'ExecutionFailed',
    'ExecutionPartiallyFailed',
    'ExecutionThrottled',
    'ExecutionTimeout',
  ]);
});

test('the pipe may read that stream and put on that bus, and only the pipes of this account take its role', () => {
  const role = template.Resources[pipe.RoleArn['Fn::GetAtt'][0]]?.Properties as Resource['Properties'];
  expect(grantsOf(template, role)).toEqual(
    new Set([
      ...['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(
        (action) => `dynamodb:${action} on ${table} stream`,
      ),
      `events:PutEvents on ${bus}`,
    ]),
  );
  expect(role.AssumeRolePolicyDocument.Statement).toEqual([
    {
      Action: 'sts:AssumeRole',
      Effect: 'Allow',
      Principal: { Service: 'pipes.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': config.account } },
    },
  ]);
});
