import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type AlarmDefinition,
  type AlarmDefinitions,
  defaultComparison,
  isGathered,
} from '../../infra/monitoring/alarms/alarm-definition.ts';
import { burnRateAlarmName } from '../../infra/monitoring/alarms/request-alarms.ts';
import { burnRates } from '../../infra/monitoring/alarms/service-levels.ts';
import { savedQueries } from '../../infra/monitoring/log-queries.ts';
import { tableOf } from '../../partner/site/markdown.ts';
import type { Passages } from './marked-passages.ts';

/** The passages of the runbooks: the tables of all alarms and queries, and as `alarms-<page>` a table for each page. */
export const runbookPassages = (rows: AlarmDefinitions): Passages => ({
  alarms: () => allAlarms(rows),
  'saved-queries': queryTable,
  ...Object.fromEntries([...pagesOf(rows)].map((page) => [`alarms-${page}`, () => alarmsOf(page, rows)])),
});

const pagesOf = (rows: AlarmDefinitions): Set<string> => new Set(Object.values(rows).map(({ runbook }) => runbook));

/** The table of all alarms. The alarms of a pair have one row. */
const allAlarms = (rows: AlarmDefinitions): string =>
  tableOf(
    ['alarm', 'notifies', 'runbook'],
    Object.entries(rows).flatMap(([name, row]) => {
      const pair = pairOf(name);
      if (pair && pair.names[0] !== name) return [];
      const alarm = pair ? `${pair.names.map(quoted).join(' and ')} together` : quoted(name);
      return [[alarm, pair?.urgency ?? notificationOf(row), `[${row.runbook}](${row.runbook}.md)`]];
    }),
  );

/** The table of the alarms whose runbook is this page. */
const alarmsOf = (page: string, rows: AlarmDefinitions): string =>
  tableOf(
    ['alarm', 'rings when', 'window', 'in a row', 'missing data', 'notifies'],
    Object.entries(rows).flatMap(([name, row]) => {
      if (row.runbook !== page) return [];
      const { metric, threshold, thresholdInWords, comparisonOperator = defaultComparison, periods = 1 } = row;
      const pair = pairOf(name);
      const other = pair?.names.find((each) => each !== name);
      return [
        [
          quoted(name),
          `${comparisons[comparisonOperator]} ${thresholdInWords ?? threshold}`,
          metric.period.toHumanString(),
          `${periods}`,
          silenceOf(row),
          pair && other ? `${pair.urgency}, with ${quoted(other)}` : notificationOf(row),
        ],
      ];
    }),
  );

const pairOf = (name: string) =>
  burnRates
    .map((burnRate) => ({
      urgency: burnRate.urgency,
      names: [burnRate.long, burnRate.short].map((window) => burnRateAlarmName(burnRate, window)),
    }))
    .find(({ names }) => names.includes(name));

const notificationOf = (row: AlarmDefinition): string => `${row.urgency}${isGathered(row) ? '' : ', directly'}`;

const comparisons: Readonly<Partial<Record<ComparisonOperator, string>>> = {
  [ComparisonOperator.GREATER_THAN_THRESHOLD]: '>',
  [ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD]: '>=',
  [ComparisonOperator.LESS_THAN_THRESHOLD]: '<',
};

const silenceOf = ({ treatMissingData, notifiesOnMissingData }: AlarmDefinition): string => {
  if (notifiesOnMissingData) return 'missing, and notifies the ticket topic';
  return treatMissingData === TreatMissingData.BREACHING ? 'breaching' : 'not breaching';
};

const queryTable = (): string =>
  tableOf(
    ['saved query', 'its question'],
    Object.entries(savedQueries).map(([name, { question }]) => [quoted(name), question]),
  );

const quoted = (name: string): string => `\`${name}\``;
