/** Values that a process keeps from one request to the next, by id; of too many, the one put first is dropped. */
export type Memory<Value> = {
  readonly get: (id: string) => Value | undefined;
  /** Gives the value and forgets it. */
  readonly take: (id: string) => Value | undefined;
  readonly put: (id: string, value: Value) => void;
};

export const createMemory = <Value>(maxEntries: number): Memory<Value> => {
  const values = new Map<string, Value>();
  return {
    get: (id) => values.get(id),
    take: (id) => {
      const value = values.get(id);
      values.delete(id);
      return value;
    },
    put: (id, value) => {
      values.delete(id);
      values.set(id, value);
      const [oldest] = values.keys();
      if (values.size > maxEntries && oldest !== undefined) values.delete(oldest);
    },
  };
};
