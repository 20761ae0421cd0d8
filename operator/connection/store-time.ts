import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { tableName } from '../../lambdas/data/store/environment.ts';
import { OperatorError } from '../cli/operator-error.ts';

/** The time in the Date header of an answer of the store. */
export const readStoreTimeMs = async (client: DynamoDBClient): Promise<number> => {
  const command = new DescribeTableCommand({ TableName: tableName('Contracts') });
  let date = '';
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = (result.response as { headers: Record<string, string> }).headers.date ?? '';
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  await client.send(command);
  if (date === '') throw new OperatorError('error', 'The store does not say what time it is: its answer has no Date.');
  return Date.parse(date);
};
