import { beforeAll, expect, test } from 'vitest';
import { type Template, templateOfStage, theResource } from './synthesized.ts';

let template: Template;
beforeAll(async () => {
  template = await templateOfStage('example');
});

/** Written out: another key computes other secrets, and every webhook of every partner would be refused. */
test('the key of webhook secrets is what it has always been, and outlives its stack', () => {
  const [logicalId, { Properties, DeletionPolicy, UpdateReplacePolicy }] = theResource(template, 'AWS::KMS::Key');
  expect(logicalId).toBe('WebhookSecretsC35BAB69');
  expect(Properties).toMatchObject({ KeySpec: 'HMAC_256', KeyUsage: 'GENERATE_VERIFY_MAC', MultiRegion: true });
  expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain']);
});

test('nobody outside of the account may use the key', () => {
  const [, { Properties }] = theResource(template, 'AWS::KMS::Key');
  const principals = Properties.KeyPolicy.Statement.map(({ Principal }: { Principal: object }) => Principal);
  expect(JSON.stringify(principals)).toMatch(/^\[\{"AWS":.*:root"\}\]$/);
});
