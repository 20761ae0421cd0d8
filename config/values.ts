import * as z from 'zod';

/**
 * Returns an error option with the rest of a sentence that begins with the fault's place. The loader has the text for a missing
 * value.
 */
export const invalid = (sentence: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? undefined : sentence),
});

/**
 * Returns the schema of a list that is not empty and has no duplicates. Entries are equal if `keyOf` returns the same for them.
 */
export const distinct = <Item extends z.ZodType>(
  item: Item,
  keyOf: (entry: z.output<Item>) => unknown = (entry) => entry,
) =>
  z
    .array(item)
    .min(1, invalid('is empty; add at least one entry.'))
    .check(({ value, issues }) => {
      const keys = value.map(keyOf);
      for (const [index, key] of keys.entries())
        if (keys.indexOf(key) < index)
          issues.push({ code: 'custom', message: `repeats "${key}"; keep one.`, input: value[index], path: [index] });
    });
