import type { Middleware } from './middleware.ts';

/** Throws what was wrong with the event before its first step, where the hooks answer and log it. */
export const openingFault: Middleware = {
  before: ({ context: { fault } }) => {
    if (fault) throw fault;
  },
};
