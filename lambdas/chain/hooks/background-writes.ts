import type { Middleware, MiddyRequest } from './middleware.ts';

/** Waits for what steps have begun and the answer does not depend on: a function that has answered is frozen. */
const settle = async ({ context: { facts } }: MiddyRequest): Promise<void> => {
  await facts.keyUse;
};

export const backgroundWrites: Middleware = { after: settle, onError: settle };
