/**
 * The list prices of AWS in US dollars: first tier, without the free tier. They were current in `pricesAsOf`; nobody
 * here can ask AWS, so compare them with the page of each before you rely on them.
 */
export const pricesAsOf = '2026-11';

/** The region of config/example.json, and the one with the lowest prices, which most comparisons name. */
export const pricedRegions = ['eu-central-1', 'us-east-1'] as const;

export type PricedRegion = (typeof pricedRegions)[number];

export type Price = {
  readonly what: string;
  /** What one amount buys. */
  readonly unit: string;
  readonly amounts: Readonly<Record<PricedRegion, number>>;
  /** The page of AWS that has it. */
  readonly page: keyof typeof pricePages;
  /** Why the amount may be wrong, where there is a doubt. */
  readonly doubt?: string;
};

export const pricePages = {
  'API Gateway': 'https://aws.amazon.com/api-gateway/pricing/',
  Lambda: 'https://aws.amazon.com/lambda/pricing/',
  DynamoDB: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
  CloudWatch: 'https://aws.amazon.com/cloudwatch/pricing/',
  EC2: 'https://aws.amazon.com/ec2/pricing/on-demand/',
  KMS: 'https://aws.amazon.com/kms/pricing/',
  SQS: 'https://aws.amazon.com/sqs/pricing/',
} as const;

const amounts = (frankfurt: number, virginia = frankfurt): Price['amounts'] => ({
  'eu-central-1': frankfurt,
  'us-east-1': virginia,
});

/** Nobody else was found who quotes the amount. */
const unquoted = 'not quoted anywhere else';

export const priceList = {
  restCall: { what: 'REST API', unit: 'million calls', amounts: amounts(3.7, 3.5), page: 'API Gateway' },
  invocation: { what: 'Invocations', unit: 'million', amounts: amounts(0.2), page: 'Lambda' },
  gigabyteSecond: { what: 'Duration, arm64', unit: 'GB-second', amounts: amounts(0.0000133334), page: 'Lambda' },
  readUnit: { what: 'Read units, on demand', unit: 'million', amounts: amounts(0.1525, 0.125), page: 'DynamoDB' },
  writeUnit: { what: 'Write units, on demand', unit: 'million', amounts: amounts(0.7625, 0.625), page: 'DynamoDB' },
  tableStorage: { what: 'Table storage', unit: 'GB and month', amounts: amounts(0.306, 0.25), page: 'DynamoDB' },
  recovery: { what: 'Point-in-time recovery', unit: 'GB and month', amounts: amounts(0.2448, 0.2), page: 'DynamoDB' },
  logIngestion: { what: 'Logs, ingestion', unit: 'GB', amounts: amounts(0.63, 0.5), page: 'CloudWatch' },
  infrequentLogIngestion: {
    what: 'Logs, ingestion, Infrequent Access',
    unit: 'GB',
    amounts: amounts(0.315, 0.25),
    page: 'CloudWatch',
    doubt: 'half of the standard class, as the page says of us-east-1',
  },
  logStorage: { what: 'Logs, storage', unit: 'GB and month', amounts: amounts(0.0324, 0.03), page: 'CloudWatch' },
  logQuery: { what: 'Logs, queries', unit: 'GB that is read', amounts: amounts(0.0063, 0.005), page: 'CloudWatch' },
  customMetric: { what: 'Custom metrics', unit: 'series and month', amounts: amounts(0.3), page: 'CloudWatch' },
  alarmMetric: { what: 'Alarms', unit: 'metric and month', amounts: amounts(0.1), page: 'CloudWatch' },
  compositeAlarm: { what: 'Composite alarms', unit: 'alarm and month', amounts: amounts(0.5), page: 'CloudWatch' },
  dashboard: { what: 'Dashboards', unit: 'dashboard and month', amounts: amounts(3), page: 'CloudWatch' },
  insightRule: {
    what: 'Contributor Insights',
    unit: 'rule and month',
    amounts: amounts(0.5),
    page: 'CloudWatch',
    doubt: unquoted,
  },
  insightEvent: {
    what: 'Contributor Insights, events that match',
    unit: 'million',
    amounts: amounts(0.02),
    page: 'CloudWatch',
    doubt: unquoted,
  },
  queueRequest: { what: 'Requests, standard queue', unit: 'million', amounts: amounts(0.4), page: 'SQS' },
  macKey: { what: 'Keys of a customer', unit: 'key and month', amounts: amounts(1), page: 'KMS' },
  transferOut: { what: 'Data transfer to the internet', unit: 'GB', amounts: amounts(0.09), page: 'EC2' },
} as const satisfies Record<string, Price>;

export type PriceName = keyof typeof priceList;
