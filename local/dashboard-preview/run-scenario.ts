import { type ServedStack, UserFacingError } from 'serve-stack';
import {
  type AlarmView,
  type CloudWatch,
  createCloudWatch,
  type DashboardView,
  type TimeRange,
} from 'serve-stack/cloudwatch';
import { mixedTraffic, warmUp } from './demo-traffic.ts';
import type { PreviewedService } from './incidents.ts';
import { createClient } from './partner-requests.ts';
import { createCompressedClock, type RunClock, startRunClock } from './run-clock.ts';
import { faultOnset, type Scenario } from './scenarios.ts';
import { publishTelemetry } from './telemetry-publisher.ts';
import type { Traffic } from './traffic.ts';

/** One second of a run is shown as five minutes: CloudWatch's periods are minutes long. */
export const compression = 300;

/** Alarms are evaluated from this shown time on: in the first moments even a busy service has had few requests. */
const settlingMs = 5 * 60_000;

type ScenarioRun = {
  /** The range, in shown time. */
  readonly range: TimeRange;
  readonly alarms: readonly AlarmView[];
  readonly dashboards: readonly DashboardView[];
  /** The metrics and logs of the run, for further queries. */
  readonly cloudWatch: CloudWatch;
  readonly requestsSent: number;
  /** The share of the run, from 0 to 1, in which the machine gave this process no time. */
  readonly stalledShare: number;
};

/**
 * Plays a scenario on a running service and returns it as CloudWatch would show it; each run has its own metrics. Only one
 * scenario may run at a time. The functions are warmed up first, because their start would look like latency. A wait up to
 * `ownPaceMs` is caused by the local run itself, so its age is not stretched.
 */
export const runScenario = async (
  service: PreviewedService,
  scenario: Scenario,
  { seconds, ownPaceMs }: { readonly seconds: number; readonly ownPaceMs?: number },
): Promise<ScenarioRun> => {
  const { demo, served } = service;
  const restore = await scenario.prepare?.(service);
  const client = createClient(demo);
  try {
    const { stack, resolve } = served.version();
    const cloudWatch = createCloudWatch({ template: stack.template, resolve });
    const world = { demo, client };
    const traffic = scenario.traffic(world);
    if (traffic.length > 0) await warmUp(world);

    const range = shownRange(seconds * 1000);
    const clock = startRunClock(seconds * 1000);
    const shownClock = createCompressedClock(clock, range.fromMs, compression);
    const publishing = publishTelemetry(served, shownClock, cloudWatch, ownPaceMs);
    await play(service, scenario, traffic, clock).finally(clock.stop);
    publishing.stop();
    return {
      range,
      alarms: cloudWatch.alarms({ ...range, fromMs: range.fromMs + settlingMs }),
      dashboards: cloudWatch.dashboards(range),
      cloudWatch,
      requestsSent: client.sent(),
      stalledShare: clock.stalledShare(),
    };
  } finally {
    client.close();
    await restore?.();
  }
};

/** How fast this machine handles the usual load. */
type MachineSpeed = {
  /** The real seconds that one second of the load takes. */
  readonly secondsForOne: number;
  readonly stalledShare: ScenarioRun['stalledShare'];
};

/** Too short for the load to renew a key, so that the functions for it still start cold in the run. */
const measuredMs = 1000;

/** Warms the functions up and plays one second of the usual load, which no dashboard shows. */
export const measureMachine = async ({ demo }: PreviewedService): Promise<MachineSpeed> => {
  const client = createClient(demo);
  try {
    const world = { demo, client };
    await warmUp(world);
    const fromMs = Date.now();
    const clock = startRunClock(measuredMs);
    await Promise.all(mixedTraffic(world).map((each) => each(clock))).finally(clock.stop);
    return { secondsForOne: (Date.now() - fromMs) / measuredMs, stalledShare: clock.stalledShare() };
  } finally {
    client.close();
  }
};

/** Returns a sentence on how long a run will take on this machine, and whether latency can be judged on it now. */
export const forecastOf = ({ secondsForOne, stalledShare }: MachineSpeed, seconds: number): string => {
  const duration = `A second of load takes this machine ${secondsForOne.toFixed(1)} s: the run will take about ${Math.ceil(seconds * Math.max(1, secondsForOne))} s.`;
  if (secondsForOne <= mostSecondsForOne && stalledShare <= mostStalledShare) return duration;
  return `${duration} The machine is too busy to judge latency: the alarms latency and page may ring for this reason alone.`;
};

/** How often scheduled functions run, in run time; two and a half minutes in shown time. */
const scheduledEveryMs = 500;

/** The fraction of a run at which an incident ends: the rest shows that alarms clear. */
const incidentEndsAt = 0.65;

/** Ends the fault with the run, so that requests that are still waiting get their answers soon. */
const play = async (
  service: PreviewedService,
  { fault, incident, stopsSchedules = false }: Scenario,
  traffic: readonly Traffic[],
  clock: RunClock,
) => {
  const { served } = service;
  const playIncidents = async () => {
    await clock.until(clock.lengthMs * faultOnset);
    served.injectStoreFault(fault?.((name) => tableName(served, name)));
    if (incident) {
      await clock.standStillFor(incident.begin(service));
      await clock.until(clock.lengthMs * incidentEndsAt);
      await clock.standStillFor(incident.end(service));
    }
    await clock.until(clock.lengthMs);
    served.injectStoreFault(undefined);
  };
  const runSchedules = async () => {
    for (let atMs = 0; atMs < clock.lengthMs; atMs += scheduledEveryMs) {
      await clock.until(atMs);
      const part = atMs / clock.lengthMs;
      // Alarms report a failed schedule, like any other fault.
      if (!stopsSchedules || part < faultOnset || part >= incidentEndsAt)
        await clock.standStillFor(served.runSchedules().catch(() => undefined));
    }
  };
  await Promise.all([playIncidents(), runSchedules(), ...traffic.map((each) => each(clock))]);
};

/** Returns a range that ends about now and starts at a multiple of five minutes, like CloudWatch's periods. */
const shownRange = (runLengthMs: number): TimeRange => {
  const lengthMs = runLengthMs * compression;
  const fiveMinutesMs = 300_000;
  const fromMs = Math.floor((Date.now() + runLengthMs - lengthMs) / fiveMinutesMs) * fiveMinutesMs;
  return { fromMs, toMs: fromMs + lengthMs };
};

const tableName = ({ tables }: ServedStack, constructName: string): string => {
  const name = tables.names[constructName];
  if (name !== undefined) return name;
  throw new UserFacingError(`The template has no table ${constructName}, into which a scenario injects a fault.`);
};

/** Returns all alarms that rang, also if they have cleared since. */
export const alarmsThatRang = (alarms: readonly AlarmView[]): AlarmView[] =>
  alarms.filter(({ state, transitions }) => [state, ...transitions.map((each) => each.state)].includes('ALARM'));

/** Returns the alarms that ring at the end. */
export const alarmsThatRing = (alarms: readonly AlarmView[]): AlarmView[] =>
  alarms.filter(({ state }) => state === 'ALARM');

/** Above this, the traffic has reached its maximum of concurrent requests, which wait for the machine. */
const mostSecondsForOne = 1.5;

/** Above this stalled share, requests are slow because the machine is busy. */
const mostStalledShare = 0.1;

/**
 * Returns whether the alarms that rang (`rang`) and still ring (`ringing`), by short name, match the scenario, and a sentence
 * about it. If they do not match on a busy machine, the sentence says that latency could not be judged.
 */
export const expectationOf = (
  scenario: Pick<Scenario, 'rings' | 'clears'>,
  rang: readonly string[],
  ringing: readonly string[],
  stalledShare: number,
) => {
  const { holds, sentence } = comparisonOf(scenario, rang, ringing);
  if (holds || stalledShare <= mostStalledShare) return { holds, sentence };
  const percent = Math.round(stalledShare * 100);
  return {
    holds,
    sentence: `${sentence} But this machine is too busy to judge latency: it stalled the run for ${percent} % of its time. Run it again when the machine is idle.`,
  };
};

const comparisonOf = (
  { rings, clears = [] }: Pick<Scenario, 'rings' | 'clears'>,
  rang: readonly string[],
  ringing: readonly string[],
) => {
  const missing = rings.filter((name) => !rang.includes(name));
  const left = clears.filter((name) => ringing.includes(name));
  if (rings.length === 0 && rang.length > 0) return { holds: false, sentence: 'None should have rung.' };
  if (missing.length > 0) return { holds: false, sentence: `Missing: ${missing.join(', ')}.` };
  if (left.length > 0)
    return { holds: false, sentence: `Still ringing, though the cause is gone: ${left.join(', ')}.` };
  return { holds: true, sentence: 'As expected.' };
};
