/**
 * A name that DNS can look up, in lower case: two labels at least, 253 characters at most. The last label begins with a
 * letter, or a parser could take the name for an IPv4 address. An internationalized name is written in its ASCII form.
 */
export const hostNamePattern = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/;

export const maxHostNameCharacters = 253;
