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
      return `Unknown ${issue.keys.length === 1 ? 'property' : 'properties'} ${issue.keys.map((key) => `"${key}"`).join(', ')}.`;
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

const sizeOf = (origin: string, size: unknown): string => {
  const unit = { string: ' character', array: ' item' }[origin];
  return unit === undefined ? `${size}` : `${size}${unit}${size === 1 ? '' : 's'}`;
};
