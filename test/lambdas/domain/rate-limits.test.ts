import { describe, expect, test } from 'vitest';
import { bucketIdOf, rateLimitKeyOf, unknownGatewayKeyOf } from '../../../lambdas/domain/rate-limits.ts';

describe('rate limit key', () => {
  test('a key has its gateway, if there is one, and the ids in its path', () => {
    const path = '/hvacs/{gatewayId}/heatingCircuits/{circuitId}';
    const key = rateLimitKeyOf('acme', 'getCircuit', path, { gatewayId: 'gw-1', circuitId: 'hc1' });
    expect(key).toStrictEqual({
      companyId: 'acme',
      gatewayId: 'gw-1',
      endpoint: 'getCircuit',
      path: '/hvacs/gw-1/heatingCircuits/hc1',
    });
    expect(bucketIdOf(key)).toBe('acme|getCircuit|/hvacs/gw-1/heatingCircuits/hc1');
    expect(rateLimitKeyOf('acme', 'getWebhook', '/webhooks/{webhookId}', { webhookId: 'wh_1' })).toStrictEqual({
      companyId: 'acme',
      endpoint: 'getWebhook',
      path: '/webhooks/wh_1',
    });
  });

  test('all gateways that a contract does not cover share one bucket of their company', () => {
    expect(bucketIdOf(unknownGatewayKeyOf('acme'))).toBe('acme|gateway-not-in-contract|/hvacs/{gatewayId}');
  });
});
