/** Structural limits of the service; what a partner is told and what is enforced both come from here. */
export const maxValidKeysPerCompany = 10;
export const keyLifetimeMonths = 6;
/** A key's expiry is announced this many days ahead, longest first. */
export const noticeDays = [60, 30, 14, 7, 3, 1] as const;
/** So many invalid keys a process looks up for one source address; they are bounded by a bucket in its memory. */
export const invalidKeysPerAddress = { burst: 300, refillIntervalMs: 100 } as const;
export const maxBodyBytes = 32_768;
/** An event of the portal or of the gateway backend, as the text that its queue delivers. */
export const maxMessageBytes = 32_768;
/** Bounds the answer to a wrong body: a small body could else be answered with megabytes. */
export const maxReportedErrors = 50;
/** A repeat of a creation gives the same key again for this long, until that key is used. */
export const idempotencyHours = 24;
/** A partner who comes back to the feed within this time has missed nothing. */
export const feedDays = 30;
/** How long a reader who has read all of the feed is advised to wait. */
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

/** A run that removes what owners have taken back goes on for so long, and is broken off a minute later. */
export const purgeRunMinutes = 4;
/** The number of most limited paths that are kept per hour, and shown for the whole period. */
export const keptLimitedPaths = 20;
export const shownLimitedPaths = 5;
/** The number of counts by key and decision that are kept per hour: enough for all valid keys of a company. */
export const keptKeyCounts = 50;
export const maxIdempotencyKeyCharacters = 255;
export const maxLabelCharacters = 64;
/** So many blocks of addresses a key may be limited to. */
export const maxCidrsPerKey = 10;
/** Bounds a text of an answer that comes from an appliance or from a request; a longer one is cut. */
export const maxTextCharacters = 500;
/** The parts of an appliance that an answer lists. */
export const maxComponents = 100;
/** The facts that are kept of a gateway, its faults among them; of more faults, some are forgotten. */
export const maxGatewayFacts = 50;
/** The circuits of a gateway, both families together, and the time programs of each. */
export const maxCircuits = 40;
export const maxTimeProgramsPerCircuit = 20;
/** What an answer with a whole home may have; more comes on further pages. */
export const maxHomeBytes = 262_144;
export const maxUrlCharacters = 2048;
/** A webhook stays until it is deleted, whatever its state. */
export const maxWebhooksPerCompany = 3;
/** So many hosts an operator may register for a company. */
export const maxWebhookHosts = 20;
/** How long the secret before the newest one signs along. */
export const secretOverlapHours = 24;
/** The service tries for as long to bring the code to its webhook. */
export const webhookCodeHours = 72;
/** A gateway that is connected is heard of so often, changes aside. */
export const usualReportMinutes = 60;
/** What is shown of a circuit is stale after two of these intervals, and ten minutes for the way of a report. */
export const staleAfterMinutes = 2 * usualReportMinutes + 10;
/** How long an override lasts at most: each time program has switched within a week, if it ever does. */
export const maxOverrideDays = 7;
/** How far ahead a holiday ends at most. */
export const maxHolidayDays = 366;
export const pageSize = { default: 50, max: 100 } as const;
/** Days of energy are kept so long: two years. */
export const energyDays = 731;
/** Bounds what one read of energy takes of the store: a leap year. */
export const maxEnergyDaysAtOnce = 366;
/** The days of energy that a read shows which names none. */
export const defaultEnergyDays = 31;
/** No appliance consumes or delivers more on one day: 100 MWh. */
export const maxKwhOfDay = 100_000;
/** What a sensor reads whose wire is broken, and one whose wires touch: the ends of its range. */
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

/** A text from elsewhere as an answer may hold it: at most so long, and well-formed where it was cut. */
export const cutText = (text: string, maxCharacters: number = maxTextCharacters): string =>
  text
    .slice(0, maxCharacters)
    .replace(/[\uD800-\uDBFF]$/, '')
    .toWellFormed();
