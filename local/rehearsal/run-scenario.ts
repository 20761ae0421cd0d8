import { setTimeout as wait } from 'node:timers/promises';
import { type CloudWatch, createCloudWatch } from '../aws/cloudwatch/cloudwatch.ts';
import type { AlarmView, DashboardView } from '../aws/cloudwatch/views.ts';
import { tableTypes } from '../aws/dynamodb/tables.ts';
import { constructNameOf, resourcesOf } from '../aws/template/template.ts';
import { UserFacingError } from '../aws/user-facing-error.ts';
import type { LocalService } from '../service.ts';
import { createCompressedClock } from './compressed-clock.ts';
import { observeRun } from './observation.ts';
import type { Range } from './range.ts';
import { faultOnset, type Scenario } from './scenarios.ts';
import { createClient } from './traffic/client.ts';
import { impatientCompanyId, warmUp } from './traffic/demo-traffic.ts';
import { type Span, type Traffic, timeAt } from './traffic/traffic.ts';

/** One second of a run is shown as five minutes: CloudWatch's periods are minutes long. */
export const compression = 300;

/** Whom the dashboard of one partner shows. */
export const chosenCompanyId = impatientCompanyId;

/** Of shown time, until alarms are looked at: in the first moments even a busy service has had few requests. */
const settlingMs = 5 * 60_000;

export type ScenarioRun = {
  /** In shown time. */
  readonly range: Range;
  readonly alarms: readonly AlarmView[];
  readonly dashboards: readonly DashboardView[];
  /** For what else is to be asked of the run. */
  readonly cloudWatch: CloudWatch;
  readonly requestsSent: number;
};

/**
 * Plays a scenario on a service that runs, and shows it as CloudWatch would: each run has a store of metrics of its own.
 * One at a time; the functions are warm before it begins, or their start would look like slowness.
 */
export const runScenario = async (
  service: LocalService,
  scenario: Scenario,
  { seconds }: { readonly seconds: number },
): Promise<ScenarioRun> => {
  const restore = await scenario.prepare?.(service.store);
  const client = createClient(service.demo);
  try {
    const cloudWatch = createCloudWatch({ template: service.stack.template, resolve: service.resolve });
    const world = { demo: service.demo, client };
    const traffic = scenario.traffic(world);
    if (traffic.length > 0) await warmUp(world);

    const startMs = Date.now();
    const span = { startMs, endMs: startMs + seconds * 1000 };
    const range = shownRange(span);
    const observation = observeRun(service, createCompressedClock(startMs, range.fromMs, compression), cloudWatch);
    await play(service, scenario, traffic, span);
    observation.stop();
    return {
      range,
      alarms: cloudWatch.alarms({ ...range, fromMs: range.fromMs + settlingMs }),
      dashboards: cloudWatch.dashboards(range, { company: chosenCompanyId }),
      cloudWatch,
      requestsSent: client.sent(),
    };
  } finally {
    client.close();
    await restore?.();
  }
};

/** The part of a run after which what runs daily does so, before any fault. */
const dailyRunAt = 0.1;

/** The fault ends with the span, so that what still waits then is soon answered. */
const play = async (service: LocalService, { fault }: Scenario, traffic: readonly Traffic[], span: Span) => {
  const injectFault = async () => {
    await wait(timeAt(span, faultOnset) - Date.now());
    service.injectStoreFault(fault?.((name) => tableName(service, name)));
    await wait(span.endMs - Date.now());
    service.injectStoreFault(undefined);
  };
  const runDaily = async () => {
    await wait(timeAt(span, dailyRunAt) - Date.now());
    await service.runSchedules();
  };
  await Promise.all([injectFault(), runDaily(), ...traffic.map((each) => each(span))]);
};

/** Ends about now, and begins at a full five minutes, as periods do. */
const shownRange = ({ startMs, endMs }: Span): Range => {
  const lengthMs = (endMs - startMs) * compression;
  const fiveMinutesMs = 300_000;
  const fromMs = Math.floor((endMs - lengthMs) / fiveMinutesMs) * fiveMinutesMs;
  return { fromMs, toMs: fromMs + lengthMs };
};

const tableName = ({ stack, resolve }: LocalService, constructName: string): string => {
  const table = resourcesOf(stack.template, ...tableTypes).find((each) => constructNameOf(each) === constructName);
  if (table) return resolve({ Ref: table.logicalId });
  throw new UserFacingError(`The template has no table ${constructName}, which a scenario disturbs.`);
};
