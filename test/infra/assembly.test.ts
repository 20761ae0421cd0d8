import { expect, test } from 'vitest';
import { mergeNestedStacks, nestedStacksIn, type Template } from '../../infra/assembly.ts';

const outer: Template = {
  Resources: {
    Queue: { Type: 'AWS::SQS::Queue' },
    Nested: { Type: 'AWS::CloudFormation::Stack', Properties: { Parameters: { queue: { Ref: 'Queue' } } } },
  },
};
const alarm = (id: string): Template => ({
  Resources: {
    [id]: { Type: 'AWS::CloudWatch::Alarm', Properties: { Of: [{ Ref: 'queue' }, { Ref: 'AWS::Region' }] } },
  },
});

test('the resources of a nested stack replace it, with the values of its parameters', () => {
  const template = mergeNestedStacks(outer, ({ logicalId }) => alarm(`${logicalId}Alarm`));
  expect(template.Resources).toEqual({
    Queue: { Type: 'AWS::SQS::Queue' },
    NestedAlarm: { Type: 'AWS::CloudWatch::Alarm', Properties: { Of: [{ Ref: 'Queue' }, { Ref: 'AWS::Region' }] } },
  });
  expect(nestedStacksIn(template)).toEqual([]);
});

test('a resource that depends on a nested stack depends on each of its resources', () => {
  const deployment = (DependsOn: string | string[]) => ({ Type: 'AWS::ApiGateway::Deployment', DependsOn });
  const both = { One: deployment('Nested'), Several: deployment(['Queue', 'Nested']), None: deployment('Queue') };
  const { Resources } = mergeNestedStacks({ Resources: { ...outer.Resources, ...both } }, () => ({
    Resources: { ...alarm('First').Resources, ...alarm('Second').Resources },
  }));
  const dependencies = Object.keys(both).map((id) => Resources[id]?.DependsOn);
  expect(dependencies).toEqual([['First', 'Second'], ['Queue', 'First', 'Second'], ['Queue']]);
});

test('two stacks with a resource of the same id are refused', () => {
  expect(() => mergeNestedStacks(outer, () => alarm('Queue'))).toThrow('Two stacks have a resource Queue');
});
