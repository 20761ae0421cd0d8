import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';

const { localeError: wordsOfLibrary } = en();

/** Has the library say what was expected in the words of our own messages; it has none unless a module asks for them. */
export const setLibraryWords = (): void => {
  z.config({ localeError: (issue) => ownWords(issue) ?? wordsOfLibrary(issue) });
};

const ownWords = (issue: z.core.$ZodRawIssue): string | undefined => {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `Unknown ${issue.keys.length === 1 ? 'property' : 'properties'} ${issue.keys.map((key) => `"${key}"`).join(', ')}.`;
    case 'too_big':
      return `Expected at most ${sizeOf(issue.origin, issue.maximum)}.`;
    case 'too_small':
      return `Expected at least ${sizeOf(issue.origin, issue.minimum)}.`;
    default:
      return undefined;
  }
};

const sizeOf = (origin: string, size: unknown): string => {
  const unit = { string: ' character', array: ' item' }[origin];
  return unit === undefined ? `${size}` : `${size}${unit}${size === 1 ? '' : 's'}`;
};
