import { expect, test } from 'vitest';
import * as limits from '../../../lambdas/api/limits.ts';

/** The numbers of the customer's specification: docs/rules.md. */
const ofRules = {
  keyLifetimeMonths: 6,
  maxValidKeysPerCompany: 10,
  ratePolicies: {
    general: { refillIntervalMs: 500, burst: 5 },
    gateway: { refillIntervalMs: 2000, burst: 3 },
    'time-program': { refillIntervalMs: 10_000, burst: 1 },
  },
};

/** Our own numbers. */
const ours = {
  attemptDays: 3,
  auditDays: 90,
  defaultEnergyDays: 31,
  defaultEnergyHours: 24,
  defaultUsageDays: 7,
  energyDays: 731,
  expiryRunSeconds: 45,
  feedDays: 30,
  hourlyEnergyDays: 7,
  idempotencyHours: 24,
  invalidKeysPerAddress: { burst: 300, refillIntervalMs: 100 },
  keptKeyCounts: 50,
  keptLimitedPaths: 20,
  lateLogMinutes: 5,
  maxAuditQueries: 5,
  maxBodyBytes: 32_768,
  maxCidrsPerKey: 10,
  maxCircuits: 40,
  maxComponents: 100,
  maxEnergyDaysAtOnce: 366,
  maxGatewayFacts: 50,
  maxGatewaysPerContract: 10_000,
  maxGatewaysPerPage: 300,
  maxHolidayDays: 366,
  maxPageBytes: 262_144,
  maxIdempotencyKeyCharacters: 255,
  maxKwhOfDay: 100_000,
  maxKwhOfHour: 10_000,
  maxLabelCharacters: 64,
  maxMeasurements: 50,
  maxMessageBytes: 32_768,
  maxOverrideDays: 7,
  maxReportedErrors: 50,
  maxTextCharacters: 500,
  maxTimeProgramsPerCircuit: 20,
  maxUrlCharacters: 2048,
  maxValidDays: 30,
  maxWebhookHosts: 20,
  maxWebhooksPerCompany: 3,
  measurementDays: 7,
  noticeDays: [60, 30, 14, 7, 3, 1],
  openSensorCelsius: -3276.8,
  pageSize: { default: 50, max: 100 },
  pollIntervalSeconds: 5,
  purgeRunMinutes: 4,
  reportIntervalMinutes: 60,
  secretOverlapHours: 24,
  shortSensorCelsius: 3276.7,
  shownLimitedPaths: 5,
  staleAfterMinutes: 130,
  usageDays: 31,
  usageHours: 48,
  usageRunSeconds: 150,
  webhookCodeHours: 72,
};

/** Other tests take a number from its row, and hold for any number. */
test('each limit has the number that is written here a second time', () => {
  const numbers = Object.entries(limits).filter(([, limit]) => typeof limit !== 'function');
  expect(Object.fromEntries(numbers)).toEqual({ ...ofRules, ...ours });
});
