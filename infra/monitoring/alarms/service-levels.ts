import { Duration } from 'aws-cdk-lib';

/** What the service promises, and from when on breaking the promise is an alarm. */

/** Share of all requests that reach a function which the service does not fail (answer with 5xx). */
export const availabilityObjective = 0.999;

/** What is left of it, without the noise of floating point. */
export const errorBudget = Number((1 - availabilityObjective).toFixed(6));

/** The window of the error budget. */
export const budgetPeriod = Duration.days(30);

/** The slowest that all answers of five minutes but one percent may be, API Gateway included. */
export const latencyObjectiveMs = 1000;

/**
 * How many times faster than allowed the error budget is burnt. Each rate has to hold over a long window, so that it
 * matters, and over a short one, so that the alarm ends soon after the fault.
 */
export const burnRates = [
  { speed: 'fast', rate: 14.4, long: Duration.hours(1), short: Duration.minutes(5), urgency: 'page' },
  { speed: 'slow', rate: 6, long: Duration.hours(6), short: Duration.minutes(30), urgency: 'page' },
  { speed: 'creeping', rate: 1, long: Duration.days(3), short: Duration.hours(6), urgency: 'ticket' },
] as const;

export type BurnRate = (typeof burnRates)[number];

/** Days that a company's last key has left when somebody should act, and when somebody has to. */
export const lastKeyDays = { ticket: 14, page: 3 } as const;

/** Share of all requests, in percent, that a store which does not answer may fail in five minutes. */
export const unavailableSharePercent = 5;

/** Share of the account's concurrent executions from which on requests are about to be refused. */
export const concurrencyWarningShare = 0.8;

/** A certificate that lives no longer was not renewed when it should have been. */
export const certificateDays = 30;
