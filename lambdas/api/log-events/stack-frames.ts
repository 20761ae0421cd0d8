/**
 * The name of a bundle's file in a function's stack, as in `3f9a2c1d4e5f.mjs:25:39514`. The name contains the id of the
 * bundle's code, so a frame identifies its source map, however long ago it was written.
 */
export const bundleName = (bundleId: string): string => `${bundleId}.mjs`;

/** A frame; further positions in the same bundle may follow, each after a space. */
const frames = /\b([0-9a-f]{12})\.mjs((?:[: ]\d+:\d+\b(?!\.))+)/g;

/**
 * Returns the frames of a stack in a tenth of its bytes, `3f9a2c1d4e5f.mjs:25:39514 25:40012`, or its `at …` lines if no
 * frame is in a bundle.
 */
export const condensedStack = (stack: string): string => {
  const found = framesIn(stack);
  const [first] = found;
  if (!first) return (stack.match(/(?<=^ +)at .*/gm) ?? []).join('\n');
  return `${bundleName(first.bundleId)}:${found.map(({ line, column }) => `${line}:${column}`).join(' ')}`;
};

export type Frame = { readonly bundleId: string; readonly line: number; readonly column: number };

/** Returns all frames in a text, condensed or not, in order. A position that was cut off does not count. */
export const framesIn = (text: string): Frame[] =>
  [...text.matchAll(frames)].flatMap(([, bundleId = '', positions = '']) =>
    [...positions.matchAll(/\b(\d+):(\d+)/g)].map(([, line, column]) => ({
      bundleId,
      line: Number(line),
      column: Number(column),
    })),
  );
