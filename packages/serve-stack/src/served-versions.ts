import type { StackVersion } from './stack-version.ts';

/** Keeps the version of a stack that is served now, and puts another one in its place. */
export const serveVersions = (first: StackVersion) => {
  let current = first;
  const alive = new Set([first]);

  const begin = async () => {
    await current.startInspected();
    current.background.start();
  };

  return {
    current: (): StackVersion => current,
    begin,
    /** Requests that are under way are still answered by the version that took them. */
    replaceBy: async (next: StackVersion): Promise<void> => {
      const previous = current;
      alive.add(next);
      await previous.background.stop();
      await previous.endInspected();
      current = next;
      await begin();
      void previous.drain().finally(() => alive.delete(previous));
    },
    end: async (): Promise<void> => {
      const stopped = current.background.stop();
      // What a mapping waits for may take long: it ends with its process.
      await Promise.all([...alive].map((version) => version.close()));
      await stopped;
    },
  };
};
