/** Compiles a pattern in which `*` stands for any characters, `?` for one. */
export const wildcardPattern = (pattern: string, flags = ''): RegExp => {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, `s${flags}`);
};
