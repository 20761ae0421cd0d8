/** The value of a JSON text. Undefined if it is no JSON; JSON itself has no such value. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
