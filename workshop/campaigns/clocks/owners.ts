/** The events received for an owner, by their true times, and the time from which data may be shown. */
type History = {
  accepted: number[];
  withdrawn: number[];
  added: number[];
  removed: number[];
  isActive: boolean;
  beginMs: number;
};

/** What really happened to the owners of a sequence, which decides what a partner may see. */
export const openOwners = () => {
  const owners = new Map<string, History>();
  const historyWith = (known: Partial<History>): History => ({
    accepted: [],
    withdrawn: [],
    added: [],
    removed: [],
    isActive: true,
    beginMs: 0,
    ...known,
  });
  const historyOf = (userId: string): History => owners.get(userId) ?? historyWith({});
  return {
    historyOf,
    has: (userId: string): boolean => owners.has(userId),
    put: (userId: string, known: Partial<History>) => void owners.set(userId, historyWith(known)),
    mayBeSeen: (userId: string): boolean => {
      const { isActive, accepted, withdrawn, added, removed } = historyOf(userId);
      return isActive && isLast(accepted, withdrawn) && isLast(added, removed);
    },
    /** A grant by one owner revokes the grants of all others. */
    noteGrant: (userId: string, atMs: number): void => {
      for (const [other, history] of owners) if (other !== userId) history.removed.push(atMs);
    },
  };
};

export type Owners = ReturnType<typeof openOwners>;

const isLast = (given: readonly number[], taken: readonly number[]): boolean =>
  given.some((each) => taken.every((other) => other < each));
