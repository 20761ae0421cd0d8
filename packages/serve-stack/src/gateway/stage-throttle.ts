import { requireKnown, UserFacingError } from '../errors.ts';
import { GatewayError } from './exchange.ts';

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

/** The account's limits, which apply if a stage sets only one limit. */
const accountLimits = { burst: 5000, rate: 10_000 };

/** Takes a token from the method's bucket; throws if it is empty. Each method of the stage has its own bucket. */
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
  // A bucket is one number: the time at which it will be full again.
  const fullAtMs = new Map<string, number>();
  return (method, nowMs) => {
    const atMs = fullAtMs.get(method) ?? 0;
    if (atMs > nowMs + (burst - 1) * intervalMs) throw new GatewayError('THROTTLED');
    fullAtMs.set(method, Math.max(atMs, nowMs) + intervalMs);
  };
};
