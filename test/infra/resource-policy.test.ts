import { describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import { resourcePolicy } from '../../infra/resource-policy.ts';
import { synthesize, theResource } from './synthesized.ts';

describe('the resource policy', () => {
  test('stands literally in the template: registered addresses are allowed, plain HTTP is denied, all else is not allowed', async () => {
    const [, { Properties }] = theResource(await synthesize(loadStageConfig('example')), 'AWS::ApiGateway::RestApi');
    const invocation = { Principal: { AWS: '*' }, Action: 'execute-api:Invoke', Resource: 'execute-api:/*' };
    expect(Properties.Policy).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          ...invocation,
          Condition: {
            IpAddress: {
              'aws:SourceIp': [
                '192.0.2.0/28',
                '198.51.100.7/32',
                '2001:db8:1::/48',
                '2001:db8:2:1::25/128',
                '203.0.113.16/29',
              ],
            },
          },
        },
        { Effect: 'Deny', ...invocation, Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      ],
    });
  });

  test('keeps a single address a list', () => {
    expect(resourcePolicy(['192.0.2.1/32']).toJSON().Statement[0].Condition.IpAddress).toEqual({
      'aws:SourceIp': ['192.0.2.1/32'],
    });
  });

  test('takes as many addresses as API Gateway takes characters, and refuses the next with the numbers and the way out', () => {
    const lengthOf = (count: number) => JSON.stringify(resourcePolicy(addresses(count)).toJSON()).length;
    const most = longestAllowed();
    expect(lengthOf(most)).toBeLessThanOrEqual(8192);
    expect(most).toBeGreaterThan(350);
    expect(() => resourcePolicy(addresses(most + 1))).toThrow(
      new RegExp(
        `^The resource policy for ${most + 1} CIDR blocks has 8\\d{3} characters; API Gateway takes 8192\\. .* AWS WAF IP set`,
      ),
    );
  });
});

const addresses = (count: number) => Array.from({ length: count }, (_, i) => `198.51.${100 + (i >> 8)}.${i & 255}/32`);

const longestAllowed = () => {
  let count = 0;
  for (;;)
    try {
      resourcePolicy(addresses(count + 1));
      count += 1;
    } catch {
      return count;
    }
};
