/**
 * How a function's stack names a place in its bundle: `3f9a2c1d4e5f.mjs:25:39514`. A bundle goes by the id of its code, so
 * a frame says by itself which source map it needs, however long ago it was written.
 */
export const bundleName = (bundleId: string): string => `${bundleId}.mjs`;

/** A frame; several positions in one bundle may follow each other, each with a space before it. */
const frames = /\b([0-9a-f]{12})\.mjs((?:[: ]\d+:\d+\b(?!\.))+)/g;

/** The frames of a stack in a tenth of its bytes, `3f9a2c1d4e5f.mjs:25:39514 25:40012`, or as they are if none is in a bundle. */
export const condensedStack = (stack: string): string => {
  const found = framesIn(stack);
  const [first] = found;
  if (!first) return (stack.match(/(?<=^ +)at .*/gm) ?? []).join('\n');
  return `${bundleName(first.bundleId)}:${found.map(({ line, column }) => `${line}:${column}`).join(' ')}`;
};

export type Frame = { readonly bundleId: string; readonly line: number; readonly column: number };

/** All frames in a text, condensed or not, in their order. A position that was cut off is none. */
export const framesIn = (text: string): Frame[] =>
  [...text.matchAll(frames)].flatMap(([, bundleId = '', positions = '']) =>
    [...positions.matchAll(/(\d+):(\d+)/g)].map(([, line, column]) => ({
      bundleId,
      line: Number(line),
      column: Number(column),
    })),
  );
