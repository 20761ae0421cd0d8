/** The `ETag` of a version. */
export const entityTagOf = (version: number): string => `"${version}"`;

/**
 * Whether the values of `If-Match` allow a change of this version: any of the listed tags is its own, or `*`; or there is
 * no such header at all. Tags are compared strongly (RFC 9110, 13.1.1), so a weak one never matches.
 */
export const isMatch = (ifMatch: readonly string[], version: number): boolean => {
  const tags = ifMatch.flatMap((value) => value.split(',')).map((tag) => tag.trim());
  return tags.length === 0 || tags.includes('*') || tags.includes(entityTagOf(version));
};
