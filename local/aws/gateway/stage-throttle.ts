import { arrivalAfterConsumingMs, retryAfterMs } from '../../../lambdas/domain/rate-limits/token-bucket.ts';
import { requireKnown } from '../require-known.ts';
import { UserFacingError } from '../user-facing-error.ts';
import { GatewayError } from './gateway-error.ts';

/** An entry of a stage's `MethodSettings`. */
export type MethodSetting = {
  readonly HttpMethod: string;
  readonly ResourcePath: string;
  readonly ThrottlingBurstLimit?: number;
  readonly ThrottlingRateLimit?: number;
};

const knownSettings = [
  ...['HttpMethod', 'ResourcePath', 'ThrottlingBurstLimit', 'ThrottlingRateLimit'],
  // Logs and metrics in CloudWatch.
  ...['DataTraceEnabled', 'LoggingLevel', 'MetricsEnabled'],
];

/** Spends a token of the method's bucket or refuses; every method of the stage has a bucket of its own. */
export type StageThrottle = (method: string, nowMs: number) => void;

export const createStageThrottle = (settings: readonly MethodSetting[] = []): StageThrottle => {
  for (const { HttpMethod, ResourcePath, ...setting } of settings) {
    requireKnown('stage setting', Object.keys(setting), knownSettings);
    if (HttpMethod !== '*' || ResourcePath !== '/*')
      throw new UserFacingError(
        `The local run does not know stage settings for one method: ${HttpMethod} ${ResourcePath}.`,
      );
  }
  const { ThrottlingBurstLimit: burst, ThrottlingRateLimit: rate } = settings[0] ?? {};
  if (burst === undefined || rate === undefined) return () => undefined;

  const limit = { burst, refillIntervalMs: 1000 / rate };
  const arrivals = new Map<string, number>();
  return (method, nowMs) => {
    const arrivalMs = arrivals.get(method) ?? 0;
    if (retryAfterMs(arrivalMs, nowMs, limit) > 0) throw new GatewayError('THROTTLED');
    arrivals.set(method, arrivalAfterConsumingMs(arrivalMs, nowMs, limit));
  };
};
