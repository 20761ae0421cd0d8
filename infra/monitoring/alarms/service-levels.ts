import { Duration } from 'aws-cdk-lib';

/** The service level objectives, and the thresholds of their alarms. */

/** Share of all requests reaching a function that the service does not answer with 5xx. */
export const availabilityObjective = 0.999;

/** The share of requests that may fail, without floating-point noise. */
export const errorBudget = Number((1 - availabilityObjective).toFixed(6));

/** The window of the error budget. */
export const budgetPeriod = Duration.days(30);

/** Upper limit of the p99 latency over five minutes, in milliseconds, API Gateway included. */
export const latencyObjectiveMs = 1000;

/**
 * How many times faster than allowed the error budget burns. Each rate has to hold over a long window, so that it matters, and
 * over a short one, so that the alarm ends soon after the fault.
 */
export const burnRates = [
  { speed: 'fast', rate: 14.4, long: Duration.hours(1), short: Duration.minutes(5), urgency: 'page' },
  { speed: 'slow', rate: 6, long: Duration.hours(6), short: Duration.minutes(30), urgency: 'page' },
  { speed: 'creeping', rate: 1, long: Duration.days(3), short: Duration.hours(6), urgency: 'ticket' },
] as const;

export type BurnRate = (typeof burnRates)[number];

/** Days before a company's last key expires at which somebody should act, and at which somebody has to. */
export const lastKeyDays = { ticket: 14, page: 3 } as const;

/** Share of all requests in five minutes, in percent, that an unavailable store may fail. */
export const unavailableSharePercent = 5;

/** Share of the account's concurrent executions at which requests are about to be refused. */
export const concurrencyWarningShare = 0.8;

/**
 * Days before the end of a certificate that was not renewed at which somebody should act, and at which somebody has to. AWS
 * renews a certificate of 198 days 45 days before its end. A certificate of 47 days, the longest that browsers accept from 2029
 * on, is renewed later than that.
 */
export const certificateDays = { ticket: 10, page: 3 } as const;
