import { describe, expect, test } from 'vitest';
import { compileTemplate } from '../../../../local/aws/gateway/context-variables.ts';
import { compileGatewayResponses } from '../../../../local/aws/gateway/gateway-responses.ts';
import { createStageThrottle } from '../../../../local/aws/gateway/stage-throttle.ts';

const stageWide = { HttpMethod: '*', ResourcePath: '/*' };

describe('the stage’s throttle', () => {
  test('admits the burst at once and then the rate, for each method by itself', () => {
    const throttle = createStageThrottle([{ ...stageWide, ThrottlingBurstLimit: 3, ThrottlingRateLimit: 10 }]);
    const admitted = (method: string, nowMs: number) => {
      try {
        throttle(method, nowMs);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ type: 'THROTTLED', status: 429 });
        return false;
      }
    };
    const atOnce = Array.from({ length: 5 }, () => admitted('GET /a', 1000));
    expect(atOnce).toEqual([true, true, true, false, false]);
    expect(admitted('GET /b', 1000)).toBe(true);
    expect([1099, 1100, 1150, 1200].map((nowMs) => admitted('GET /a', nowMs))).toEqual([false, true, false, true]);
  });

  test('a setting that the local run does not know is an error', () => {
    expect(() => createStageThrottle([{ ...stageWide, CachingEnabled: true } as never])).toThrow('CachingEnabled');
    expect(() => createStageThrottle([{ HttpMethod: 'GET', ResourcePath: '/~1a' }])).toThrow('GET /~1a');
  });
});

describe('a word of the template that the local run cannot fill in is an error before it serves anything', () => {
  test.each(['$context.authorizer.principalId', '$stageVariables.x', '$input.body', '$context.nowhere'])(
    '%s',
    (variable) => {
      expect(() => compileTemplate(`{"x":"${variable}"}`)).toThrow(variable);
    },
  );

  test.each([
    [{ ResponseParameters: { 'gatewayresponse.header.x': 'method.request.header.y' } }, 'method.request.header.y'],
    [{ ResponseParameters: { 'gatewayresponse.body.x': "'y'" } }, 'gatewayresponse.body.x'],
    [{ ResponseTemplates: { 'text/html': '' } }, 'text/html'],
  ])('%j', (properties, message) => {
    expect(() => compileGatewayResponses([{ ResponseType: 'DEFAULT_4XX', ...properties } as never])).toThrow(message);
  });
});
