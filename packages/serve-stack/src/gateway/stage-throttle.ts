import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';
import { GatewayError } from './gateway-error.ts';

/** An entry of a stage's `MethodSettings`. */
export type MethodSetting = {
  readonly HttpMethod: string;
  readonly ResourcePath: string;
  readonly MetricsEnabled?: boolean;
  readonly ThrottlingBurstLimit?: number;
  readonly ThrottlingRateLimit?: number;
};

const knownSettings = [
  ...['HttpMethod', 'ResourcePath', 'ThrottlingBurstLimit', 'ThrottlingRateLimit'],
  // Logs and metrics in CloudWatch.
  ...['DataTraceEnabled', 'LoggingLevel', 'MetricsEnabled'],
];

/** An account has these where a stage names one limit only. */
const accountLimits = { burst: 5000, rate: 10_000 };

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
  const { ThrottlingBurstLimit, ThrottlingRateLimit } = settings[0] ?? {};
  if (ThrottlingBurstLimit === undefined && ThrottlingRateLimit === undefined) return () => undefined;

  const { burst = accountLimits.burst, rate = accountLimits.rate } = {
    burst: ThrottlingBurstLimit,
    rate: ThrottlingRateLimit,
  };
  const intervalMs = 1000 / rate;
  // A bucket is one number: the time at which it is full again.
  const fullAtMs = new Map<string, number>();
  return (method, nowMs) => {
    const atMs = fullAtMs.get(method) ?? 0;
    if (atMs > nowMs + (burst - 1) * intervalMs) throw new GatewayError('THROTTLED');
    fullAtMs.set(method, Math.max(atMs, nowMs) + intervalMs);
  };
};
