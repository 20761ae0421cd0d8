import { TransactWriteCommand, type UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Store } from '../../lambdas/data/store/store.ts';

/**
 * The store of one who is overtaken: what somebody else does comes between their reads and their first transaction, or a
 * later one, or another write.
 */
export const overtakenBy = (
  store: Store,
  act: () => Promise<unknown>,
  atWrite = 1,
  write: typeof TransactWriteCommand | typeof UpdateCommand = TransactWriteCommand,
): Store => {
  let writes = 0;
  const send = async (command: object, ...rest: never[]) => {
    if (command instanceof write && ++writes === atWrite) await act();
    return store.send(command as never, ...rest);
  };
  return { ...store, send: send as Store['send'] };
};
