import { loadStageConfig } from '../../../config/load.ts';
import { chainCapacity } from '../../../lambdas/api/limits.ts';
import type { Template } from './example-template.ts';
import type { CostItem } from './fixed-cost.ts';
import { assumptions, type MeasuredOperation, measurements } from './measurements.ts';
import type { PriceName } from './price-list.ts';

const million = 1e6;
const gigabyte = 1024 ** 3;
const daysOfMonth = 30;

/** What a million requests that succeed cost, by item: the chain and the handler together. */
export const requestCosts = (operationId: MeasuredOperation, template: Template): CostItem[] => {
  const { readUnits, writeUnits, eventBytes, accessLogBytes, answerBytes } = measurements[operationId];
  const { functionMilliseconds, gatewayHeaderBytes, storedShare } = assumptions;
  const megabytes = functionMegabytes(template);
  const { logRetentionDays } = loadStageConfig('example');
  const gigabytesOf = (bytes: number) => (bytes * million) / gigabyte;
  const logBytes = eventBytes + accessLogBytes;
  const gigabyteSeconds = (functionMilliseconds / 1000) * (megabytes / 1024);
  return [
    { price: 'restCall', units: 1, takes: '1 call' },
    { price: 'invocation', units: 1, takes: '1' },
    {
      price: 'gigabyteSecond',
      units: gigabyteSeconds * million,
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
    {
      price: 'logStorage',
      units: gigabytesOf(logBytes * storedShare) * (logRetentionDays / daysOfMonth),
      takes: `${logBytes} bytes, of which gzip leaves ${100 * storedShare} %, for ${logRetentionDays} days`,
    },
    { price: 'insightEvent', units: 1, takes: 'matches 1 rule' },
    {
      price: 'transferOut',
      units: gigabytesOf(answerBytes + gatewayHeaderBytes),
      takes: `answer of ${answerBytes} bytes, and ${gatewayHeaderBytes} of API Gateway's headers`,
    },
  ];
};

/** What the first table of this project counted: a request up to its handler, without transfer, storage and insights. */
export const chainCosts = (template: Template): CostItem[] => {
  const { readUnits, writeUnits } = chainCapacity;
  const units: Partial<Record<PriceName, number>> = { readUnit: readUnits, writeUnit: writeUnits };
  const counted = [
    'restCall',
    'invocation',
    'gigabyteSecond',
    'readUnit',
    'writeUnit',
    'logIngestion',
    'infrequentLogIngestion',
  ];
  return requestCosts('getHeatingCircuit', template)
    .filter(({ price }) => counted.includes(price))
    .map((item) => ({ ...item, units: units[item.price] ?? item.units }));
};

/** The memory of a function; throws if they have different ones, since there is one price for all. */
export const functionMegabytes = ({ Resources }: Template): number => {
  const functions = Object.values(Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
  const [megabytes, ...others] = new Set(functions.map(({ Properties }) => Properties?.MemorySize));
  const isArm = functions.every(({ Properties }) => Properties?.Architectures?.join() === 'arm64');
  if (megabytes === undefined || others.length > 0 || !isArm)
    throw new Error(
      'The price of a request takes all functions to be arm64 and of one size. Reckon it by operation in docs/generate/cost/request-cost.ts.',
    );
  return megabytes;
};
