/** Does something `count` times, `width` of them at a time. */
export const inFlight = async <T>(width: number, count: number, act: (index: number) => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next++;
      results[index] = await act(index);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
};
