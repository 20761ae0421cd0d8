import type { Exchange, QueueDepth, RestApi, StoreCall, TelemetryEvents } from 'serve-stack';
import type { MetricIdentity } from 'serve-stack/cloudwatch';

/**
 * Makes what API Gateway publishes of a request: for the stage, and, if the stage asks for it, for the method once it has
 * found one. Other stages are none of the API's.
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

/** Makes what Lambda publishes, of each function and of all together. */
export const createFunctionMetrics = () => {
  const underWay = new Map<string, number>();
  const ofEach = (FunctionName: string, values: Parameters<typeof metricsOf>[2]) =>
    metricsOf('AWS/Lambda', { FunctionName }, values);
  const ofAll = (values: Parameters<typeof metricsOf>[2]) => metricsOf('AWS/Lambda', {}, values);

  return {
    /** Lambda would start a process for every event that waits here for one: those count as concurrent too. */
    concurrency: ({ functionName, underWay: ownUnderWay }: TelemetryEvents['concurrency'][0]): MetricValue[] => {
      underWay.set(functionName, ownUnderWay);
      const sum = [...underWay.values()].reduce((total, each) => total + each, 0);
      return [...ofEach(functionName, { ConcurrentExecutions: ownUnderWay }), ...ofAll({ ConcurrentExecutions: sum })];
    },
    invocation: ({ functionName, durationMs, hasFailed }: TelemetryEvents['invocation'][0]): MetricValue[] => {
      const values = { Invocations: 1, Errors: Number(hasFailed), Duration: durationMs, Throttles: 0 };
      return [...ofEach(functionName, values), ...ofAll(values)];
    },
    /** The age is that of the batch's last record when the function gets it. */
    streamBatch: (functionName: string, ageMs: number): MetricValue[] => ofEach(functionName, { IteratorAge: ageMs }),
  };
};

/** Makes what SQS publishes of a queue; one without messages has none that is old. */
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
      // Of each batch it tells more; a queue from which nothing is received says zero.
      ...{ NumberOfMessagesReceived: 0, NumberOfMessagesDeleted: 0 },
    },
  );

/** Makes what SQS publishes of messages that a function was given; of those that others receive, nothing is told here. */
export const queueBatchMetrics = ({ queueName: QueueName, received, deleted }: TelemetryEvents['queueBatch'][0]) =>
  metricsOf('AWS/SQS', { QueueName }, { NumberOfMessagesReceived: received, NumberOfMessagesDeleted: deleted });

/**
 * Makes what DynamoDB publishes of a call. The real one publishes a count of throttled or failed calls only where there are
 * any; here each call says zero, so that a graph has something to draw.
 */
export const storeMetrics = ({ operation, tables, status, latencyMs, consumed }: StoreCall): MetricValue[] => {
  const SystemErrors = Number(status >= 500);
  return tables.flatMap((TableName) => {
    const { readUnits, writeUnits } = consumed.find(({ table }) => table === TableName) ?? nothing;
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

const nothing = { readUnits: 0, writeUnits: 0 };

/** A value of a metric that AWS would publish of its own services. */
export type MetricValue = MetricIdentity & { readonly value: number };

/** Makes several metrics with the same dimensions: `metricsOf('AWS/Lambda', {}, { Invocations: 1, Errors: 0 })`. */
const metricsOf = (
  namespace: string,
  dimensions: MetricValue['dimensions'],
  values: Readonly<Record<string, number>>,
): MetricValue[] => Object.entries(values).map(([name, value]) => ({ namespace, name, dimensions, value }));
