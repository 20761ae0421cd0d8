/** Quotas of AWS as it documents them in 2026-11, by the page that says so. What an account has of its own is not here. */

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput-scenarios.html */
export const partition = { readUnits: 3000, writeUnits: 1000 } as const;

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/pre-warming-on-demand-capacity-mode.html */
export const newTable = { readUnits: 12_000, writeUnits: 4000 } as const;

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html */
export const apiGateway = { requestsPerSecond: 10_000, burst: 5000, resourcesPerApi: 300 } as const;

/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html; accounts that are new have ten. */
export const lambda = { concurrency: 1000, newAccountConcurrency: 10 } as const;

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-quotas.html; calls of eu-central-1. */
export const sqs = { inFlight: 120_000, messageBytes: 1_048_576, fifoCallsPerSecond: 19_000 } as const;

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html */
export const readersOfStream = 2;

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html */
export const cloudWatch = { alarms: 5000, insightRules: 100 } as const;

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html */
export const cloudFormation = { resources: 500, templateBytes: 1_000_000 } as const;
