import { failIn } from './throwing-module.ts';

/** Throws two modules deep, and after a turn of the event loop, as handlers do. */
export const handler = async (): Promise<never> => {
  await Promise.resolve();
  return failIn('the depths');
};
