import type { AlarmView } from 'serve-stack/cloudwatch';
import type { Scenario } from './scenarios.ts';

/** Finds the alarms that rang, those included that have ended since. */
export const alarmsThatRang = (alarms: readonly AlarmView[]): AlarmView[] =>
  alarms.filter(({ state, transitions }) => [state, ...transitions.map((each) => each.state)].includes('ALARM'));

/** Finds the alarms that ring at the end. */
export const alarmsThatRing = (alarms: readonly AlarmView[]): AlarmView[] =>
  alarms.filter(({ state }) => state === 'ALARM');

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
