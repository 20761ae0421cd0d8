import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** All projects of a run share it. */
let directory: string | undefined;

/** Gives all temporary files of a run one folder, and removes it in the end. */
export default () => {
  directory ??= mkdtempSync(join(tmpdir(), 'test-run-'));
  process.env.TMPDIR = directory;
  return () => rmSync(directory ?? '', { recursive: true, force: true });
};
