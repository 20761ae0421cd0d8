import { CloudWatchClient, GetMetricDataCommand, type MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { DescribeEventBusCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { GetEventSourceMappingCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { consumerNames } from '../../lambdas/api/consumers.ts';
import { queueNames } from '../../lambdas/api/queues.ts';
import type { Lags, NeighbourAccess, Seams } from './seams.ts';
import { portalBusLogicalName } from './stage-queues.ts';

/** The physical names of the stack's resources of a type, by their logical names. */
type PhysicalNames = (type: string) => Readonly<Record<string, string | undefined>>;

type ClientSettings = Readonly<Record<string, unknown>> & { readonly region: string };

type Telemetry = Required<Pick<Seams, 'readLags' | 'readMappings' | 'readNeighbourAccess'>>;

/** What AWS tells of queues, mappings and policies beside what a queue tells itself. */
export const telemetryOf = (
  settings: ClientSettings,
  physicalNamesOf: PhysicalNames,
  { sqs, urlOf }: Pick<Seams, 'sqs' | 'urlOf'>,
): Telemetry => ({
  readLags: async () => {
    const client = new CloudWatchClient(settings);
    const relay = physicalNamesOf('AWS::Lambda::Function').SeamsConsumersrelayRequestedChangesFunction;
    const { MetricDataResults = [] } = await client.send(
      new GetMetricDataCommand({
        ...lastMinutes(),
        MetricDataQueries: [
          ...queueNames.map((name) =>
            metric(name, 'AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName: nameIn(urlOf(name)) }),
          ),
          metric('relay', 'AWS/Lambda', 'IteratorAge', { FunctionName: relay ?? '' }),
        ],
      }),
    );
    // The newest value comes first.
    const lastOf = (id: string) => MetricDataResults.find(({ Id }) => Id === id)?.Values?.[0] ?? null;
    const iteratorAgeMs = lastOf('relay');
    return {
      oldest: Object.fromEntries(queueNames.map((name) => [name, lastOf(name)])) as Lags['oldest'],
      relay: iteratorAgeMs === null ? null : iteratorAgeMs / 1000,
    };
  },
  readMappings: () => {
    const client = new LambdaClient(settings);
    const ids = physicalNamesOf('AWS::Lambda::EventSourceMapping');
    return Promise.all(
      consumerNames.map(async (consumer) => {
        const UUID = ids[`SeamsConsumers${consumer}SourceMapping`];
        const { State = 'unknown' } = await client.send(new GetEventSourceMappingCommand({ UUID }));
        return { consumer, state: State };
      }),
    );
  },
  readNeighbourAccess: async () => {
    const Name = physicalNamesOf('AWS::Events::EventBus')[portalBusLogicalName];
    const ofQueue = async (name: 'gatewayReports' | 'requestedChanges'): Promise<NeighbourAccess> => {
      const { Attributes } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: urlOf(name), AttributeNames: ['Policy'] }),
      );
      return { neighbour: 'gateway-backend', to: `queue ${name}`, isAllowed: letsIn(Attributes?.Policy) };
    };
    const { Policy } = await new EventBridgeClient(settings).send(new DescribeEventBusCommand({ Name }));
    return [
      { neighbour: 'portal', to: 'bus of the portal', isAllowed: letsIn(Policy) },
      await ofQueue('gatewayReports'),
      await ofQueue('requestedChanges'),
    ];
  },
});

const nameIn = (queueUrl: string): string => queueUrl.replace(/^.*\//, '');

const lookBackMs = 15 * 60_000;

const lastMinutes = () => ({ StartTime: new Date(Date.now() - lookBackMs), EndTime: new Date() });

const metric = (
  Id: string,
  Namespace: string,
  MetricName: string,
  dimensions: Readonly<Record<string, string>>,
): MetricDataQuery => ({
  Id,
  MetricStat: {
    Metric: { Namespace, MetricName, Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })) },
    Period: 60,
    Stat: 'Maximum',
  },
});

/** A policy that only denies, as that which asks for TLS does, lets nobody in. */
const letsIn = (policy: string | undefined): boolean =>
  [JSON.parse(policy || '{}').Statement ?? []].flat().some(({ Effect }: { Effect: string }) => Effect === 'Allow');
