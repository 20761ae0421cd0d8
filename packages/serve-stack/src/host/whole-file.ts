import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes a file beside its place and swaps it in: whoever reads it, at any moment or after a crash, finds all of it. */
export const replaceFile = (file: string, content: string, mode = 0o644): void => {
  const beside = `${file}.new`;
  // The mode counts when a file is created.
  rmSync(beside, { force: true });
  writeFileSync(beside, content, { mode });
  renameSync(beside, file);
};

/** Reads JSON that an earlier run has written; gives nothing where it cannot be read, so that it is made anew. */
export const readJsonIfWhole = <Content>(file: string): Content | undefined => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};
