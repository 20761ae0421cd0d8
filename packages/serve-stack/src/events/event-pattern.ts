import { UserFacingError } from '../errors/user-facing-error.ts';

/** Tells whether an event has what a pattern asks for. */
export type EventTest = (event: unknown) => boolean;

/**
 * Compiles a pattern of EventBridge: `{"eventName":["INSERT"]}`, at any depth. Of its operators the local run knows none;
 * one is an error here.
 */
export const compilePattern = (pattern: string): EventTest => compileNode(JSON.parse(pattern), pattern);

const compileNode = (node: unknown, pattern: string): EventTest => {
  if (Array.isArray(node)) return compileValues(node, pattern);
  if (typeof node !== 'object' || node === null) throw unknownPart(node, pattern);
  const tests = Object.entries(node).map(([name, part]) => {
    if (name.startsWith('$')) throw unknownPart(name, pattern);
    const test = compileNode(part, pattern);
    return (event: unknown) => test((event as Record<string, unknown> | undefined)?.[name]);
  });
  return (event) => tests.every((test) => test(event));
};

const compileValues = (values: readonly unknown[], pattern: string): EventTest => {
  const operator = values.find((value) => typeof value === 'object');
  if (operator !== undefined) throw unknownPart(operator, pattern);
  // Of a list in the event, one value is enough.
  return (found) => [found].flat().some((value) => values.includes(value));
};

const unknownPart = (part: unknown, pattern: string) =>
  new UserFacingError(`The local run does not know ${JSON.stringify(part)} in the event pattern ${pattern}.`);
