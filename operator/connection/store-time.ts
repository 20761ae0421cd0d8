import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { contractKey } from '../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { OperatorError } from '../errors/operator-error.ts';

/** The second after that in the Date header of an answer of the store: the clock of the service shows no later time. */
export const readStoreTimeMs = async (store: Store): Promise<number> => {
  // Whoever changes anything of a company may read its contract; this one is nobody's.
  const command = new GetCommand({ TableName: store.tableName('Contracts'), Key: contractKey('-') });
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
  return Date.parse(date) + 1000;
};
