import { rmSync, writeFileSync } from 'node:fs';

/** Writes a file of JSON that nobody but its owner can read. */
export const writePrivately = (file: string, content: unknown): void => {
  // The mode counts when a file is created.
  rmSync(file, { force: true });
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
};
