import { UserFacingError } from '../../errors/user-facing-error.ts';
import type { Resolve } from '../../template/intrinsics.ts';
import type { Template } from '../../template/template.ts';
import type { MetricSources } from '../metric-math/metric-queries.ts';
import type { TimeRange, Times } from '../metrics/time-series.ts';
import { type AlarmDefinition, readAlarms } from './alarm-definitions.ts';
import type { AlarmState } from './alarm-state.ts';
import type { AlarmTransition, AlarmView } from './alarm-view.ts';
import type { CompositeRule } from './composite-rule.ts';
import { type Judgement, judgeMetricAlarm } from './metric-alarm.ts';

const minuteMs = 60_000;

/** Evaluates the template's alarms, by their ARNs, at each full minute of a range; before it, they have no data. */
export const createAlarms = (template: Template, resolve: Resolve, sources: MetricSources) => {
  const definitions = readAlarms(template, resolve);

  const definitionOf = (nameOrArn: string): AlarmDefinition => {
    const found = definitions.find(({ name, arn }) => name === nameOrArn || arn === nameOrArn);
    if (!found) throw new UserFacingError(`The template has no alarm ${nameOrArn}.`);
    return found;
  };

  return (range: TimeRange): ReadonlyMap<string, AlarmView> => {
    const minutes = fullMinutesOf(range);
    const judgements = new Map<AlarmDefinition, readonly Judgement[] | 'under way'>();

    const judge = (alarm: AlarmDefinition): readonly Judgement[] => {
      const known = judgements.get(alarm);
      if (known === 'under way') throw new UserFacingError(`The composite alarm ${alarm.name} watches itself.`);
      if (known) return known;
      judgements.set(alarm, 'under way');
      const judged =
        alarm.kind === 'metric' ? judgeMetricAlarm(alarm.metricAlarm, minutes, sources) : judgeComposite(alarm.rule);
      judgements.set(alarm, judged);
      return judged;
    };

    const judgeComposite = ({ alarms, holds }: CompositeRule): Judgement[] => {
      const watched = new Map(alarms.map((each) => [each, judge(definitionOf(each))]));
      return minutes.map((_, index) => {
        const stateOf = (alarm: string): AlarmState => watched.get(alarm)?.[index]?.state ?? 'INSUFFICIENT_DATA';
        const list = [...watched.keys()].map((alarm) => `${definitionOf(alarm).name} ${stateOf(alarm)}`).join(', ');
        return holds(stateOf)
          ? { state: 'ALARM', reason: `the rule holds: ${list}` }
          : { state: 'OK', reason: `the rule does not hold: ${list}` };
      });
    };

    return new Map(definitions.map((alarm) => [alarm.arn, viewOf(alarm, minutes, judge(alarm))]));
  };
};

const fullMinutesOf = ({ fromMs, toMs }: TimeRange): Times => {
  const first = Math.ceil(fromMs / minuteMs);
  const count = Math.max(0, Math.floor(toMs / minuteMs) - first + 1);
  return Array.from({ length: count }, (_, index) => (first + index) * minuteMs);
};

const viewOf = (
  { logicalId, name, kind, description }: AlarmDefinition,
  minutes: Times,
  judgements: readonly Judgement[],
): AlarmView => {
  const transitions: AlarmTransition[] = [];
  let state: AlarmState = 'INSUFFICIENT_DATA';
  judgements.forEach((judgement, index) => {
    if (judgement.state === state) return;
    state = judgement.state;
    transitions.push({ atMs: minutes[index] ?? Number.NaN, state, reason: judgement.reason });
  });
  return { logicalId, name, kind, description, state, lastValue: judgements.at(-1)?.lastValue, transitions };
};
