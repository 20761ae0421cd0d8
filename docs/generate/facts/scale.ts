import { defaultPolicyQuota } from '../../../config/allowlist.ts';
import { loadStageConfig } from '../../../config/load.ts';
import { type Consumer, consumers } from '../../../lambdas/api/background-functions.ts';
import { maxMessageBytes, type RatePolicy, ratePolicies } from '../../../lambdas/api/limits.ts';
import { type Table, type TableIndex, type TableName, tables } from '../../../lambdas/api/tables.ts';
import { storeDeadlineMs } from '../../../lambdas/data/function-environment.ts';
import { duePartitions } from '../../../lambdas/data/webhooks/webhooks.ts';
import { tableOf } from '../../../partner/site/markdown.ts';
import type { Resource, Template } from '../cost/example-template.ts';
import {
  assumptions,
  auditBytesOfSwitchPoint,
  auditRowBytes,
  bucketReadUnits,
  companyPartitionReads,
  measurements,
} from '../cost/measurements.ts';
import { metricSeriesCount } from '../cost/metric-series.ts';
import { priceList } from '../cost/price-list.ts';
import type { Facts } from '../marked-facts.ts';
import { fittingBlocks, longestIpv4, longestIpv6 } from '../scale/fitting-blocks.ts';
import {
  apiGateway,
  cloudFormation,
  cloudWatch,
  lambda,
  newTable,
  partition,
  readersOfStream,
  sqs,
} from '../scale/quotas.ts';

const gigabyte = 1024 ** 3;
const secondsOfDay = 86_400;

const whole = (value: number): string => Math.floor(value).toLocaleString('en-US');
const gigabytes = (bytes: number): string => `${(bytes / gigabyte).toFixed(1)} GB`;

const resourcesOf = ({ Resources }: Template, type: string): Resource[] =>
  Object.values(Resources).filter(({ Type }) => Type === type);

/** The requests a second that so many executions at once can serve, by how long each takes. */
const concurrencyTable = (template: Template): string => {
  const timeouts = resourcesOf(template, 'AWS::Lambda::Function').map(({ Properties }) => Properties?.Timeout);
  const { requestsPerSecond } = loadStageConfig('example').throttle;
  const durations = {
    'the duration assumed in the price': assumptions.functionMilliseconds,
    'a slow store': 500,
    'a store that does not answer: the functions give up': storeDeadlineMs,
    'the timeout of the endpoints': Math.min(...timeouts) * 1000,
  };
  return tableOf(
    [
      'a request takes',
      'ms',
      `requests/s with ${lambda.newAccountConcurrency} executions`,
      `requests/s with ${whole(lambda.concurrency)}`,
      `executions for ${requestsPerSecond} requests/s`,
    ],
    Object.entries(durations).map(([what, ms]) => [
      what,
      whole(ms),
      ...[lambda.newAccountConcurrency, lambda.concurrency].map((executions) => whole((executions * 1000) / ms)),
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

const bucketTable = (): string =>
  tableOf(
    ['rate policy', 'writes a second that it admits to one item', 'share of what an item takes'],
    Object.entries<RatePolicy>(ratePolicies).map(([name, { refillIntervalMs }]) => {
      const writes = 1000 / refillIntervalMs;
      return [name, `${writes}`, `${((100 * writes) / partition.writeUnits).toFixed(2)} %`];
    }),
  );

/** What writes to an index, and how many partitions take it. */
const indexUses: Readonly<Record<TableIndex, readonly [partitions: string, writtenBy: string]>> = {
  'ApiKeys/index/byExpiryMonth': ['one for each `expiryMonth`', 'each issue and deletion of a key'],
  'AuditLog/index/byUser': ['one for each `userId`', 'each change that names one'],
  'AuditLog/index/byGateway': ['one for each `gatewayId`', 'each change that names one'],
  'Webhooks/index/byDue': [
    `${duePartitions.length}, by a hash of the webhook`,
    'each poke when it is owed and when it is sent; twice when it is put off',
  ],
};

const indexTable = (): string =>
  tableOf(
    ['index', 'partitions', 'holds', 'written by'],
    Object.entries<Table>(tables).flatMap(([name, { indexes = {} }]) =>
      Object.entries(indexes).map(([index, { projection }]) => {
        const [partitions, writtenBy] = indexUses[`${name}/index/${index}` as TableIndex];
        return [`${name}/${index}`, partitions, projection === 'ALL' ? 'whole items' : 'keys', writtenBy];
      }),
    ),
  );

/** A change writes its row once, and again into each index; a transaction writes twice. */
const auditCopies = 1 + Object.keys(tables.AuditLog.indexes).length;

/** The messages a second that a consumer of a queue takes, by how long a batch takes it. */
const consumerTable = (): string =>
  tableOf(
    ['consumer', 'calls at once', 'messages a call', 'a second, if a batch takes 100 ms', '1 s', 'its time-out'],
    queueConsumers().map(([name, { batchSize, maxConcurrency, timeoutSeconds }]) => {
      const aSecond = [0.1, 1, timeoutSeconds].map((seconds) => whole((maxConcurrency * batchSize) / seconds));
      return [`\`${name}\``, whole(maxConcurrency), whole(batchSize), ...aSecond];
    }),
  );

const queueConsumers = () =>
  Object.entries<Consumer>(consumers).flatMap(([name, { source, maxConcurrency, ...others }]) =>
    'queue' in source && maxConcurrency !== undefined ? [[name, { ...others, maxConcurrency }] as const] : [],
  );

/** How many functions read the stream of a table. */
const readersOf = (template: Template, table: TableName): number =>
  resourcesOf(template, 'AWS::Lambda::EventSourceMapping').filter(({ Properties }) =>
    Properties?.EventSourceArn['Fn::GetAtt'][0].startsWith(table),
  ).length;

/** Function, role, version, alias, permission, method and group of deployments. */
export const resourcesOfEndpoint = 7;

/** What DynamoDB adds to each stored item. */
const itemOverheadBytes = 100;

const auditBytesOfMillion = 1e6 * auditCopies * (auditRowBytes + itemOverheadBytes);

const [region] = Object.keys(priceList.tableStorage.amounts) as ['eu-central-1'];
const auditDollars = () =>
  (auditBytesOfMillion / gigabyte) * (priceList.tableStorage.amounts[region] + priceList.recovery.amounts[region]);

/** The facts about what the service holds, each reckoned from the code, the measurements and the quotas. */
export const scaleFacts = (template: Template): Facts => {
  const { throttle } = loadStageConfig('example');
  const { eventBytes, accessLogBytes } = measurements.getHeatingCircuit;
  const count = (type: string) => String(resourcesOf(template, type).length);
  return {
    'stage-throttle': () => `${throttle.requestsPerSecond} requests/s, ${throttle.burst} at once`,
    'account-throttle': () => `${whole(apiGateway.requestsPerSecond)} requests/s, ${whole(apiGateway.burst)} at once`,
    'partition-quota': () =>
      `${whole(partition.readUnits)} read units and ${whole(partition.writeUnits)} write units a second`,
    'company-requests': () =>
      `${whole(partition.readUnits)} / ${companyPartitionReads.Contracts} = ${whole(partition.readUnits / companyPartitionReads.Contracts)}`,
    'company-requests-key': () =>
      `${whole(partition.readUnits)} / ${companyPartitionReads.ApiKeys} = ${whole(partition.readUnits / companyPartitionReads.ApiKeys)}`,
    'bucket-writes': bucketTable,
    'bucket-refusals': () =>
      `${whole(partition.readUnits)} / ${bucketReadUnits} = ${whole(partition.readUnits / bucketReadUnits)}`,
    concurrency: () => concurrencyTable(template),
    'policy-length': () => whole(defaultPolicyQuota),
    'policy-blocks': blockTable,
    'fitting-addresses': () => whole(fittingBlocks(longestIpv4)),
    'concurrency-quota': () => `${whole(lambda.concurrency)}, in new accounts about ${lambda.newAccountConcurrency}`,
    'partition-writes': () => whole(partition.writeUnits),
    'new-table': () => `${whole(newTable.writeUnits)} writes and ${whole(newTable.readUnits)} reads a second`,
    'new-table-buckets': () => whole(newTable.writeUnits),
    'new-table-contracts': () =>
      `${whole(newTable.readUnits)} / ${companyPartitionReads.Contracts} = ${whole(newTable.readUnits / companyPartitionReads.Contracts)}`,
    'new-table-changes': () => `${whole(newTable.writeUnits)} / 2 = ${whole(newTable.writeUnits / 2)}`,
    'company-changes': () => `${whole(partition.writeUnits)} / 2 = ${whole(partition.writeUnits / 2)}`,
    indexes: indexTable,
    'due-pokes': () =>
      `${duePartitions.length} × ${whole(partition.writeUnits)} / 2 = ${whole((duePartitions.length * partition.writeUnits) / 2)}`,
    'audit-growth': () =>
      `${auditCopies} × (${auditRowBytes} + ${itemOverheadBytes}) bytes × a million = ${gigabytes(auditBytesOfMillion)}, $${auditDollars().toFixed(2)} a month`,
    'audit-switch-point': () => `${auditBytesOfSwitchPoint} bytes`,
    // The table's own copy twice, as in each transaction.
    'audit-units': () => `${1 + auditCopies} write units`,
    'reports-at-once': () => {
      const { batchSize, maxConcurrency } = consumers.takeGatewayReports;
      return `${maxConcurrency} × ${batchSize} = ${whole(maxConcurrency * batchSize)}`;
    },
    'consumer-throughput': consumerTable,
    'stream-readers': () => `${readersOf(template, 'Appliances')} of ${readersOfStream}`,
    'in-flight-quota': () => whole(sqs.inFlight),
    'message-bytes': () => `${whole(maxMessageBytes)} of ${whole(sqs.messageBytes)}`,
    'fifo-calls': () => whole(sqs.fifoCallsPerSecond),
    'relay-batch': () => {
      const { batchSize } = consumers.relayRequestedChanges;
      return `${batchSize} has to take less than ${whole((1000 * batchSize) / partition.writeUnits)} ms`;
    },
    'log-growth': () =>
      `${throttle.requestsPerSecond} × ${whole(eventBytes + accessLogBytes)} bytes × ${whole(secondsOfDay)} s = ${gigabytes(throttle.requestsPerSecond * (eventBytes + accessLogBytes) * secondsOfDay)} a day`,
    'metric-series': () => String(metricSeriesCount()),
    'function-count': () => count('AWS::Lambda::Function'),
    'gradual-count': () => count('AWS::CodeDeploy::DeploymentGroup'),
    'alarm-count': () => `${count('AWS::CloudWatch::Alarm')} of ${whole(cloudWatch.alarms)}`,
    'insight-rule-count': () => `${count('AWS::CloudWatch::InsightRule')} of ${cloudWatch.insightRules}`,
    'api-resources': () => `${count('AWS::ApiGateway::Resource')} of ${apiGateway.resourcesPerApi}`,
    'endpoint-resources': () => String(resourcesOfEndpoint),
    'stack-resources': () => `${Object.keys(template.Resources).length} of ${cloudFormation.resources}`,
    'template-bytes': () =>
      `${Math.ceil(JSON.stringify(template).length / 1000)} kB of ${whole(cloudFormation.templateBytes / 1000)} kB`,
  };
};
