// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the notation of Fn::Sub.
import { describe, expect, test } from 'vitest';
import { createResolver } from '../src/template/intrinsics.ts';
import { requireKnownTemplate } from '../src/template/known-template.ts';
import type { Stack, Template } from '../src/template/stack.ts';
import { stackOf } from './fixture.ts';

describe('intrinsics', () => {
  const stack: Stack = {
    ...stackOf(
      {
        Table1: { Type: 'AWS::DynamoDB::GlobalTable', Metadata: { 'aws:cdk:path': 'Stack/Keys/Resource' } },
        Function1: { Type: 'AWS::Lambda::Function', Properties: { FunctionName: 'named' } },
        Function2: {
          Type: 'AWS::Lambda::Function',
          Properties: { FunctionName: { 'Fn::Join': ['-', [{ Ref: 'AWS::StackName' }, 'f']] } },
        },
        Api1: { Type: 'AWS::ApiGateway::RestApi' },
        Alarm1: { Type: 'AWS::CloudWatch::CompositeAlarm' },
        Rule1: { Type: 'AWS::CloudWatch::InsightRule', Properties: { RuleName: 'top' } },
        Topic1: { Type: 'AWS::SNS::Topic' },
        Queue1: { Type: 'AWS::SQS::Queue' },
        Queue2: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
        Stream1: { Type: 'AWS::Kinesis::Stream' },
      },
      {
        Parameters: {
          WithDefault: { Default: 7 },
          Without: {},
          FromSsm: { Type: 'AWS::SSM::Parameter::Value<String>', Default: '/path' },
        },
      },
    ),
    name: 'Stack',
  };
  const resolve = createResolver(stack, { tablePrefix: 'test-' });

  describe('a value of the template resolves as on CloudFormation', () => {
    test.each([
      ['a plain value', { a: [1, 'b', true, null] }, { a: [1, 'b', true, null] }],
      ['Ref of a table', { Ref: 'Table1' }, 'test-Keys'],
      ['Ref of a function', { Ref: 'Function1' }, 'named'],
      ['Ref of a function whose name is computed', { Ref: 'Function2' }, 'Stack-f'],
      ['Ref of a parameter', { Ref: 'WithDefault' }, 7],
      ['a pseudo parameter', { Ref: 'AWS::Partition' }, 'aws'],
      [
        'GetAtt as a list',
        { 'Fn::GetAtt': ['Function1', 'Arn'] },
        'arn:aws:lambda:eu-central-1:000000000000:function:named',
      ],
      ['Ref of an alarm', { Ref: 'Alarm1' }, 'Stack-Alarm1'],
      [
        'the ARN of an alarm',
        { 'Fn::GetAtt': ['Alarm1', 'Arn'] },
        'arn:aws:cloudwatch:eu-central-1:000000000000:alarm:Stack-Alarm1',
      ],
      ['Ref of a Contributor Insights rule', { Ref: 'Rule1' }, 'top'],
      ['Ref of a topic', { Ref: 'Topic1' }, 'arn:aws:sns:eu-central-1:000000000000:Stack-Topic1'],
      ['GetAtt as text', { 'Fn::GetAtt': 'Api1.RootResourceId' }, 'root'],
      [
        'Ref of a queue, with the address of AWS unless there is another',
        { Ref: 'Queue1' },
        'https://sqs.eu-central-1.amazonaws.com/000000000000/Stack-Queue1',
      ],
      ['the name of a queue', { 'Fn::GetAtt': ['Queue2', 'QueueName'] }, 'Stack-Queue2.fifo'],
      ['Join', { 'Fn::Join': ['-', ['a', { Ref: 'Table1' }, 'c']] }, 'a-test-Keys-c'],
      [
        'Sub',
        { 'Fn::Sub': '${Table1}/${Function1.Arn}/${!Literal}' },
        'test-Keys/arn:aws:lambda:eu-central-1:000000000000:function:named/${Literal}',
      ],
      [
        'Sub with variables',
        { 'Fn::Sub': ['${x}-${AWS::Region}', { x: { Ref: 'Table1' } }] },
        'test-Keys-eu-central-1',
      ],
      [
        'NoValue',
        { kept: 1, gone: { Ref: 'AWS::NoValue' }, list: [{ Ref: 'AWS::NoValue' }, 2] },
        { kept: 1, list: [2] },
      ],
      [
        'a policy, whose Condition is no intrinsic',
        { Condition: { Bool: { k: 'v' } } },
        { Condition: { Bool: { k: 'v' } } },
      ],
    ])('%s', (_, value, expected) => {
      expect(resolve(value)).toEqual(expected);
    });
  });

  describe('an unknown intrinsic function or reference is an error that names it', () => {
    test.each([
      [{ 'Fn::ImportValue': 'x' }, 'Fn::ImportValue'],
      [{ deep: [{ 'Fn::If': ['a', 'b', 'c'] }] }, 'Fn::If'],
      [{ Ref: 'Nowhere' }, 'Nowhere'],
      [{ Ref: 'Without' }, 'parameter Without has no default'],
      [{ Ref: 'FromSsm' }, 'parameter FromSsm is read from SSM'],
      ['{{resolve:ssm:/a}}', 'dynamic reference {{resolve:ssm:/a}}'],
      [{ 'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: 'Api1' }, '}}']] }, '{{resolve:secretsmanager:}}'],
      [{ Ref: 'Stream1' }, 'Ref of Stream1 (AWS::Kinesis::Stream)'],
      [{ 'Fn::GetAtt': ['Function1', 'SnapStartResponse'] }, 'attribute SnapStartResponse of Function1'],
      [{ 'Fn::Sub': '${Stream1.Arn}' }, 'attribute Arn of Stream1'],
    ])('%j', (value, message) => {
      expect(() => resolve(value)).toThrow(message);
    });
  });
});

describe('known template', () => {
  const role = { Type: 'AWS::IAM::Role', Properties: {} };

  test.each<[string, object, string]>([
    [
      'a type of resource',
      { Resources: { Stream1: { Type: 'AWS::Kinesis::Stream' } } },
      'type of Stream1: AWS::Kinesis::Stream',
    ],
    [
      'a condition of a resource',
      { Resources: { Role1: { ...role, Condition: 'IsProd' } } },
      'Role1 (AWS::IAM::Role): Condition',
    ],
    ['a transform', { Resources: {}, Transform: 'AWS::Serverless-2016-10-31' }, 'section of the template: Transform'],
  ])('%s that the local run would lack is an error that names it', (_, template, message) => {
    expect(() => requireKnownTemplate(template as Template)).toThrow(message);
  });

  test('a resource without local meaning may have a condition, like CDK’s own metadata', () => {
    const Resources = { CDKMetadata: { Type: 'AWS::CDK::Metadata', Condition: 'CDKMetadataAvailable' } };
    expect(() => requireKnownTemplate({ Resources, Conditions: {} } as Template)).not.toThrow();
  });
});
