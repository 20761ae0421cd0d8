import type { Store } from './store.ts';

/** A command that the store was sent, and how long it took with all of its attempts. */
export type StoreCall = { readonly command: string; readonly durationMs: number };

/** Notes every command of the store, once it has ended either way. */
export const withTimings = (store: Store, calls: StoreCall[]): Store => {
  const timed =
    (next: (args: never) => Promise<unknown>, { commandName }: { commandName?: string }) =>
    async (args: never) => {
      const startMs = performance.now();
      try {
        return await next(args);
      } finally {
        calls.push({
          command: String(commandName).replace(/Command$/, ''),
          durationMs: Math.round(performance.now() - startMs),
        });
      }
    };
  const send = (command: Parameters<Store['send']>[0]) => {
    // A class's own name does not outlive minification; the SDK tells the command's to its middleware. The document
    // client adds a command's middleware twice, hence `override`.
    command.middlewareStack.add(timed as never, { step: 'initialize', name: 'timing', override: true });
    return store.send(command);
  };
  return { ...store, send: send as Store['send'] };
};
