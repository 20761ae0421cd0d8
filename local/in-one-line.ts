/** Finds in what tools print, at times in many lines, the place and the message of the first error. */
export const inOneLine = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  const [, message] = /(?:\[ERROR\]|\w*Error(?: \[\w+\])?:)\s*(.+)/.exec(text) ?? [];
  if (message === undefined) return text.trim().split('\n').at(-1) ?? '';
  const [, place] = /(?:file:\/\/)?([\w./-]+\.(?:ts|json):\d+(?::\d+)?)/.exec(text) ?? [];
  return [place, message].filter((part) => part !== undefined).join(': ');
};
