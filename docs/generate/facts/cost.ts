import { chainCapacity } from '../../../lambdas/api/budgets.ts';
import { maxEventBytes } from '../../../lambdas/data/event-log.ts';
import { tableOf } from '../../../partner/site/markdown.ts';

/** List prices of AWS in US dollars, first tier, without free tier. Check them before you rely on them. */
export const listPrices = {
  region: 'us-east-1',
  asOf: '2026-11',
  apiGatewayPerMillionCalls: 3.5,
  lambdaPerMillionRequests: 0.2,
  lambdaArmPerGigabyteSecond: 0.0000133334,
  dynamoDbPerMillionReadUnits: 0.125,
  dynamoDbPerMillionWriteUnits: 0.625,
  logsPerGigabyte: 0.5,
};

/** Not measured on AWS. */
export const assumptions = { functionMilliseconds: 30, functionMegabytes: 512, accessLogBytes: 512 };

type Cost = { readonly what: string; readonly each: string; readonly price: string; readonly perMillion: number };

/** The cost of a million requests that reach their handler, without what the handler itself reads and writes. */
const costs = (): Cost[] => {
  const { functionMilliseconds, functionMegabytes, accessLogBytes } = assumptions;
  const { readUnits, writeUnits } = chainCapacity;
  const gigabyteSeconds = (functionMilliseconds / 1000) * (functionMegabytes / 1024);
  const logBytes = maxEventBytes + accessLogBytes;
  const gigabytesPerMillion = (logBytes * 1_000_000) / 1024 ** 3;
  return [
    {
      what: 'API Gateway, REST',
      each: '1 call',
      price: `${price(listPrices.apiGatewayPerMillionCalls)} a million`,
      perMillion: listPrices.apiGatewayPerMillionCalls,
    },
    {
      what: 'Lambda, requests',
      each: '1 request',
      price: `${price(listPrices.lambdaPerMillionRequests)} a million`,
      perMillion: listPrices.lambdaPerMillionRequests,
    },
    {
      what: 'Lambda, arm64',
      each: `${functionMilliseconds} ms × ${functionMegabytes} MB = ${gigabyteSeconds} GB-s`,
      price: `${price(listPrices.lambdaArmPerGigabyteSecond)} a GB-s`,
      perMillion: gigabyteSeconds * 1_000_000 * listPrices.lambdaArmPerGigabyteSecond,
    },
    {
      what: 'DynamoDB on demand, reads',
      each: `${readUnits} read units at most`,
      price: `${price(listPrices.dynamoDbPerMillionReadUnits)} a million`,
      perMillion: readUnits * listPrices.dynamoDbPerMillionReadUnits,
    },
    {
      what: 'DynamoDB on demand, writes',
      each: `${writeUnits} write unit at most`,
      price: `${price(listPrices.dynamoDbPerMillionWriteUnits)} a million`,
      perMillion: writeUnits * listPrices.dynamoDbPerMillionWriteUnits,
    },
    {
      what: 'CloudWatch Logs',
      each: `${maxEventBytes} bytes of event at most, and ${accessLogBytes} of access log`,
      price: `${price(listPrices.logsPerGigabyte)} a GB`,
      perMillion: gigabytesPerMillion * listPrices.logsPerGigabyte,
    },
  ];
};

const dollars = (amount: number): string => `$${amount.toFixed(2)}`;

/** In full: some prices are a small part of a cent. */
const price = (amount: number): string =>
  `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 10 })}`;

export const costTable = (): string => {
  const rows = costs();
  const total = rows.reduce((sum, { perMillion }) => sum + perMillion, 0);
  return tableOf(
    ['what', 'a request takes', `list price, ${listPrices.region}, ${listPrices.asOf}`, 'a million requests'],
    [
      ...rows.map(({ what, each, price, perMillion }) => [what, each, price, dollars(perMillion)]),
      ['**sum**', '', '', `**${dollars(total)}**`],
    ],
  );
};
