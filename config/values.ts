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
export const distinct = <Item extends z.ZodType>(item: Item, keyOf?: (entry: z.output<Item>) => unknown) =>
  distinctOrNone(item, keyOf).min(1, invalid('is empty; add at least one entry.'));

/** Returns the schema of a list without duplicates, which may be empty. */
export const distinctOrNone = <Item extends z.ZodType>(
  item: Item,
  keyOf: (entry: z.output<Item>) => unknown = (entry) => entry,
) =>
  z.array(item).check(({ value, issues }) => {
    const keys = value.map(keyOf);
    for (const [index, key] of keys.entries())
      if (keys.indexOf(key) < index)
        issues.push({ code: 'custom', message: `repeats "${key}"; keep one.`, input: value[index], path: [index] });
  });

/** Returns a check that adds the fault that `faultOf` finds in a text, as the rest of a sentence. */
export const withoutFault =
  (faultOf: (text: string) => string | undefined) =>
  ({ value, issues }: z.core.ParsePayload<string>): void => {
    const message = faultOf(value);
    if (message) issues.push({ code: 'custom', message, input: value });
  };

/**
 * Returns the fault of a URL, as the rest of a sentence; `undefined` if there is none. A URL has only one valid spelling, which
 * every program reads in the same way.
 */
const secureUrlFault = (text: string): string | undefined => {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:') return 'is not a secure URL; write a URL that begins with https://';
  if ([url.href, url.origin].includes(text)) return undefined;
  return `is "${text}", which is not in canonical form; write ${url.href}`;
};

export const secureUrl = z.string().check(withoutFault(secureUrlFault));

/** An endpoint that SNS can notify. */
export const endpoint = z.string().check(
  withoutFault((text) => {
    if (text.startsWith('https://')) return secureUrlFault(text);
    if (z.regexes.email.test(text)) return undefined;
    return 'is not a valid endpoint; write an e-mail address or a URL that begins with https://';
  }),
);
