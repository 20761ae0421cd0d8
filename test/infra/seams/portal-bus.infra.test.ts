import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { inboundEvents, inboundEventTypes } from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { resourceOf, type Template, templateOfStage, theResource } from '../synthesized.ts';
import { queueId } from './queue-policies.ts';

let template: Template;
beforeAll(async () => {
  template = await templateOfStage('example');
});

describe('the bus of the portal', () => {
  const [portal] = loadStageConfig('example').neighbours?.portalPrincipals ?? [];
  const types = inboundEventTypes.filter((type) => inboundEvents[type].queue === 'portalEvents');

  test('takes from the portal its own events alone', () => {
    expect(types.length).toBeGreaterThan(3);
    expect(theResource(template, 'AWS::Events::EventBusPolicy')[1].Properties.Statement).toMatchObject({
      Effect: 'Allow',
      Principal: { AWS: portal },
      Action: 'events:PutEvents',
      Condition: { StringEquals: { 'events:source': 'portal', 'events:detail-type': types } },
    });
  });

  test('sends each of them to the queue as the portal wrote it, and keeps what it cannot deliver for a day', () => {
    const { EventPattern, Targets } = resourceOf(template, 'AWS::Events::Rule', 'SeamsPortal')[1].Properties;
    expect(EventPattern).toEqual({ source: ['portal'], 'detail-type': types });
    const [undelivered] = resourceOf(template, 'AWS::SQS::Queue', 'SeamsPortalUndelivered');
    expect(Targets).toMatchObject([
      {
        Arn: { 'Fn::GetAtt': [queueId(template, 'portalEvents'), 'Arn'] },
        InputPath: '$.detail',
        DeadLetterConfig: { Arn: { 'Fn::GetAtt': [undelivered, 'Arn'] } },
        RetryPolicy: { MaximumEventAgeInSeconds: 86_400 },
      },
    ]);
  });

  test('keeps them for a replay, under no name that would forbid to replace what keeps them', () => {
    const { Properties } = resourceOf(template, 'AWS::Events::Archive', 'SeamsPortal')[1];
    expect(Properties).toMatchObject({ EventPattern: { source: ['portal'] }, RetentionDays: 90 });
    expect(Properties).not.toHaveProperty('ArchiveName');
  });
});
