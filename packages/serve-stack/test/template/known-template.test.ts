import { expect, test } from 'vitest';
import { requireKnownTemplate } from '../../src/template/known-template.ts';
import type { Template } from '../../src/template/template.ts';

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
])('%s that would be missing in the local run is an error that names it', (_, template, message) => {
  expect(() => requireKnownTemplate(template as Template)).toThrow(message);
});

test('a resource that means nothing here may have a condition, as CDK’s own metadata has', () => {
  const Resources = { CDKMetadata: { Type: 'AWS::CDK::Metadata', Condition: 'CDKMetadataAvailable' } };
  expect(() => requireKnownTemplate({ Resources, Conditions: {} } as Template)).not.toThrow();
});
