/**
 * Returns an error option with the rest of a sentence that begins with the fault's place. The loader has the text for a missing
 * value.
 */
export const messageUnlessMissing = (sentence: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? undefined : sentence),
});
