import type { AlarmState, AlarmView } from 'serve-stack/cloudwatch';
import { toShortNumber, toTime } from './text/formats.ts';
import { escapeHtml } from './text/html.ts';
import { markdownLineHtml } from './text/markdown.ts';
import { noData } from './text/no-data.ts';

const words: Readonly<Record<AlarmState, string>> = { ALARM: 'in alarm', INSUFFICIENT_DATA: 'no data', OK: 'ok' };

const mostUrgentFirst = Object.keys(words);

/** Puts alarms that ring first. */
const sorted = (alarms: readonly AlarmView[]): AlarmView[] =>
  alarms.toSorted((one, other) => mostUrgentFirst.indexOf(one.state) - mostUrgentFirst.indexOf(other.state));

export const alarmPillsHtml = (alarms: readonly AlarmView[]): string =>
  alarms.length === 0
    ? noData
    : `<ul class="pills">${sorted(alarms)
        .map(
          (each) => `<li class="${each.state}"><b>${escapeHtml(each.name)}</b> ${words[each.state]}${since(each)}</li>`,
        )
        .join('')}</ul>`;

const since = (alarm: AlarmView) => {
  const { atMs } = alarm.transitions.at(-1) ?? {};
  return alarm.state === 'ALARM' && atMs !== undefined ? ` since ${toTime(atMs)}` : '';
};

export const alarmTableHtml = (alarms: readonly AlarmView[]): string => `<table class="alarms">
<thead><tr><th>state</th><th>since</th><th>alarm</th><th class="number">last value</th><th>what it means</th></tr></thead>
<tbody>${sorted(alarms).map(rowHtml).join('')}</tbody></table>`;

const rowHtml = ({ state, name, kind, transitions, lastValue, description }: AlarmView) => {
  const { atMs } = transitions.at(-1) ?? {};
  return `<tr><td><span class="state ${state}">${words[state]}</span></td>
<td>${atMs === undefined ? '–' : toTime(atMs)}</td><td><b>${escapeHtml(name)}</b></td>
<td class="number">${kind === 'composite' ? '' : toShortNumber(lastValue)}</td>
<td>${markdownLineHtml(description.split('\n')[0] ?? '')}</td></tr>`;
};
