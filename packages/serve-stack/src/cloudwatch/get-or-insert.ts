/** Gives the item under a key, which it creates where there is none. */
export const getOrInsert = <Key, Item>(map: Map<Key, Item>, key: Key, create: () => Item): Item => {
  const item = map.get(key) ?? create();
  map.set(key, item);
  return item;
};
