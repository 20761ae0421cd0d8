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

/** The regions of AWS's commercial partition. */
export const regions = [
  ...['af-south-1', 'ap-east-1', 'ap-east-2', 'ap-northeast-1', 'ap-northeast-2', 'ap-northeast-3', 'ap-south-1'],
  ...['ap-south-2', 'ap-southeast-1', 'ap-southeast-2', 'ap-southeast-3', 'ap-southeast-4', 'ap-southeast-5'],
  ...['ap-southeast-6', 'ap-southeast-7', 'ca-central-1', 'ca-west-1', 'eu-central-1', 'eu-central-2', 'eu-north-1'],
  ...['eu-south-1', 'eu-south-2', 'eu-west-1', 'eu-west-2', 'eu-west-3', 'il-central-1', 'me-central-1', 'me-south-1'],
  ...['me-west-1', 'mx-central-1', 'sa-east-1', 'us-east-1', 'us-east-2', 'us-west-1', 'us-west-2'],
] as const;

export const region = z.string().check(
  withoutFault((text) => {
    if (regions.some((name) => name === text)) return undefined;
    return /^(cn|eusc|us-gov|\w+-iso\w*)-/.test(text)
      ? 'is in a partition that this service does not support, such as China or GovCloud; write a region such as eu-central-1.'
      : 'is not an AWS region; write a region such as eu-central-1.';
  }),
);
