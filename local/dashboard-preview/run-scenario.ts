import { type ServedStack, UserFacingError } from 'serve-stack';
import {
  type AlarmView,
  type CloudWatch,
  createCloudWatch,
  type DashboardView,
  type TimeRange,
} from 'serve-stack/cloudwatch';
import { mixedTraffic, type Traffic, warmUp } from './demo-traffic.ts';
import type { PreviewedService } from './incidents.ts';
import { createClient } from './partner-requests.ts';
import { createCompressedClock, type RunClock, startRunClock } from './run-clock.ts';
import { faultOnset, type Scenario } from './scenarios.ts';
import { publishTelemetry } from './telemetry-publisher.ts';

/** One second of a run is shown as five minutes: CloudWatch's periods are minutes long. */
export const compression = 300;

/** Alarms are looked at after so much shown time: in the first moments even a busy service has had few requests. */
const settlingMs = 5 * 60_000;

export type ScenarioRun = {
  /** The range in shown time. */
  readonly range: TimeRange;
  readonly alarms: readonly AlarmView[];
  readonly dashboards: readonly DashboardView[];
  /** Answers whatever else is asked of the run. */
  readonly cloudWatch: CloudWatch;
  readonly requestsSent: number;
  /** The part of the run, from 0 to 1, in which the machine gave this process no time. */
  readonly stalledShare: number;
};

/**
 * Plays a scenario on a service that runs, and shows it as CloudWatch would: each run has a store of metrics of its own.
 * One at a time; the functions are warm before it begins, or their start would look like slowness. What waits no longer than
 * `ownPaceMs` waits for this machine, and its age is shown as it is.
 */
export const runScenario = async (
  service: PreviewedService,
  scenario: Scenario,
  { seconds, ownPaceMs }: { readonly seconds: number; readonly ownPaceMs?: number },
): Promise<ScenarioRun> => {
  const { demo, store, served } = service;
  const restore = await scenario.prepare?.(store);
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

/** How this machine plays the usual load. */
export type MachineSpeed = {
  /** The seconds that a second of the load takes. */
  readonly secondsForOne: number;
  readonly stalledShare: ScenarioRun['stalledShare'];
};

/** So short that the load renews no key: the run shows how the functions for that start. */
const measuredMs = 1000;

/** Plays a second of the usual load, once the functions are warm, which no dashboard shows. */
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

/** Says how long a run will take on this machine, and whether the machine can judge latency now. */
export const forecastOf = ({ secondsForOne, stalledShare }: MachineSpeed, seconds: number): string => {
  const duration = `A second of load takes this machine ${secondsForOne.toFixed(1)} s: the run will take about ${Math.ceil(seconds * Math.max(1, secondsForOne))} s.`;
  if (secondsForOne <= mostSecondsForOne && stalledShare <= mostStalledShare) return duration;
  return `${duration} The machine is too busy to judge latency: the alarms latency and page may ring for that alone.`;
};

/** How often in a run what runs by a schedule does so: shown, every two and a half minutes. */
const scheduledEveryMs = 500;

/** The part of a run after which an incident ends: what follows shows that alarms clear. */
const incidentEndsAt = 0.65;

/** The fault ends with the run, so that what still waits then is soon answered. */
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
      // A run that fails is told by alarms, as any other fault is.
      if (!stopsSchedules || part < faultOnset || part >= incidentEndsAt)
        await clock.standStillFor(served.runSchedules().catch(() => undefined));
    }
  };
  await Promise.all([playIncidents(), runSchedules(), ...traffic.map((each) => each(clock))]);
};

/** Ends about now, and begins at a full five minutes, as periods do. */
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

/** Finds the alarms that rang, those included that have ended since. */
export const alarmsThatRang = (alarms: readonly AlarmView[]): AlarmView[] =>
  alarms.filter(({ state, transitions }) => [state, ...transitions.map((each) => each.state)].includes('ALARM'));

/** Finds the alarms that ring at the end. */
export const alarmsThatRing = (alarms: readonly AlarmView[]): AlarmView[] =>
  alarms.filter(({ state }) => state === 'ALARM');

/** Beyond it, as many requests as may be are under way, and wait for the machine. */
const mostSecondsForOne = 1.5;

/** Beyond this part of a run without time for it, requests are late because the machine is busy. */
const mostStalledShare = 0.1;

/**
 * Tells whether the alarms that rang, and those that still do (by short name), are what the scenario expects, in a sentence;
 * and if they are not, whether that says something of the service.
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
    sentence: `${sentence} But this machine is too busy to judge latency: it gave the run no time for ${percent} % of it. Run it again when the machine is idle.`,
  };
};

const comparisonOf = (
  { rings, clears = [] }: Pick<Scenario, 'rings' | 'clears'>,
  rang: readonly string[],
  ringing: readonly string[],
) => {
  const missing = rings.filter((name) => !rang.includes(name));
  const left = clears.filter((name) => ringing.includes(name));
  if (rings.length === 0 && rang.length > 0) return { holds: false, sentence: 'None should have.' };
  if (missing.length > 0) return { holds: false, sentence: `Missing: ${missing.join(', ')}.` };
  if (left.length > 0)
    return { holds: false, sentence: `Still ringing, though the cause is gone: ${left.join(', ')}.` };
  return { holds: true, sentence: 'As expected.' };
};
