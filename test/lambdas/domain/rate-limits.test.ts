import { describe, expect, test } from 'vitest';
import { bucketIdOf, rateLimitKeyOf, unknownGatewayKeyOf } from '../../../lambdas/domain/rate-limits.ts';

describe('rate limit key', () => {
  test('rule 19: a bucket has its company, its gateway if there is one, its operation and its path', () => {
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

  test('rule 20: every id is a part of the path, and each value of it has a bucket', () => {
    const path = '/hvacs/{gatewayId}/heatingCircuits/{circuitId}/timePrograms/{timeProgramId}';
    const [gatewayId, circuitId, timeProgramId] = ['gw-1', 'hc1', '1'];
    const buckets = [
      { gatewayId, circuitId, timeProgramId },
      { gatewayId: 'gw-2', circuitId, timeProgramId },
      { gatewayId, circuitId: 'hc2', timeProgramId },
      { gatewayId, circuitId, timeProgramId: '2' },
    ].map((ids) => bucketIdOf(rateLimitKeyOf('acme', 'updateProgram', path, ids)));
    expect(new Set(buckets).size).toBe(buckets.length);
  });

  test('all gateways that a contract does not cover share one bucket of their company', () => {
    expect(bucketIdOf(unknownGatewayKeyOf('acme'))).toBe('acme|gateway-not-in-contract|/hvacs/{gatewayId}');
  });
});
