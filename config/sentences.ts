/** The rest of a sentence that begins with the place of the fault. The loader itself names a value that is missing. */
export const says = (sentence: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? undefined : sentence),
});
