import * as z from 'zod/mini';

/** Has the library say what was expected in the words of our own messages; it has none unless a module asks for them. */
export const setLibraryWords = (): void => {
  z.config({ localeError: expectationOf });
};

/** What was expected, as one or two sentences. */
export const expectationOf = (issue: z.core.$ZodRawIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return `${issue.input === undefined ? 'Missing. ' : ''}Expected ${issue.expected}.`;
    case 'invalid_value':
      return `Expected ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}.`;
    case 'invalid_format':
      return issue.pattern ? `Expected a text that matches ${issue.pattern}.` : `Expected ${issue.format}.`;
    case 'unrecognized_keys':
      return unknownProperties(issue);
    case 'too_big':
      return `Expected at most ${sizeOf(issue.origin, issue.maximum)}.`;
    case 'too_small':
      return `Expected at least ${sizeOf(issue.origin, issue.minimum)}.`;
    case 'invalid_union':
      return Array.isArray(issue.options) ? `Expected one of ${issue.options.join(', ')}.` : 'Expected another value.';
    default:
      return 'Expected another value.';
  }
};

/** Names what to leave out and what remains: a partner may send a whole resource that it read. */
const unknownProperties = ({ keys, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): string => {
  const { shape = {} } = (inst?._zod.def ?? {}) as { readonly shape?: object };
  const [what, them] = keys.length === 1 ? ['property', 'it'] : ['properties', 'them'];
  const known = Object.keys(shape);
  const expected = known.length > 0 ? `only ${known.join(', ')}` : 'none';
  return `Unknown ${what} ${keys.map((key) => `"${key}"`).join(', ')}: leave ${them} out. Expected ${expected}.`;
};

const sizeOf = (origin: string, size: unknown): string => {
  const unit = { string: ' character', array: ' item' }[origin];
  return unit === undefined ? `${size}` : `${size}${unit}${size === 1 ? '' : 's'}`;
};
