import type { AlarmView } from '../aws/cloudwatch/alarms/alarm-view.ts';
import type { Scenario } from './scenarios.ts';

/** Finds the alarms that rang, those included that have ended since. */
export const alarmsThatRang = (alarms: readonly AlarmView[]): AlarmView[] =>
  alarms.filter(({ state, transitions }) => [state, ...transitions.map((each) => each.state)].includes('ALARM'));

/** Tells whether the alarms that rang (by short name) are what the scenario expects, in a sentence. */
export const expectationOf = ({ rings }: Pick<Scenario, 'rings'>, rang: readonly string[]) => {
  const missing = rings.filter((name) => !rang.includes(name));
  if (rings.length === 0 && rang.length > 0) return { holds: false, sentence: 'None should have.' };
  if (missing.length > 0) return { holds: false, sentence: `Missing: ${missing.join(', ')}.` };
  return { holds: true, sentence: 'As expected.' };
};
