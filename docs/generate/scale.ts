import { ipSetCapacity } from '../../config/allowlist.ts';
import { loadStageConfig } from '../../config/load.ts';
import { ipSetCounts, resourcePolicy } from '../../infra/api/admission.ts';
import { type Consumer, consumers } from '../../lambdas/api/background-functions.ts';
import {
  attemptDays,
  hourlyEnergyDays,
  maxMessageBytes,
  maxPageBytes,
  purgeRunMinutes,
} from '../../lambdas/api/limits.ts';
import { type TableName, tables } from '../../lambdas/api/tables.ts';
import { storeDeadlineMs } from '../../lambdas/runtime/function-environment.ts';
import { tableOf } from '../../partner/site/markdown.ts';
import {
  assumptions,
  attemptBytes,
  auditBytesOfSwitchPoint,
  auditRowBytes,
  backgroundMeasurements,
  bucketReadUnits,
  companyPartitionReads,
  energyHoursBytes,
  energyMonthBytes,
  largestHomeReadUnits,
  measurements,
  measurementsBytes,
  partition,
} from './capacity.ts';
import { metricSeriesCount } from './cost.ts';
import type { ExampleTemplates, NestedName, Resource, Template } from './example-template.ts';
import type { Passages } from './marked-passages.ts';

/**
 * Quotas as AWS documents them in 2026-11; docs/scale.md links the pages. Quotas that AWS sets for each account are not
 * included.
 */
export const quotas = {
  resourcesOfStack: 500,
  templateBytes: 1_000_000,
  parametersOfTemplate: 200,
  resourcesOfApi: 300,
  executions: 1000,
  executionsOfNewAccount: 10,
  messageBytes: 1_048_576,
  readersOfStream: 2,
  alarms: 5000,
  insightRules: 100,
} as const;

type StackName = 'stage' | NestedName;
type Taken = { readonly holds: string; readonly resources: number; readonly parameters: number };

/** What an endpoint whose path adds one segment uses in each stack. */
const takenByEndpoint: Readonly<Record<StackName, Taken>> = {
  stage: {
    holds: 'everything else; for an endpoint: its function, role, version and alias',
    resources: 4,
    parameters: 0,
  },
  Methods: { holds: 'paths, methods, permissions and gateway responses of the API', resources: 3, parameters: 1 },
  Groups: { holds: 'groups of gradual deployments', resources: 1, parameters: 0 },
  Monitoring: { holds: 'alarms, dashboard, rules and queries', resources: 0, parameters: 1 },
};

/** The passages about the capacity of the service, calculated from the code, the measurements and the quotas. */
export const scalePassages = (templates: ExampleTemplates): Passages => {
  const { whole: template, stage } = templates;
  const { throttle } = loadStageConfig('example');
  const { eventBytes, accessLogBytes } = measurements.getHeatingCircuit;
  const count = (type: string) => String(resourcesOf(template, type).length);
  return {
    'stage-throttle': () => `${throttle.requestsPerSecond} requests/s, ${throttle.burst} at once`,
    'company-requests': () =>
      `${whole(partition.readUnits)} / ${companyPartitionReads.Contracts} = ${whole(partition.readUnits / companyPartitionReads.Contracts)}`,
    'home-size': () => `${whole(maxPageBytes / 1024)} kB`,
    'home-units': () => String(largestHomeReadUnits),
    'home-pages': () =>
      `${whole(partition.readUnits)} / ${largestHomeReadUnits} = ${whole(partition.readUnits / largestHomeReadUnits)}`,
    'usage-units': () => String(measurements.getUsage.readUnits),
    'usage-reads': () =>
      `${whole(partition.readUnits)} / ${measurements.getUsage.readUnits} = ${whole(partition.readUnits / measurements.getUsage.readUnits)}`,
    'audit-page-units': () => String(measurements.listAuditEntries.readUnits),
    'bucket-refusals': () =>
      `${whole(partition.readUnits)} / ${bucketReadUnits} = ${whole(partition.readUnits / bucketReadUnits)}`,
    concurrency: () => concurrencyTable(template),
    'policy-blocks': blockTable,
    'fitting-addresses': () => whole(fittingBlocks(longestIpv4)),
    'ip-set-blocks': () =>
      `${whole(ipSetCounts.IPV4 * ipSetCapacity)} blocks of IPv4 and ${whole(ipSetCounts.IPV6 * ipSetCapacity)} of IPv6`,
    'audit-growth': () =>
      `${auditCopies} × (${auditRowBytes} + ${itemOverheadBytes}) bytes × a million = ${gigabytes(auditCopies * (auditRowBytes + itemOverheadBytes) * 1e6)}`,
    'energy-growth': () => {
      const bytes = 12 * (energyMonthBytes + itemOverheadBytes);
      return `12 × (${whole(energyMonthBytes)} + ${itemOverheadBytes}) bytes = ${whole(bytes / 1000)} kB`;
    },
    'hourly-energy-size': () => {
      const [items, bytes] = [hourlyEnergyDays + 1, energyHoursBytes + itemOverheadBytes];
      return `${items} × ${whole(bytes)} bytes = ${whole((items * bytes) / 1000)} kB`;
    },
    'measurements-growth': () =>
      `${whole(measurementsBytes)} + ${itemOverheadBytes} bytes × a million = ${gigabytes((measurementsBytes + itemOverheadBytes) * 1e6)}`,
    'attempt-growth': () => {
      const [attempts, bytes] = [attemptDays * 24 * 60, attemptBytes + itemOverheadBytes];
      return `${attemptDays} × 24 × 60 × ${bytes} bytes = ${((attempts * bytes) / 1e6).toFixed(1)} MB`;
    },
    'purge-run': () => {
      const seconds = assumptions.purgeMillisecondsOfMegabyte / 1000;
      const megabytes = (purgeRunMinutes * 60) / seconds;
      // A read unit is 4 kB.
      const eventsOfMegabyte =
        1000 / ((backgroundMeasurements['a feed of 1,000 events, purged of ten'].readUnits * 4) / 1024);
      const events = Number((megabytes * eventsOfMegabyte).toPrecision(2));
      return `${purgeRunMinutes} × 60 s / ${seconds} s = ${megabytes} MB, some ${whole(events)} events`;
    },
    'audit-switch-point': () => `${auditBytesOfSwitchPoint} bytes`,
    // The table's own copy counts twice, as in each transaction.
    'audit-units': () => `${1 + auditCopies} write units`,
    'reports-at-once': () => {
      const { batchSize, maxConcurrency } = consumers.takeGatewayReports;
      return `${maxConcurrency} × ${batchSize} = ${whole(maxConcurrency * batchSize)}`;
    },
    'consumer-throughput': consumerTable,
    'stream-readers': () => `${readersOf(template, 'Appliances')} of ${quotas.readersOfStream}`,
    'message-bytes': () => `${whole(maxMessageBytes)} of ${whole(quotas.messageBytes)}`,
    'relay-batch': () => {
      const { batchSize, source } = consumers.relayRequestedChanges;
      const ms = whole((1000 * source.batchesPerShard * batchSize) / partition.writeUnits);
      return `${source.batchesPerShard} batches of ${batchSize} have to take less than ${ms} ms`;
    },
    'log-growth': () =>
      `${throttle.requestsPerSecond} × ${whole(eventBytes + accessLogBytes)} bytes × ${whole(secondsOfDay)} s = ${gigabytes(throttle.requestsPerSecond * (eventBytes + accessLogBytes) * secondsOfDay)} a day`,
    'metric-series': () => String(metricSeriesCount()),
    'function-count': () => count('AWS::Lambda::Function'),
    'gradual-count': () => count('AWS::CodeDeploy::DeploymentGroup'),
    'alarm-count': () => `${count('AWS::CloudWatch::Alarm')} of ${whole(quotas.alarms)}`,
    'insight-rule-count': () => `${count('AWS::CloudWatch::InsightRule')} of ${quotas.insightRules}`,
    'api-resources': () => `${count('AWS::ApiGateway::Resource')} of ${quotas.resourcesOfApi}`,
    'endpoint-resources': () => String(takenByEndpoint.stage.resources),
    'stack-resources': () => `${sizeOf(stage)} of ${quotas.resourcesOfStack}`,
    'endpoint-room': () => String(Math.min(...stacksOf(templates).map(roomIn))),
    stacks: () => stackTable(templates),
    'template-bytes': () => `${Math.ceil(bytesOf(stage) / 1000)} kB of ${whole(quotas.templateBytes / 1000)} kB`,
  };
};

/** The size of a template as the CDK CLI uploads it: one line per value. */
export const bytesOf = (template: Template): number => Buffer.byteLength(JSON.stringify(template, undefined, 1));

const sizeOf = ({ Resources }: Template): number => Object.keys(Resources).length;

type CountedStack = Taken & { readonly name: StackName; readonly used: Pick<Taken, 'resources' | 'parameters'> };

/** Counts the resources and parameters of each stack. */
export const stacksOf = ({ stage, nested }: ExampleTemplates): CountedStack[] =>
  Object.entries({ stage: { ...stage, Parameters: {} }, ...nested }).map(([name, template]) => ({
    ...takenByEndpoint[name as StackName],
    name: name as StackName,
    used: { resources: sizeOf(template), parameters: Object.keys(template.Parameters).length },
  }));

/** The number of endpoints, each with its own path, that a stack still has room for. */
export const roomIn = ({ used, resources, parameters }: CountedStack): number =>
  Math.floor(
    Math.min(
      (quotas.resourcesOfStack - used.resources) / resources,
      (quotas.parametersOfTemplate - used.parameters) / parameters,
    ),
  );

const stackTable = (templates: ExampleTemplates): string =>
  tableOf(
    ['stack', 'holds', 'resources', 'for an endpoint', 'parameters', 'for an endpoint', 'room for endpoints'],
    stacksOf(templates).map((stack) => [
      stack.name === 'stage' ? 'of the stage' : `\`${stack.name}\`, nested`,
      stack.holds,
      `${stack.used.resources} of ${quotas.resourcesOfStack}`,
      String(stack.resources),
      `${stack.used.parameters} of ${quotas.parametersOfTemplate}`,
      String(stack.parameters),
      String(roomIn(stack)),
    ]),
  );

const secondsOfDay = 86_400;

const whole = (value: number): string => Math.floor(value).toLocaleString('en-US');
const gigabytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GB`;

/** A change writes its row once, and again into each index; a transaction writes twice. */
const auditCopies = 1 + Object.keys(tables.AuditLog.indexes).length;

/** Bytes that DynamoDB adds to each stored item. */
const itemOverheadBytes = 100;

const resourcesOf = ({ Resources }: Template, type: string): Resource[] =>
  Object.values(Resources).filter(({ Type }) => Type === type);

/** Returns the requests per second that a number of concurrent executions can serve, by the duration of a request. */
const concurrencyTable = (template: Template): string => {
  const timeouts = resourcesOf(template, 'AWS::Lambda::Function').map(({ Properties }) => Properties?.Timeout);
  const { requestsPerSecond } = loadStageConfig('example').throttle;
  const durations = {
    'the duration assumed in the price': assumptions.functionMilliseconds,
    'a slow store': 500,
    'a store that does not answer, until the functions give up': storeDeadlineMs,
    'the timeout of the endpoints': Math.min(...timeouts) * 1000,
  };
  return tableOf(
    [
      'a request takes',
      'ms',
      `requests/s with ${quotas.executionsOfNewAccount} executions`,
      `requests/s with ${whole(quotas.executions)}`,
      `executions for ${requestsPerSecond} requests/s`,
    ],
    Object.entries(durations).map(([what, ms]) => [
      what,
      whole(ms),
      ...[quotas.executionsOfNewAccount, quotas.executions].map((executions) => whole((executions * 1000) / ms)),
      whole((requestsPerSecond * ms) / 1000),
    ]),
  );
};

const blockTable = (): string =>
  tableOf(
    ['blocks', 'characters of each', 'fit'],
    [
      ['IPv4 addresses, the longest', longestIpv4],
      ['IPv6 addresses, the longest', longestIpv6],
    ].map(([what, block]) => {
      const blockOf = block as (index: number) => string;
      return [what as string, whole(blockOf(0).length), whole(fittingBlocks(blockOf))];
    }),
  );

/** Return distinct blocks of the greatest possible length that cannot be merged. */
export const longestIpv4 = (index: number): string =>
  `198.151.${100 + Math.floor(index / 100)}.${100 + (index % 100)}/32`;
export const longestIpv6 = (index: number): string =>
  `2001:1db8:1111:1111:1111:1111:1111:${(4096 + index).toString(16)}/128`;

/** Returns the largest number of blocks for which the stack can still create a resource policy. */
export const fittingBlocks = (blockOf: (index: number) => string): number => {
  let [fits, tooMany] = [0, 10_000];
  while (tooMany - fits > 1) {
    const count = Math.floor((fits + tooMany) / 2);
    if (isAccepted(Array.from({ length: count }, (_, index) => blockOf(index)))) fits = count;
    else tooMany = count;
  }
  return fits;
};

const isAccepted = (blocks: readonly string[]): boolean => {
  try {
    resourcePolicy(blocks);
    return true;
  } catch {
    return false;
  }
};

/** Returns the messages per second that each consumer of a queue takes, by the duration of a batch. */
const consumerTable = (): string =>
  tableOf(
    [
      'consumer',
      'calls at once',
      'messages a call',
      'messages a second, if a batch takes 100 ms',
      '1 s',
      'its timeout',
    ],
    queueConsumers().map(([name, { batchSize, maxConcurrency, timeoutSeconds }]) => {
      const aSecond = [0.1, 1, timeoutSeconds].map((seconds) => whole((maxConcurrency * batchSize) / seconds));
      return [`\`${name}\``, whole(maxConcurrency), whole(batchSize), ...aSecond];
    }),
  );

const queueConsumers = () =>
  Object.entries<Consumer>(consumers).flatMap(([name, { source, maxConcurrency, ...others }]) =>
    'queue' in source && maxConcurrency !== undefined ? [[name, { ...others, maxConcurrency }] as const] : [],
  );

/** Returns the number of functions that read the stream of a table. */
const readersOf = (template: Template, table: TableName): number =>
  resourcesOf(template, 'AWS::Lambda::EventSourceMapping').filter(({ Properties }) =>
    Properties?.EventSourceArn['Fn::GetAtt'][0].startsWith(table),
  ).length;
