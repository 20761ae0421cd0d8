import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whenNpmEnds } from 'serve-stack/host';
import { bypassProxyOnLoopback } from 'serve-stack/loopback';

/** Holds the folder, for the other projects of the run. */
const variable = 'TEMPORARY_FILES_OF_THIS_TEST_RUN';

/**
 * Creates one folder for all temporary files of a run, and removes it at the end. Its name is short because paths of sockets
 * are limited. It also caches compiled code, because tests start the same programs often. Tests call servers
 * of this machine past a proxy.
 */
export default () => {
  if (process.env[variable]) return undefined;
  bypassProxyOnLoopback();
  whenNpmEnds(() => process.kill(process.pid, 'SIGTERM'));
  const directory = mkdtempSync(join(tmpdir(), 't-'));
  Object.assign(process.env, {
    [variable]: directory,
    TMPDIR: directory,
    NODE_COMPILE_CACHE: join(directory, 'compiled'),
  });
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
};
