import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import type { Store } from '../../lambdas/data/store/store.ts';
import { OperatorError } from '../errors/operator-error.ts';

/** The time in the Date header of an answer of the store. */
export const readStoreTimeMs = async (store: Store): Promise<number> => {
  const command = new DescribeTableCommand({ TableName: store.tableName('Contracts') });
  let date = '';
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = (result.response as { headers: Record<string, string> }).headers.date ?? '';
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  await store.send(command);
  if (date === '') throw new OperatorError('error', 'The store does not say what time it is: its answer has no Date.');
  return Date.parse(date);
};
