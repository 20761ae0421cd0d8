import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Store } from '../../lambdas/data/store/store.ts';

/**
 * The store of one who is overtaken: what somebody else does comes between their reads and their first transaction, or a
 * later one.
 */
export const overtakenBy = (store: Store, act: () => Promise<unknown>, atTransaction = 1): Store => {
  let transactions = 0;
  const send = async (command: object, ...rest: never[]) => {
    if (command instanceof TransactWriteCommand && ++transactions === atTransaction) await act();
    return store.send(command as never, ...rest);
  };
  return { ...store, send: send as Store['send'] };
};
