import { theWorld } from './world.ts';

/**
 * Tells for every read of the act whether it was asked to be strongly consistent. DynamoDB Local always is: it shows in
 * what goes over the wire alone.
 */
export const consistencyOf = async (act: () => Promise<unknown>): Promise<boolean[]> => {
  const { proxy } = theWorld();
  proxy.begin();
  await act();
  return proxy.exchanges.flatMap(({ input }) =>
    Object.values(input.RequestItems ?? [input]).map((read) => (read as typeof input).ConsistentRead === true),
  );
};
