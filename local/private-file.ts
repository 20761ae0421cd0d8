import { replaceFile } from 'serve-stack/host';

/** Writes a file of JSON that nobody but its owner can read. */
export const writePrivately = (file: string, content: unknown): void =>
  replaceFile(file, `${JSON.stringify(content, null, 2)}\n`, 0o600);
