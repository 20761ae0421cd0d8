import { tableOf } from '../../partner/site/markdown.ts';
import { assumptions, type BackgroundWork, backgroundMeasurements, measurements } from './capacity.ts';
import { type CostItem, dollars, functionMegabytes, gigabytesOf, logStorage, requestCosts, totalOf } from './cost.ts';
import type { Template } from './example-template.ts';
import type { Passages } from './marked-passages.ts';

/** The passages about what costs something and is no request, each reckoned from measurements and prices. */
export const backgroundCostPassages = (template: Template): Passages => ({
  'background-costs': () => backgroundTable(template),
  // Millions of reports a month: 10 million gateways, 24 a day.
  'reports-of-fleet': () => {
    const each = totalOf(backgroundCosts('a report of a circuit, of ten at once', template));
    return Number((10 * 24 * 30 * each).toPrecision(2)).toLocaleString('en-US');
  },
});

/** In US dollars for a million of them. */
export const backgroundGoals: Partial<Record<BackgroundWork, number>> = {
  'a report of a circuit, of ten at once': 1.6,
};

/** What each asks of AWS besides the store and the log, in calls for one of them. */
type Calls = {
  /** Requests to SQS: a send, a receive and a deletion take ten messages at once. */
  readonly queue?: number;
  /** Of our functions, each as long as a request takes one. */
  readonly functions?: number;
};

/** A report is sent, received and deleted; its consumer is called, and so are both readers of its table's stream. */
const ofReport = { queue: 3, functions: 3 };

const calls: Readonly<Record<BackgroundWork, Calls>> = {
  'a report of a circuit': ofReport,
  'a report of a circuit, of ten at once': { queue: ofReport.queue / 10, functions: ofReport.functions / 10 },
  // Its recorder is the one that the report has called.
  'an event of a feed': {},
  'an event of a feed, of ten at once': {},
};

export const backgroundCosts = (work: BackgroundWork, template: Template): CostItem[] => {
  const { readUnits, writeUnits, lineBytes } = backgroundMeasurements[work];
  const { queue = 0, functions = 0 } = calls[work];
  const gigabyteSeconds = (assumptions.functionMilliseconds / 1000) * (functionMegabytes(template) / 1024);
  return [
    { price: 'queueRequest', units: queue, takes: `${queue}` },
    { price: 'invocation', units: functions, takes: `${functions}` },
    { price: 'gigabyteSecond', units: functions * gigabyteSeconds * 1e6, takes: `${functions * gigabyteSeconds} GB-s` },
    { price: 'readUnit', units: readUnits, takes: `${readUnits}` },
    { price: 'writeUnit', units: writeUnits, takes: `${writeUnits}` },
    { price: 'logIngestion', units: gigabytesOf(lineBytes), takes: `${lineBytes} bytes` },
    logStorage(lineBytes),
  ];
};

const backgroundTable = (template: Template): string => {
  const works = Object.keys(backgroundMeasurements) as BackgroundWork[];
  const { readUnits, writeUnits, eventBytes } = measurements.listEvents;
  const poll = [readUnits, writeUnits, 0, 1, eventBytes].map(String);
  return tableOf(
    ['a million of', 'read units', 'write units', 'calls of SQS', 'invocations', 'bytes of log', 'costs'],
    [
      ...works.map((work) => {
        const measured = backgroundMeasurements[work];
        const { queue = 0, functions = 0 } = calls[work];
        const cells = [measured.readUnits, measured.writeUnits, queue, functions, measured.lineBytes].map(String);
        return [work, ...cells, dollars(totalOf(backgroundCosts(work, template)))];
      }),
      ['`GET /events` that finds nothing new', ...poll, dollars(totalOf(requestCosts('listEvents', template)))],
    ],
  );
};
