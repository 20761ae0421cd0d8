import { expect, test } from 'vitest';
import type { Resource } from '../../../infra/assembly.ts';
import type { StackPlace } from '../../../infra/checks/check.ts';
import { policyLength } from '../../../infra/checks/policy-sizes.ts';
import { attributesByType, longestForm } from '../../../infra/checks/reference-lengths.ts';

const place: StackPlace = { stackName: 'PartnerApi-prod', account: '111122223333', region: 'eu-central-1' };
const random = 'X'.repeat(14);
const uuid = '00000000-0000-0000-0000-000000000000';
const arn = (service: string, resource: string) => `arn:aws:${service}:eu-central-1:111122223333:${resource}`;
const made = (logicalId: string) => `PartnerApi-prod-${logicalId}-${random}`;

type Case = readonly [type: string, attribute: string, properties: NonNullable<Resource['Properties']>, form: string];

/** The documented form of each reference, with the longest name that CloudFormation can generate. */
const cases: readonly Case[] = [
  ['AWS::ApiGateway::RestApi', '', {}, 'abcdefghij'],
  ['AWS::DynamoDB::GlobalTable', '', {}, made('Thing0A1B2C3D')],
  ['AWS::DynamoDB::GlobalTable', '', { TableName: 'own' }, 'own'],
  ['AWS::DynamoDB::GlobalTable', 'Arn', {}, arn('dynamodb', `table/${made('Thing0A1B2C3D')}`)],
  [
    'AWS::DynamoDB::GlobalTable',
    'StreamArn',
    {},
    arn('dynamodb', `table/${made('Thing0A1B2C3D')}/stream/2026-01-01T00:00:00.000`),
  ],
  ['AWS::Events::EventBus', '', { Name: 'own' }, 'own'],
  ['AWS::Events::EventBus', 'Arn', { Name: { Ref: 'AWS::StackName' } }, arn('events', 'event-bus/PartnerApi-prod')],
  ['AWS::Events::Rule', 'Arn', {}, arn('events', `rule/${made('Thing0A1B2C3D')}`)],
  ['AWS::Events::Rule', 'Arn', { Name: 'own', EventBusName: 'bus' }, arn('events', 'rule/bus/own')],
  ['AWS::KMS::Key', '', {}, uuid],
  // The id of a multi-Region key, `mrk-` and 32 digits, is as long as a UUID.
  ['AWS::KMS::Key', 'Arn', { MultiRegion: true }, arn('kms', `key/${uuid}`)],
  ['AWS::Lambda::EventSourceMapping', '', {}, uuid],
  ['AWS::Lambda::Function', '', { FunctionName: 'own' }, 'own'],
  ['AWS::Lambda::Function', 'Arn', {}, arn('lambda', `function:${made('Thing0A1B2C3D')}`)],
  ['AWS::Logs::LogGroup', '', {}, made('Thing0A1B2C3D')],
  ['AWS::Logs::LogGroup', 'Arn', {}, arn('logs', `log-group:${made('Thing0A1B2C3D')}:*`)],
  ['AWS::SQS::Queue', 'Arn', {}, arn('sqs', made('Thing0A1B2C3D'))],
  ['AWS::SQS::Queue', 'Arn', { FifoQueue: true }, arn('sqs', `${made('Thing0A1B2C3D')}.fifo`)],
  ['AWS::WAFv2::IPSet', 'Arn', { Name: 'own' }, arn('wafv2', `regional/ipset/own/${uuid}`)],
];

const reference = (attribute: string) =>
  attribute === '' ? { Ref: 'Thing0A1B2C3D' } : { 'Fn::GetAtt': ['Thing0A1B2C3D', attribute] };

test.each(cases)('%s "%s" with %o is %s', (type, attribute, properties, form) => {
  const template = { Resources: { Thing0A1B2C3D: { Type: type, Properties: properties } } };
  expect(longestForm(reference(attribute), template, place)).toBe(form);
});

test('each row of the table is one of these cases', () => {
  const rows = Object.entries(attributesByType).flatMap(([type, forms]) =>
    Object.keys(forms).map((attribute) => `${type} "${attribute}"`),
  );
  expect(new Set(cases.map(([type, attribute]) => `${type} "${attribute}"`))).toEqual(new Set(rows));
});

test('a name is cut to its service’s limit, that of a queue before its suffix', () => {
  const long = 'L'.repeat(90);
  const lengthOf = (Type: string, Properties: NonNullable<Resource['Properties']>, value: object) =>
    String(longestForm(value, { Resources: { [long]: { Type, Properties } } }, place))
      .split(/[:/]/)
      .at(-1)?.length;
  expect(lengthOf('AWS::SQS::Queue', { FifoQueue: true }, { 'Fn::GetAtt': [long, 'Arn'] })).toBe(80);
  expect(lengthOf('AWS::Lambda::Function', {}, { 'Fn::GetAtt': [long, 'Arn'] })).toBe(64);
  expect(lengthOf('AWS::DynamoDB::GlobalTable', {}, { Ref: long })).toBe(16 + 90 + 15);
});

test.each<[name: string, value: unknown, form: string]>([
  [
    'pseudo parameters',
    { 'Fn::Join': ['-', [{ Ref: 'AWS::Partition' }, { Ref: 'AWS::AccountId' }]] },
    'aws-111122223333',
  ],
  ['a part of a text', { 'Fn::Select': [3, { 'Fn::Split': [':', { 'Fn::GetAtt': ['Key', 'Arn'] }] }] }, 'eu-central-1'],
  [
    'a substituted text',
    { 'Fn::Sub': [`\${Key.Arn}/\${Key}/\${own}/\${!kept}`, { own: { Ref: 'AWS::Region' } }] },
    `${arn('kms', `key/${uuid}`)}/${uuid}/eu-central-1/\${kept}`,
  ],
  ['an attribute as one text', { 'Fn::GetAtt': 'Key.Arn' }, arn('kms', `key/${uuid}`)],
])('%s are resolved', (_, value, form) => {
  expect(longestForm(value, { Resources: { Key: { Type: 'AWS::KMS::Key' } } }, place)).toBe(form);
});

test('another partition has longer ARNs', () => {
  const template = { Resources: { Key: { Type: 'AWS::KMS::Key' } } };
  const lengthIn = (region: string) => policyLength([{ 'Fn::GetAtt': ['Key', 'Arn'] }], template, { ...place, region });
  expect(lengthIn('us-gov-west-1') - lengthIn('eu-central-1')).toBe('aws-us-gov'.length - 'aws'.length + 1);
});

test.each<[what: string, value: object]>([
  ['AWS::SNS::Topic', { Ref: 'Topic' }],
  ['AWS::SNS::Topic.TopicName', { 'Fn::GetAtt': ['Topic', 'TopicName'] }],
  ['Elsewhere', { Ref: 'Elsewhere' }],
  ['Fn::ImportValue', { 'Fn::ImportValue': 'x' }],
])('%s, whose length is unknown, is an error that names it', (what, value) => {
  expect(() => longestForm(value, { Resources: { Topic: { Type: 'AWS::SNS::Topic' } } }, place)).toThrow(what);
});

test('white space does not count', () => {
  expect(policyLength({ Action: 'a b' }, { Resources: {} }, place)).toBe('{"Action":"ab"}'.length);
});
