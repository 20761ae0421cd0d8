/**
 * Returns the value of an option, a URL with one of these schemes, or undefined if there is none. Throws a sentence for people
 * otherwise, also for a URL with characters that pages would show as something else.
 */
export const urlOption = <Value extends string | undefined>(
  name: string,
  value: Value,
  schemes: readonly string[],
): Value => {
  if (value === undefined) return value;
  if (URL.canParse(value) && schemes.includes(new URL(value).protocol) && /^[\w!#$%&'*+,./:;=?@~-]+$/.test(value))
    return value;
  const expected = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(schemes);
  throw new Error(
    `--${name}: expected a URL without blanks and brackets that begins with ${expected}, got "${value}".`,
  );
};
