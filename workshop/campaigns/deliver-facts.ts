import { PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Store } from '../../lambdas/data/store/store.ts';
import { below } from '../../test/support/random.ts';
import { applyFact, type Fact } from './gateway-facts.ts';

/**
 * How often a fact that cannot be applied yet is received; then it waits in the dead-letter queue until the others are done.
 */
const maxReceives = 5;

/** Delivers facts to workers as a standard queue does: in any order, again after a failure, and at least once. */
export const deliver = async (
  store: Store,
  deliveries: readonly Fact[],
  { workers, random }: { readonly workers: number; readonly random: () => number },
): Promise<{ readonly kills: number }> => {
  let kills = 0;
  const queue = deliveries.map((fact) => ({ fact, receives: 0 }));
  let dead: Fact[] = [];
  const work = async () => {
    const own = deadlyStore(store, random, () => kills++);
    for (let message = queue.shift(); message; message = queue.shift()) {
      const { fact, receives } = message;
      try {
        const { outcome } = await applyFact(own, fact);
        if (outcome === 'applied' || outcome === 'stale') continue;
        if (receives + 1 < maxReceives) queue.push({ fact, receives: receives + 1 });
        else dead.push(fact);
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        queue.push(message);
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  // Redrives the dead letters as long as at least one of them succeeds.
  for (let helps = true; helps; ) {
    helps = false;
    const again = dead;
    dead = [];
    for (const fact of again) {
      const { outcome } = await applyFact(store, fact);
      if (outcome === 'applied' || outcome === 'stale') helps = true;
      else dead.push(fact);
    }
  }
  return { kills };
};

class Killed extends Error {
  override readonly name = 'Killed';
}

/** The store of a worker that is sometimes killed before or after a write. */
const deadlyStore = (store: Store, random: () => number, count: () => void): Store => {
  const send = async (command: object, ...rest: never[]) => {
    const isWrite = [PutCommand, TransactWriteCommand, UpdateCommand].some((kind) => command instanceof kind);
    const fate = isWrite ? below(random, 16) : 2;
    const die = () => {
      count();
      throw new Killed('The worker was killed.');
    };
    if (fate === 0) die();
    const answer = await store.send(command as never, ...rest);
    if (fate === 1) die();
    return answer;
  };
  return { ...store, send: send as Store['send'] };
};
