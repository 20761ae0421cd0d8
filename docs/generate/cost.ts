import { loadStageConfig } from '../../config/load.ts';
import { defaultUsageMinutes } from '../../lambdas/api/background-functions.ts';
import { functionProblemsOf } from '../../lambdas/api/chain.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { lateLogMinutes, ratePolicies } from '../../lambdas/api/limits.ts';
import { type Dimension, type Metric, metrics, unservedDecisions } from '../../lambdas/api/metrics.ts';
import { tableOf } from '../../partner/site/markdown.ts';
import { assumptions, type MeasuredOperation, measuredOperations, measurements } from './capacity.ts';
import type { Resource, Template } from './example-template.ts';
import { functionMegabytes } from './function-memory.ts';
import type { Passages } from './marked-passages.ts';
import { type CostItem, costOf, dollars, gigabytesOf, prices, totalOf } from './prices.ts';

/** The price of each type of resource that has a fixed price. */
const pricesOfResources: Readonly<Record<string, CostItem['price']>> = {
  'AWS::CloudWatch::Alarm': 'alarmMetric',
  'AWS::CloudWatch::CompositeAlarm': 'compositeAlarm',
  'AWS::CloudWatch::Dashboard': 'dashboard',
  'AWS::CloudWatch::InsightRule': 'insightRule',
  'AWS::KMS::Key': 'macKey',
};

/** Types that are free, or have a price only for their use: docs/cost.md says which, and where the use is calculated. */
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
  ...['Alias', 'EventInvokeConfig', 'EventSourceMapping', 'Function', 'Permission', 'Version'].map(
    (name) => `AWS::Lambda::${name}`,
  ),
  'AWS::Logs::LogGroup',
  'AWS::Logs::QueryDefinition',
  ...['Subscription', 'Topic', 'TopicPolicy'].map((name) => `AWS::SNS::${name}`),
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
];

export const pricedTypes: readonly string[] = [...Object.keys(pricesOfResources), ...withoutFixedPrice];

/** US dollars per month. */
export const goalOfMonth = 30;

/** US dollars per million requests of the typical operation. */
export const goalOfRequests = 5.9;

/** The operation that partners call most. It represents all requests where there is room for only one number. */
export const typicalOperation: MeasuredOperation = 'getHeatingCircuit';

/** The passages about cost, calculated from the template, the measurements and the prices. */
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

/**
 * Returns the monthly cost of a stage, with or without requests. It is an upper limit: every metric counts as if always
 * written.
 */
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

/** Returns the fixed price of a type of resource, or `undefined` if it has none. Throws if the type is not listed above. */
const priceOf = (type: string): CostItem['price'] | undefined => {
  if (pricedTypes.includes(type)) return pricesOfResources[type];
  throw new Error(
    `docs/generate/cost.ts has no price for the resource type ${type}. Add the price, or add the type to the list of ` +
      'types without a price and mention it in docs/cost.md.',
  );
};

/**
 * Returns the number of metrics that an alarm reads, on which its price depends; an expression is not one. Throws if the alarm
 * has another price.
 */
const metricsOfAlarm = ({ Properties = {} }: Resource): number => {
  const read: { MetricStat?: { Period?: number }; Expression?: string }[] = Properties.Metrics ?? [
    { MetricStat: { Period: Properties.Period } },
  ];
  const isDearer = read.some(
    ({ MetricStat, Expression }) => (MetricStat?.Period ?? 60) < 60 || /\bSELECT\b/.test(Expression ?? ''),
  );
  if (isDearer)
    throw new Error(
      `The alarm ${JSON.stringify(Properties.AlarmName)} has a period below a minute or a metrics query, which has a different price. Add that price to docs/generate/cost.ts.`,
    );
  return read.filter(({ MetricStat }) => MetricStat).length;
};

/**
 * Returns the number of series that the service's own metrics can have. Each has a price in the hours in which it is written.
 */
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
 * Returns the cost of Lambda's polls of empty queues. Each poller waits for a message as long as SQS allows, and the request
 * has a price even if none arrives.
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

/** Returns the cost of a million successful requests by item, for the chain and the handler together. */
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
 * Returns the cost of the queries that count requests by outcome. Each run reads the event of a request until the request's
 * hour can no longer grow, and another run reads it when the hour is settled. If a company was limited, each run reads the event
 * twice.
 */
const usageQueries = (eventBytes: number): CostItem => {
  const { usageEveryMinutes = defaultUsageMinutes } = loadStageConfig('example');
  const runs = (averageMinutesLeft + lateLogMinutes) / usageEveryMinutes + 1;
  const times = Number((2 * (runs + 1)).toPrecision(2));
  return {
    price: 'logQuery',
    units: gigabytesOf(eventBytes * times),
    takes: `event of ${eventBytes} bytes, ${times} times on average`,
  };
};

/** Average minutes until the hour of a request is over. */
const averageMinutesLeft = 30;

/** Returns the cost of a million times this many bytes of log, kept for the retention period of the stage. */
export const logStorage = (bytes: number): CostItem => {
  const { logRetentionDays } = loadStageConfig('example');
  const { storedShare } = assumptions;
  return {
    price: 'logStorage',
    units: gigabytesOf(bytes * storedShare) * (logRetentionDays / 30),
    takes: `${bytes} bytes, of which gzip leaves ${100 * storedShare} %, for ${logRetentionDays} days`,
  };
};
