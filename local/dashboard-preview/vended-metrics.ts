import type { Exchange, QueueDepth, RestApi, StoreCall, TelemetryEvents } from 'serve-stack';
import type { MetricIdentity } from 'serve-stack/cloudwatch';

/**
 * Returns the metrics that API Gateway publishes for a request: those of the stage and, if the stage enables them, those of
 * the method that matched. Requests to other stages have none.
 */
export const gatewayMetrics = (
  { request, resourcePath, integration, answered }: Exchange,
  { name: ApiName, stageName, hasMethodMetrics }: Pick<RestApi, 'name' | 'stageName' | 'hasMethodMetrics'>,
): MetricValue[] => {
  if (!answered || request.stage !== stageName) return [];
  const stage = { ApiName, Stage: stageName };
  const hasMethod = hasMethodMetrics && resourcePath !== undefined;
  const method = hasMethod && { ...stage, Resource: resourcePath, Method: request.httpMethod };
  const values = {
    Count: 1,
    '4XXError': Number(answered.status >= 400 && answered.status < 500),
    '5XXError': Number(answered.status >= 500),
    Latency: answered.latencyMs,
    ...(integration && { IntegrationLatency: integration.latencyMs }),
  };
  return [stage, ...(method ? [method] : [])].flatMap((dimensions) => metricsOf('AWS/ApiGateway', dimensions, values));
};

/** Returns builders for the metrics that Lambda publishes, per function and for all functions together. */
export const createFunctionMetrics = () => {
  const underWay = new Map<string, number>();
  const ofEach = (FunctionName: string, values: Parameters<typeof metricsOf>[2]) =>
    metricsOf('AWS/Lambda', { FunctionName }, values);
  const ofAll = (values: Parameters<typeof metricsOf>[2]) => metricsOf('AWS/Lambda', {}, values);

  return {
    /** Counts events that wait for a process as concurrent, because Lambda would start a process for each of them. */
    concurrency: ({ functionName, underWay: ownUnderWay }: TelemetryEvents['concurrency'][0]): MetricValue[] => {
      underWay.set(functionName, ownUnderWay);
      const sum = [...underWay.values()].reduce((total, each) => total + each, 0);
      return [...ofEach(functionName, { ConcurrentExecutions: ownUnderWay }), ...ofAll({ ConcurrentExecutions: sum })];
    },
    invocation: ({ functionName, durationMs, hasFailed }: TelemetryEvents['invocation'][0]): MetricValue[] => {
      const values = { Invocations: 1, Errors: Number(hasFailed), Duration: durationMs, Throttles: 0 };
      return [...ofEach(functionName, values), ...ofAll(values)];
    },
    /** `ageMs` is the age of the batch's last record when the function receives it. */
    streamBatch: (functionName: string, ageMs: number): MetricValue[] => ofEach(functionName, { IteratorAge: ageMs }),
  };
};

/** Returns the metrics that SQS publishes for a queue. An empty queue has an oldest-message age of 0. */
export const queueMetrics = (
  { queueName: QueueName, visible, notVisible, delayed }: QueueDepth,
  oldestAgeMs: number | undefined,
): MetricValue[] =>
  metricsOf(
    'AWS/SQS',
    { QueueName },
    {
      ApproximateAgeOfOldestMessage: Math.floor((oldestAgeMs ?? 0) / 1000),
      ApproximateNumberOfMessagesDelayed: delayed,
      ApproximateNumberOfMessagesNotVisible: notVisible,
      ApproximateNumberOfMessagesVisible: visible,
      // `queueBatchMetrics` adds the counts of each batch; a queue without receives publishes zero.
      NumberOfMessagesReceived: 0,
      NumberOfMessagesDeleted: 0,
    },
  );

/** Returns the metrics that SQS publishes for a batch that a function received. Receives by others are not counted. */
export const queueBatchMetrics = ({ queueName: QueueName, received, deleted }: TelemetryEvents['queueBatch'][0]) =>
  metricsOf('AWS/SQS', { QueueName }, { NumberOfMessagesReceived: received, NumberOfMessagesDeleted: deleted });

/**
 * Returns the metrics that DynamoDB publishes for a call. AWS publishes throttled and failed calls only if there are any; here
 * every call publishes the count, if necessary zero, so that graphs have data.
 */
export const storeMetrics = ({ operation, tables, status, latencyMs, consumed }: StoreCall): MetricValue[] => {
  const SystemErrors = Number(status >= 500);
  return tables.flatMap((TableName) => {
    const { readUnits, writeUnits } = consumed.find(({ table }) => table === TableName) ?? noUnits;
    return [
      ...metricsOf(
        'AWS/DynamoDB',
        { TableName },
        {
          ConsumedReadCapacityUnits: readUnits,
          ConsumedWriteCapacityUnits: writeUnits,
          ReadThrottleEvents: 0,
          WriteThrottleEvents: 0,
          SystemErrors,
        },
      ),
      ...metricsOf(
        'AWS/DynamoDB',
        { TableName, Operation: operation },
        {
          ...(status === 200 && { SuccessfulRequestLatency: latencyMs }),
          ThrottledRequests: 0,
          SystemErrors,
        },
      ),
    ];
  });
};

const noUnits = { readUnits: 0, writeUnits: 0 };

/** A value of a metric that an AWS service would publish. */
export type MetricValue = MetricIdentity & { readonly value: number };

/** Returns metrics with the same dimensions: `metricsOf('AWS/Lambda', {}, { Invocations: 1, Errors: 0 })`. */
const metricsOf = (
  namespace: string,
  dimensions: MetricValue['dimensions'],
  values: Readonly<Record<string, number>>,
): MetricValue[] => Object.entries(values).map(([name, value]) => ({ namespace, name, dimensions, value }));
