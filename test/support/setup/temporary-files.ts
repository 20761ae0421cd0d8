import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whenNpmEnds } from 'serve-stack/host';

/** Tells the projects of a run that one of them has made the folder already. */
const variable = 'TEMPORARY_FILES_OF_THIS_TEST_RUN';

/**
 * Gives all temporary files of a run one folder, and removes it in the end. Its name is short: paths of sockets have to be.
 * Compiled code is there too: a program that the tests start often is compiled once.
 */
export default () => {
  if (process.env[variable]) return undefined;
  whenNpmEnds(() => process.kill(process.pid, 'SIGTERM'));
  const directory = mkdtempSync(join(tmpdir(), 't-'));
  Object.assign(process.env, {
    [variable]: directory,
    TMPDIR: directory,
    NODE_COMPILE_CACHE: join(directory, 'compiled'),
  });
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
};
