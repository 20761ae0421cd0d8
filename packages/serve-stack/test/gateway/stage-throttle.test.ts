import { describe, expect, test } from 'vitest';
import { createStageThrottle } from '../../src/gateway/rest-api.ts';

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
