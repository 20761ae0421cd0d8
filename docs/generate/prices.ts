/** List prices of eu-central-1 in US dollars. docs/cost.md has their date and sources. */
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
  busEvent: { what: 'EventBridge: Custom events', each: 1, unit: 'million' },
  macKey: { what: 'KMS: Customer managed keys', each: 1, unit: 'key and month' },
  transferOut: { what: 'EC2: Data transfer to the internet', each: 0.09, unit: 'GB' },
} as const;

export type CostItem = {
  readonly price: keyof typeof prices;
  /** How many of the price's units, in words and as a number. */
  readonly takes: string;
  readonly units: number;
};

export const dollars = (amount: number): string => `$${amount.toFixed(2)}`;

export const costOf = ({ price, units }: CostItem): number => units * prices[price].each;

export const totalOf = (items: readonly CostItem[]): number => items.reduce((sum, item) => sum + costOf(item), 0);

/** Returns the gigabytes of a million times this many bytes. */
export const gigabytesOf = (bytes: number): number => (bytes * 1e6) / 1024 ** 3;
