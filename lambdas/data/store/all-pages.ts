type Item = Record<string, unknown>;

type Page = { readonly Items?: Item[] | undefined; readonly LastEvaluatedKey?: Item | undefined };

/** Reads page after page, each from where the one before has ended, and returns the items of all. */
export const readAllPages = async (readPage: (after: Item | undefined) => Promise<Page>): Promise<Item[]> => {
  const items: Item[] = [];
  let after: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await readPage(after);
    items.push(...Items);
    after = LastEvaluatedKey;
  } while (after);
  return items;
};
