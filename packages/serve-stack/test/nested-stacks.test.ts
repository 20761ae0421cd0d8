import { expect, test } from 'vitest';
import { withNestedStacks } from '../src/template/nested-stacks.ts';

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

test('the resources of a nested stack replace it, and refer to the passed parameters', () => {
  const template = withNestedStacks(outer, ({ logicalId }) => inner(`${logicalId}Alarm`));
  expect(template.Resources).toEqual({
    Queue: { Type: 'AWS::SQS::Queue' },
    NestedAlarm: { Type: 'AWS::CloudWatch::Alarm', Properties: { Of: [{ Ref: 'Queue' }, { Ref: 'AWS::Region' }] } },
  });
});

test('a dependency on a nested stack is one on each of its resources, and other dependencies stay', () => {
  const dependent = (DependsOn: string | string[]) => ({ Type: 'AWS::ApiGateway::Deployment', DependsOn });
  const both = { One: dependent('Nested'), Several: dependent(['Queue', 'Nested']), None: dependent('Queue') };
  const template = withNestedStacks({ Resources: { ...outer.Resources, ...both } }, () => ({
    Resources: { ...inner('First').Resources, ...inner('Second').Resources },
  }));
  const dependencies = Object.keys(both).map((id) => template.Resources[id as keyof typeof both]?.DependsOn);
  expect(dependencies).toEqual([['First', 'Second'], ['Queue', 'First', 'Second'], ['Queue']]);
});

test('a resource id in two stacks is an error', () => {
  expect(() => withNestedStacks(outer, () => inner('Queue'))).toThrow('Two stacks have a resource Queue');
});
