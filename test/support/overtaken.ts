import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Store } from '../../lambdas/data/store/store.ts';

/** The store of one who is overtaken: what somebody else does comes between their reads and their first transaction. */
export const overtakenBy = (store: Store, act: () => Promise<unknown>): Store => {
  let isOvertaken = false;
  const send = async (command: object, ...rest: never[]) => {
    if (command instanceof TransactWriteCommand && !isOvertaken) {
      isOvertaken = true;
      await act();
    }
    return store.send(command as never, ...rest);
  };
  return { ...store, send: send as Store['send'] };
};
