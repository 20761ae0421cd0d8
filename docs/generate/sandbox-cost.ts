import { tableOf } from '../../partner/site/markdown.ts';
import { backgroundCost } from './background-cost.ts';
import { assumptions } from './capacity.ts';
import type { Template } from './example-template.ts';
import { functionMegabytes } from './function-memory.ts';
import type { Passages } from './marked-passages.ts';
import { type CostItem, dollars, totalOf } from './prices.ts';

/** What the function of a sandbox consumes. `test/docs/sandbox-measurements.store.test.ts` measures it. */
type Measurement = {
  readonly readUnits: number;
  readonly writeUnits: number;
  /** The events that it sends. */
  readonly events: number;
};

export const sandboxMeasurements = {
  'a run without a home that is due': { readUnits: 1, writeUnits: 0, events: 0 },
  'a day of a home at rest': { readUnits: 24, writeUnits: 146, events: 93 },
  'an hour of a home in use': { readUnits: 60, writeUnits: 272, events: 18 },
} as const satisfies Readonly<Record<string, Measurement>>;

/** The homes of the table: ten companies with three homes each, one of which is used for twenty hours a month. */
const example = { companies: 10, homes: 3, hoursInUse: 20 } as const;

const daysOfMonth = 30;
const runsOfMonth = daysOfMonth * 24 * 60;
const secondsOfMonth = daysOfMonth * 86_400;

/** The passages about what a sandbox costs in addition to any stage. */
export const sandboxPassages = (template: Template): Passages => ({
  'sandbox-costs': () => costTable(template),
});

/** Returns the table of what a sandbox costs in a month, at rest and in use. */
const costTable = (template: Template): string => {
  const ofFunction = totalOf([...polls, ...runs(template)]);
  const [rest, use] = [homeAtRest(template), homeInUse(template)];
  const homes = example.companies * example.homes;
  return tableOf(
    ['a month of', 'takes', 'cost'],
    [
      ['the sandbox without homes', 'the polls of two queues, and a run a minute', dollars(ofFunction)],
      ['a home at rest', 'a run an hour', cents(rest)],
      [
        `a home that is used for ${example.hoursInUse} hours`,
        'a run a minute in these hours, otherwise a run an hour',
        cents(rest + example.hoursInUse * use),
      ],
      [
        `**${example.companies} companies with ${example.homes} homes each, one of which is used like this**`,
        '',
        `**${dollars(ofFunction + homes * rest + example.companies * example.hoursInUse * use)}**`,
      ],
    ],
  );
};

/** Amounts of less than a cent have two digits that are not zero. */
const cents = (amount: number): string => `$${Number(amount.toPrecision(2))}`;

/** Lambda polls the queue of requested changes and that of controls. */
const polls: readonly CostItem[] = [
  {
    price: 'queueRequest',
    units: (2 * assumptions.pollersOfQueue * secondsOfMonth) / assumptions.pollSeconds / 1e6,
    takes: '2 queues',
  },
];

const runs = (template: Template): CostItem[] => [
  ...invocations(runsOfMonth, template),
  ...units(sandboxMeasurements['a run without a home that is due'], runsOfMonth),
];

const homeAtRest = (template: Template): number => daysOfMonth * costOfWork('a day of a home at rest', template);

const homeInUse = (template: Template): number => costOfWork('an hour of a home in use', template);

/** The runs themselves are counted above. Each event is taken by the consumers, like an event of a real system. */
const costOfWork = (work: keyof typeof sandboxMeasurements, template: Template): number => {
  const measured = sandboxMeasurements[work];
  return totalOf(units(measured, 1)) + (measured.events * backgroundCost('a report of a circuit', template)) / 1e6;
};

const units = ({ readUnits, writeUnits }: Measurement, times: number): CostItem[] => [
  { price: 'readUnit', units: (readUnits * times) / 1e6, takes: `${readUnits}` },
  { price: 'writeUnit', units: (writeUnits * times) / 1e6, takes: `${writeUnits}` },
];

const invocations = (count: number, template: Template): CostItem[] => {
  const gigabyteSeconds = (assumptions.functionMilliseconds / 1000) * (functionMegabytes(template) / 1024);
  return [
    { price: 'invocation', units: count / 1e6, takes: `${count}` },
    { price: 'gigabyteSecond', units: gigabyteSeconds * count, takes: `${gigabyteSeconds} each` },
  ];
};
