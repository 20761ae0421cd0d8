import { expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { stageConfig } from '../../../config/schema.ts';
import { resourcesOf, synthesize, templateOfStage } from '../synthesized.ts';

const config = loadStageConfig('example');

test('a stage without a limit of addresses has no AWS WAF, which is paid', async () => {
  const template = await templateOfStage('example');
  expect(Object.values(template.Resources).filter(({ Type }) => Type.startsWith('AWS::WAFv2'))).toEqual([]);
});

test('a stage with one refuses an address beyond it, on its API Gateway stage, and samples no request', async () => {
  const template = await synthesize({ ...config, addressLimit: { requestsPerMinute: 1200 } });
  const [[aclId, acl]] = resourcesOf(template, 'AWS::WAFv2::WebACL') as [ReturnType<typeof resourcesOf>[number]];
  expect(acl.Properties.Rules).toMatchObject([
    {
      Action: { Block: {} },
      Statement: { RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 60, Limit: 1200 } },
      VisibilityConfig: { SampledRequestsEnabled: false },
    },
  ]);
  const [[, association]] = resourcesOf(template, 'AWS::WAFv2::WebACLAssociation') as [
    ReturnType<typeof resourcesOf>[number],
  ];
  expect(association.Properties.WebACLArn).toEqual({ 'Fn::GetAtt': [aclId, 'Arn'] });
  const [[stageId]] = resourcesOf(template, 'AWS::ApiGateway::Stage') as [ReturnType<typeof resourcesOf>[number]];
  expect(JSON.stringify(association.Properties.ResourceArn)).toContain(`"Ref":"${stageId}"`);
});

test('a limit that AWS WAF does not take is refused with the configuration', () => {
  const { error } = stageConfig.safeParse({ ...config, addressLimit: { requestsPerMinute: 9 } });
  expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
    ['addressLimit.requestsPerMinute', 'is below 10, which AWS WAF does not take; write a larger number.'],
  ]);
});
