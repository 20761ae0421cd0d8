import { UserFacingError } from '../../errors/user-facing-error.ts';
import { functionsIn } from '../metric-math/metric-math.ts';
import { createQueryEvaluator, type MetricQuery, type MetricSources } from '../metric-math/metric-queries.ts';
import { isSeries, type Times } from '../metrics/time-series.ts';
import { type AlarmState, stateAfter, type TreatMissingData } from './alarm-state.ts';

export type MetricAlarm = {
  readonly name: string;
  readonly queries: readonly MetricQuery[];
  /** The one of the queries that is looked at. */
  readonly watched: MetricQuery;
  readonly comparison: string;
  readonly threshold: number;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly treatMissingData: TreatMissingData;
};

/** The state of an alarm at a minute, and why. */
export type Judgement = {
  readonly state: AlarmState;
  readonly reason: string;
  readonly lastValue?: number | undefined;
};

export const comparisons: Readonly<
  Record<string, { readonly sign: string; readonly holds: (value: number, threshold: number) => boolean }>
> = {
  GreaterThanThreshold: { sign: '>', holds: (value, threshold) => value > threshold },
  GreaterThanOrEqualToThreshold: { sign: '>=', holds: (value, threshold) => value >= threshold },
  LessThanThreshold: { sign: '<', holds: (value, threshold) => value < threshold },
  LessThanOrEqualToThreshold: { sign: '<=', holds: (value, threshold) => value <= threshold },
};

/** Judges an alarm once for each of some minutes, over the periods that end there. */
export const judgeMetricAlarm = (alarm: MetricAlarm, minutes: Times, sources: MetricSources): Judgement[] => {
  requireSteady(alarm);
  const { comparison, threshold, datapointsToAlarm, treatMissingData } = alarm;
  const compare = comparisons[comparison];
  if (!compare) throw new UserFacingError(`The local run does not know ${comparison} of the alarm ${alarm.name}.`);
  let state: AlarmState = 'INSUFFICIENT_DATA';
  return minutes.map((atMs) => {
    const values = valuesUntil(alarm, atMs, sources);
    const isBreaching = values.map((value) => (value === undefined ? undefined : compare.holds(value, threshold)));
    state = stateAfter({ isBreaching, datapointsToAlarm, treatMissingData, previous: state });
    const breaching = isBreaching.filter((each) => each === true).length;
    const list = values.map((value) => value ?? 'missing').join(', ');
    return {
      state,
      reason: `${breaching} of the last ${values.length} values ${compare.sign} ${threshold}: ${list}`,
      lastValue: values.findLast((value) => value !== undefined),
    };
  });
};

/** The value of each evaluated period, oldest first. */
const valuesUntil = (
  { name, queries, watched, evaluationPeriods }: MetricAlarm,
  atMs: number,
  sources: MetricSources,
): (number | undefined)[] => {
  const times = Array.from(
    { length: evaluationPeriods },
    (_, index) => atMs - (evaluationPeriods - index) * watched.periodMs,
  );
  const value = createQueryEvaluator(queries, sources, () => times)(watched);
  if (!isSeries(value)) throw new UserFacingError(`The alarm ${name} has to watch one series.`);
  return times.map((time) => value.get(time));
};

/** These depend on how far CloudWatch looks back, which is not known; CloudWatch itself advises against them in alarms. */
const unsteady = ['DIFF', 'RATE', 'RUNNING_SUM'];

const requireSteady = ({ name, queries }: MetricAlarm): void => {
  const called = queries.flatMap((query) => (query.kind === 'expression' ? functionsIn(query.expression.root) : []));
  const found = called.find((each) => unsteady.includes(each));
  if (found !== undefined)
    throw new UserFacingError(
      `The local run does not know ${found} in an alarm (${name}): it depends on earlier values.`,
    );
};
