import { expect, test } from 'vitest';
import { nestedStacksIn, withNestedStacks } from '../src/template/nested-stacks.ts';

const outer = {
  Resources: {
    Queue: { Type: 'AWS::SQS::Queue' },
    Nested: { Type: 'AWS::CloudFormation::Stack', Properties: { Parameters: { queue: { Ref: 'Queue' } } } },
  },
};
const inner = (id: string) => ({
  Resources: {
    [id]: { Type: 'AWS::CloudWatch::Alarm', Properties: { Of: [{ Ref: 'queue' }, { Ref: 'AWS::Region' }] } },
  },
});

test('the resources of a nested stack stand in its place, and refer to what is passed to it', () => {
  const template = withNestedStacks(outer, ({ logicalId }) => inner(`${logicalId}Alarm`));
  expect(template.Resources).toEqual({
    Queue: { Type: 'AWS::SQS::Queue' },
    NestedAlarm: { Type: 'AWS::CloudWatch::Alarm', Properties: { Of: [{ Ref: 'Queue' }, { Ref: 'AWS::Region' }] } },
  });
  expect(nestedStacksIn(template)).toEqual([]);
});

test('two stacks that both have a resource of one id cannot be told apart', () => {
  expect(() => withNestedStacks(outer, () => inner('Queue'))).toThrow('Two stacks have a resource Queue');
});
