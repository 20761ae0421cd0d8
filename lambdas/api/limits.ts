/** Structural limits of the service. Both the documentation for partners and the enforcement read them from here. */
export const maxValidKeysPerCompany = 10;
export const keyLifetimeMonths = 6;
/** A key's expiry is announced this many days in advance, longest first. */
export const noticeDays = [60, 30, 14, 7, 3, 1] as const;
/** Token bucket for look-ups of invalid keys, per process and source address, kept in the memory of the process. */
export const invalidKeysPerAddress = { burst: 300, refillIntervalMs: 100 } as const;
export const maxBodyBytes = 32_768;
/** Maximum size of an event of the portal or the gateway backend, measured on the text that its queue delivers. */
export const maxMessageBytes = 32_768;
/** Bounds the answer to an invalid body: otherwise a small body could cause an answer of megabytes. */
export const maxReportedErrors = 50;
/** For this long, a retry of a creation returns the same key again, until that key is used. */
export const idempotencyHours = 24;
/** How long events are kept: a partner who reads the feed again within this time misses nothing. */
export const feedDays = 30;
/** How long a reader at the end of the feed is advised to wait. */
export const pollIntervalSeconds = 5;
/** The days, today included, for which counts of requests are kept; and the days shown by default. */
export const usageDays = 31;
export const defaultUsageDays = 7;
/** The number of hours, the current one included, that `by=hour` shows. */
export const usageHours = 48;
/** After this time, a run that counts requests starts no further query; the next run continues. */
export const usageRunSeconds = 150;
/** The log line of a request may arrive this much after the request. Later lines are counted when their hour is settled. */
export const lateLogMinutes = 5;
/** The days for which a company sees its own changes. The audit log keeps them longer. */
export const auditDays = 90;
/** The maximum number of queries for a page of changes: a page ends before it is full if other changes lie between. */
export const maxAuditQueries = 5;

/** After this time, a run that removes what owners have withdrawn stops; its function times out a minute later. */
export const purgeRunMinutes = 4;
/** The number of most-limited paths that are kept per hour, and the number that is shown for the whole period. */
export const keptLimitedPaths = 20;
export const shownLimitedPaths = 5;
/** The number of counts by key and decision that are kept per hour: enough for all valid keys of a company. */
export const keptKeyCounts = 50;
export const maxIdempotencyKeyCharacters = 255;
export const maxLabelCharacters = 64;
/** The maximum number of address blocks that a key can be limited to. */
export const maxCidrsPerKey = 10;
/** The maximum length of a text in an answer that comes from an appliance or from a request; a longer one is cut. */
export const maxTextCharacters = 500;
/** The maximum number of components of an appliance, in events and in answers. */
export const maxComponents = 100;
/** The maximum number of facts kept for a gateway, its faults included; if there are more faults, some are deleted. */
export const maxGatewayFacts = 50;
/**
 * The maximum number of circuits of a gateway, both families together, and of time programs per circuit. A description may list
 * one more, that of the circulation pump, and as many others before the former ones are removed.
 */
export const maxCircuits = 40;
export const maxTimeProgramsPerCircuit = 20;
/**
 * The maximum size of the items on a page of a list, and of an answer with a whole home; the rest is on further pages. A page
 * has at least one item. Lambda answers with 6 MB at most.
 */
export const maxPageBytes = 262_144;
/**
 * The maximum number of gateways on a page of contracts that includes them, which bounds its load on the store. The gateways of
 * one contract are never divided: one with more is on a page of its own.
 */
export const maxGatewaysPerPage = 300;
/** The maximum number of gateways of a contract, by the API document: an item of the store has no room for as many. */
export const maxGatewaysPerContract = 10_000;
export const maxUrlCharacters = 2048;
/** A webhook counts until it is deleted, whatever its state. */
export const maxWebhooksPerCompany = 3;
/** The maximum number of hosts that an operator can register for a company. */
export const maxWebhookHosts = 20;
/** How long the previous secret also signs after a rotation. */
export const secretOverlapHours = 24;
/** How long a verification code is valid, and how long the service tries to send it to its webhook. */
export const webhookCodeHours = 72;
/** How long an attempt to send a message to a webhook is listed. */
export const attemptDays = 3;
/** The interval at which a connected gateway is reported, apart from changes. */
export const reportIntervalMinutes = 60;
/** A circuit is stale after two of these intervals, plus ten minutes for the delivery of a report. */
export const staleAfterMinutes = 2 * reportIntervalMinutes + 10;
/** The maximum length of an override: a time program that ever switches does so within a week. */
export const maxOverrideDays = 7;
/** The maximum time until the end of a holiday. */
export const maxHolidayDays = 366;
/** The maximum time until which a requested change may be worth applying. */
export const maxValidDays = 30;
/** After this time, a run that drops expired changes starts no further page; the next run continues. */
export const expiryRunSeconds = 45;
export const pageSize = { default: 50, max: 100 } as const;
/** How long days of energy are kept: two years. */
export const energyDays = 731;
/** The maximum number of days in one read of energy, which bounds its load on the store: a leap year. */
export const maxEnergyDaysAtOnce = 366;
/** The number of days in a read of energy that names no days. */
export const defaultEnergyDays = 31;
/** How many days hours of energy are kept, and the number of hours in a read that names no hours. */
export const hourlyEnergyDays = 7;
export const defaultEnergyHours = 24;
/** The maximum number of measurements of a gateway in an event and in an answer, and the days for which one is kept. */
export const maxMeasurements = 50;
export const measurementDays = 7;
/** Upper bound of what an appliance consumes or delivers on one day: 100 MWh. */
export const maxKwhOfDay = 100_000;
/** The same for an hour: 10 MWh, more than the 24th part of a day, since the hours of a day differ. */
export const maxKwhOfHour = 10_000;
/** Readings of an open and of a shorted sensor: the ends of its range. */
export const openSensorCelsius = -3276.8;
export const shortSensorCelsius = 3276.7;

/**
 * The token bucket of each rate policy: `burst` tokens at most, one more every `refillIntervalMs`.
 * The name is the policy name in the `RateLimit` headers. The numbers are rules 17, 18 and 21 of docs/rules.md.
 */
export const ratePolicies = {
  general: { refillIntervalMs: 500, burst: 5 },
  gateway: { refillIntervalMs: 2000, burst: 3 },
  'time-program': { refillIntervalMs: 10_000, burst: 1 },
} as const satisfies Record<string, RatePolicy>;

export type RatePolicy = { readonly refillIntervalMs: number; readonly burst: number };
export type RatePolicyName = keyof typeof ratePolicies;

/** Cuts a text from an external source to a maximum length. The result is well-formed Unicode, even where it was cut. */
export const cutText = (text: string, maxCharacters: number = maxTextCharacters): string =>
  text
    .slice(0, maxCharacters)
    .replace(/[\uD800-\uDBFF]$/, '')
    .toWellFormed();

/** The limits on which partners may depend, besides the rate policies, each with its value in words. */
export const limitDocs = () =>
  [
    ['valid API keys of a company', `${maxValidKeysPerCompany}`],
    ['blocks of addresses to which a key can be restricted', `${maxCidrsPerKey}`],
    ['label of a key', `1 to ${maxLabelCharacters} characters`],
    ['lifetime of an API key', `${keyLifetimeMonths} calendar months`],
    ['time for which the service recognizes a retry with an `Idempotency-Key`', `${idempotencyHours} hours`],
    ['length of an `Idempotency-Key`', `1 to ${maxIdempotencyKeyCharacters} visible ASCII characters`],
    ['webhooks of a company', `${maxWebhooksPerCompany}`],
    ['validity of the code of a webhook', `${webhookCodeHours} hours`],
    ['time for which messages are also signed with the previous secret', `${secretOverlapHours} hours`],
    ['retention of an attempt of a webhook', `${attemptDays} days`],
    ['retention of events in the feed', `${feedDays} days`],
    ['retention of the energy of a day', `${energyDays} days`],
    ['days of energy in one request', `${maxEnergyDaysAtOnce}`],
    ['retention of the energy of an hour', `${hourlyEnergyDays} days`],
    ['measurements of a gateway', `${maxMeasurements}`],
    ['retention of a measurement', `${measurementDays} days`],
    ['maximum duration of an override', `${maxOverrideDays} days`],
    ['maximum time until the end of a holiday', `${maxHolidayDays} days`],
    ['maximum time until the `validUntil` of a change', `${maxValidDays} days`],
    ['size of a request body', `${maxBodyBytes} bytes`],
    ['items on a page of a list', pageSizeWords()],
    ['gateways on a page of `listContracts` with `include`', `${maxGatewaysPerPage}, or those of a single owner`],
    ['errors in one `invalid-request`', `${maxReportedErrors}`],
    [
      'text from an appliance or a request in a response',
      `${maxTextCharacters} characters, longer texts are truncated`,
    ],
    ['components of a gateway in a response', `${maxComponents}`],
    ['size of a response to `getGateway` with `include`', `${maxPageBytes} bytes, the rest is on further pages`],
  ] as const;

export const pageSizeWords = () => `1 to ${pageSize.max}, ${pageSize.default} by default`;
