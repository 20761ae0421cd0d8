import { loadStageConfig } from '../../config/load.ts';
import { usualUsageMinutes } from '../../lambdas/api/background-functions.ts';
import { functionProblemsOf } from '../../lambdas/api/chain.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { lateLogMinutes, ratePolicies } from '../../lambdas/api/limits.ts';
import { type Dimension, type Metric, metrics, unservedDecisions } from '../../lambdas/api/metrics.ts';
import { tableOf } from '../../partner/site/markdown.ts';
import { assumptions, type MeasuredOperation, measuredOperations, measurements } from './capacity.ts';
import type { Resource, Template } from './example-template.ts';
import type { Passages } from './marked-passages.ts';

/** List prices of eu-central-1 in US dollars, as docs/cost.md says of their date and their sources. */
export const prices = {
  restCall: { what: 'API Gateway: REST API', each: 3.7, unit: 'million calls' },
  invocation: { what: 'Lambda: Invocations', each: 0.2, unit: 'million' },
  gigabyteSecond: { what: 'Lambda: Duration, arm64', each: 0.0000133334, unit: 'GB-second' },
  readUnit: { what: 'DynamoDB: Read units, on demand', each: 0.1525, unit: 'million' },
  writeUnit: { what: 'DynamoDB: Write units, on demand', each: 0.7625, unit: 'million' },
  tableStorage: { what: 'DynamoDB: Table storage', each: 0.306, unit: 'GB and month' },
  recovery: { what: 'DynamoDB: Point-in-time recovery', each: 0.2448, unit: 'GB and month' },
  logIngestion: { what: 'CloudWatch: Logs, ingestion', each: 0.63, unit: 'GB' },
  infrequentLogIngestion: { what: 'CloudWatch: Logs, ingestion, Infrequent Access', each: 0.315, unit: 'GB' },
  logStorage: { what: 'CloudWatch: Logs, storage', each: 0.0324, unit: 'GB and month' },
  logQuery: { what: 'CloudWatch: Logs Insights, reading', each: 0.0063, unit: 'GB' },
  customMetric: { what: 'CloudWatch: Custom metrics', each: 0.3, unit: 'series and month' },
  alarmMetric: { what: 'CloudWatch: Alarms', each: 0.1, unit: 'metric and month' },
  compositeAlarm: { what: 'CloudWatch: Composite alarms', each: 0.5, unit: 'alarm and month' },
  dashboard: { what: 'CloudWatch: Dashboards', each: 3, unit: 'dashboard and month' },
  insightRule: { what: 'CloudWatch: Contributor Insights', each: 0.5, unit: 'rule and month' },
  insightEvent: { what: 'CloudWatch: Contributor Insights, events that match', each: 0.02, unit: 'million' },
  queueRequest: { what: 'SQS: Requests, standard queue', each: 0.4, unit: 'million' },
  macCall: { what: 'KMS: Requests', each: 3, unit: 'million' },
  busEvent: { what: 'EventBridge: Events of one’s own', each: 1, unit: 'million' },
  macKey: { what: 'KMS: Keys of a customer', each: 1, unit: 'key and month' },
  transferOut: { what: 'EC2: Data transfer to the internet', each: 0.09, unit: 'GB' },
} as const;

export type CostItem = {
  readonly price: keyof typeof prices;
  /** How many of the price's units, in words and as a number. */
  readonly takes: string;
  readonly units: number;
};

/** The price of each type of resource that is paid for being there. */
const pricesOfResources: Readonly<Record<string, CostItem['price']>> = {
  'AWS::CloudWatch::Alarm': 'alarmMetric',
  'AWS::CloudWatch::CompositeAlarm': 'compositeAlarm',
  'AWS::CloudWatch::Dashboard': 'dashboard',
  'AWS::CloudWatch::InsightRule': 'insightRule',
  'AWS::KMS::Key': 'macKey',
};

/** Types that are free, or paid only when they are used: docs/cost.md says which, and where that is reckoned. */
const withoutFixedPrice = [
  ...['Account', 'BasePathMapping', 'Deployment', 'DomainName', 'GatewayResponse', 'Method', 'Resource', 'RestApi'].map(
    (name) => `AWS::ApiGateway::${name}`,
  ),
  'AWS::ApiGateway::Stage',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::DynamoDB::GlobalTable',
  ...['Archive', 'EventBus', 'EventBusPolicy', 'Rule'].map((name) => `AWS::Events::${name}`),
  ...['ManagedPolicy', 'Role'].map((name) => `AWS::IAM::${name}`),
  ...['Alias', 'EventSourceMapping', 'Function', 'Permission', 'Version'].map((name) => `AWS::Lambda::${name}`),
  'AWS::Logs::LogGroup',
  'AWS::Logs::QueryDefinition',
  ...['Subscription', 'Topic', 'TopicPolicy'].map((name) => `AWS::SNS::${name}`),
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
];

export const pricedTypes: readonly string[] = [...Object.keys(pricesOfResources), ...withoutFixedPrice];

/** In US dollars a month. */
export const goalOfMonth = 30;

/** In US dollars for a million of the typical operation. */
export const goalOfRequests = 6.1;

/** The operation that partners call most: it stands for a request where there is room for one number only. */
export const typicalOperation: MeasuredOperation = 'getHeatingCircuit';

/** The passages about cost, each reckoned from the template, the measurements and the prices. */
export const costPassages = (template: Template): Passages => ({
  'fixed-cost': () => itemTable(fixedCosts(template), 'a month'),
  'fixed-cost-total': () => dollars(totalOf(fixedCosts(template))),
  'fixed-cost-goal': () => dollars(goalOfMonth),
  'request-cost': () => itemTable(requestCosts(typicalOperation, template), 'a million'),
  'request-cost-goal': () => dollars(goalOfRequests),
  'mac-call-price': () => dollars(prices.macCall.each),
  'bus-event-price': () => dollars(prices.busEvent.each),
  'request-cost-operation': () => typicalOperation,
  'request-cost-total': () => dollars(totalOf(requestCosts(typicalOperation, template))),
  'operation-costs': () => operationTable(template),
});

export const dollars = (amount: number): string => `$${amount.toFixed(2)}`;

const costOf = ({ price, units }: CostItem): number => units * prices[price].each;

export const totalOf = (items: readonly CostItem[]): number => items.reduce((sum, item) => sum + costOf(item), 0);

const itemTable = (items: readonly CostItem[], period: string): string =>
  tableOf(
    ['item', 'takes', 'list price', period],
    [
      ...items.map((item) => {
        const { what, each, unit } = prices[item.price];
        const amount = each.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 10 });
        return [what, item.takes, `$${amount} per ${unit}`, dollars(costOf(item))];
      }),
      ['**sum**', '', '', `**${dollars(totalOf(items))}**`],
    ],
  );

const operationTable = (template: Template): string =>
  tableOf(
    ['operation', 'read units', 'write units', 'a million'],
    measuredOperations.map((operationId) => {
      const { readUnits, writeUnits } = measurements[operationId];
      return [operationId, `${readUnits}`, `${writeUnits}`, dollars(totalOf(requestCosts(operationId, template)))];
    }),
  );

const secondsOfMonth = 30 * 86_400;

/** What a stage costs a month, whether anybody calls it or not; at most, since every metric is counted as if always written. */
export const fixedCosts = (template: Template): CostItem[] => {
  const items = new Map<CostItem['price'], { units: number; resources: number }>();
  for (const resource of Object.values(template.Resources)) {
    const price = priceOf(resource.Type);
    if (price === undefined) continue;
    const { units, resources } = items.get(price) ?? { units: 0, resources: 0 };
    items.set(price, {
      units: units + (price === 'alarmMetric' ? metricsOfAlarm(resource) : 1),
      resources: resources + 1,
    });
  }
  const ofResources = [...items].map(([price, { units, resources }]) => ({
    price,
    units,
    takes: units === resources ? `${units}` : `${units} metrics of ${resources} alarms`,
  }));
  const series = metricSeriesCount();
  const { tableGigabytes } = assumptions;
  return [
    ...ofResources,
    { price: 'customMetric', units: series, takes: `${series} series at most` },
    { price: 'tableStorage', units: tableGigabytes, takes: `${tableGigabytes} GB` },
    { price: 'recovery', units: tableGigabytes, takes: `${tableGigabytes} GB` },
    queuePolling(template),
  ];
};

/** What a resource of this type costs for being there, if anything; throws if nobody has decided. */
const priceOf = (type: string): CostItem['price'] | undefined => {
  if (pricedTypes.includes(type)) return pricesOfResources[type];
  throw new Error(
    `Nobody has decided what a resource of the type ${type} costs. Add it to docs/generate/cost.ts: ` +
      'with a price, or among the types that have none, with a word in docs/cost.md.',
  );
};

/** An alarm is paid by the metrics that it reads; an expression over them is not one. */
const metricsOfAlarm = ({ Properties = {} }: Resource): number => {
  const read: { MetricStat?: { Period?: number }; Expression?: string }[] = Properties.Metrics ?? [
    { MetricStat: { Period: Properties.Period } },
  ];
  const isDearer = read.some(
    ({ MetricStat, Expression }) => (MetricStat?.Period ?? 60) < 60 || /\bSELECT\b/.test(Expression ?? ''),
  );
  if (isDearer)
    throw new Error(
      `The alarm ${JSON.stringify(Properties.AlarmName)} has a period below a minute or selects its metrics by a query, which has a price of its own. Add that price to docs/generate/cost.ts.`,
    );
  return read.filter(({ MetricStat }) => MetricStat).length;
};

/** The number of series that the service's own metrics can have: each is paid for in the hours in which it is written. */
export const metricSeriesCount = (): number => {
  const reasons = new Set(Object.values<Endpoint>(endpoints).flatMap(functionProblemsOf));
  const sizes: Record<Dimension, number> = {
    decision: unservedDecisions.length,
    reason: reasons.size,
    ratePolicy: Object.keys(ratePolicies).length,
  };
  const seriesOf = ({ dimensions }: Metric) => dimensions.reduce((sum, dimension) => sum + sizes[dimension], 0) || 1;
  return Object.values<Metric>(metrics).reduce((sum, metric) => sum + seriesOf(metric), 0);
};

/**
 * What Lambda's asking costs of queues in which nothing is: each of its pollers waits for a message as long as SQS lets it,
 * and the request is paid all the same.
 */
const queuePolling = (template: Template): CostItem => {
  const queues = Object.values(template.Resources).filter(
    ({ Type, Properties }) => Type === 'AWS::Lambda::EventSourceMapping' && !Properties?.StartingPosition,
  ).length;
  const { pollersOfQueue, pollSeconds } = assumptions;
  return {
    price: 'queueRequest',
    units: (queues * pollersOfQueue * secondsOfMonth) / pollSeconds / 1e6,
    takes: `${queues} queues × ${pollersOfQueue} pollers × 30 days, every ${pollSeconds} s`,
  };
};

/** What a million requests that succeed cost, by item: the chain and the handler together. */
export const requestCosts = (operationId: MeasuredOperation, template: Template): CostItem[] => {
  const { readUnits, writeUnits, eventBytes, accessLogBytes, answerBytes } = measurements[operationId];
  const { functionMilliseconds, gatewayHeaderBytes } = assumptions;
  const megabytes = functionMegabytes(template);
  const logBytes = eventBytes + accessLogBytes;
  const gigabyteSeconds = (functionMilliseconds / 1000) * (megabytes / 1024);
  return [
    { price: 'restCall', units: 1, takes: '1 call' },
    { price: 'invocation', units: 1, takes: '1' },
    {
      price: 'gigabyteSecond',
      units: gigabyteSeconds * 1e6,
      takes: `${functionMilliseconds} ms × ${megabytes} MB = ${gigabyteSeconds} GB-s`,
    },
    { price: 'readUnit', units: readUnits, takes: `${readUnits}` },
    { price: 'writeUnit', units: writeUnits, takes: `${writeUnits}` },
    { price: 'logIngestion', units: gigabytesOf(eventBytes), takes: `event of ${eventBytes} bytes` },
    {
      price: 'infrequentLogIngestion',
      units: gigabytesOf(accessLogBytes),
      takes: `access log of ${accessLogBytes} bytes`,
    },
    logStorage(logBytes),
    usageQueries(eventBytes),
    { price: 'insightEvent', units: 1, takes: 'matches 1 rule' },
    {
      price: 'transferOut',
      units: gigabytesOf(answerBytes + gatewayHeaderBytes),
      takes: `answer of ${answerBytes} bytes, and ${gatewayHeaderBytes} of API Gateway's headers`,
    },
  ];
};

/**
 * What it costs that the event of a request is read again and again by the queries that count what became of requests: by every
 * run until its hour can grow no more, and once when the hour is settled. Where somebody was limited, each reads it a second time.
 */
const usageQueries = (eventBytes: number): CostItem => {
  const { usageEveryMinutes = usualUsageMinutes } = loadStageConfig('example');
  const runs = (averageMinutesLeft + lateLogMinutes) / usageEveryMinutes + 1;
  const times = Number((2 * (runs + 1)).toPrecision(2));
  return {
    price: 'logQuery',
    units: gigabytesOf(eventBytes * times),
    takes: `event of ${eventBytes} bytes, ${times} times on average`,
  };
};

/** Until the hour of a request is over. */
const averageMinutesLeft = 30;

/** A million of so many bytes. */
export const gigabytesOf = (bytes: number): number => (bytes * 1e6) / 1024 ** 3;

/** What it costs to keep so many bytes of log, a million times, for as long as the stage does. */
export const logStorage = (bytes: number): CostItem => {
  const { logRetentionDays } = loadStageConfig('example');
  const { storedShare } = assumptions;
  return {
    price: 'logStorage',
    units: gigabytesOf(bytes * storedShare) * (logRetentionDays / 30),
    takes: `${bytes} bytes, of which gzip leaves ${100 * storedShare} %, for ${logRetentionDays} days`,
  };
};

/** The memory of a function; throws if they have different ones, since there is one price for all. */
export const functionMegabytes = ({ Resources }: Template): number => {
  const functions = Object.values(Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
  const [megabytes, ...others] = new Set(functions.map(({ Properties }) => Properties?.MemorySize));
  const isArm = functions.every(({ Properties }) => Properties?.Architectures?.join() === 'arm64');
  if (megabytes === undefined || others.length > 0 || !isArm)
    throw new Error(
      'The price of a request takes all functions to be arm64 and of one size. Reckon it by operation in docs/generate/cost.ts.',
    );
  return megabytes;
};
