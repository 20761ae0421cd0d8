/**
 * What a program that serves a stack needs on its machine: atomic file writes, servers, and child processes that end with it.
 */

export { createHttpsServer, issueServerCertificate } from './src/host/certificates.ts';
export { attemptToWrite, openLog, readJsonIfWhole, replaceFile } from './src/host/files.ts';
export {
  apartFromTerminal,
  endWithThisProcess,
  killChildren,
  openAll,
  stopChild,
  whenNpmEnds,
} from './src/host/processes.ts';
export { closeServer, freePort, listenerOf, listenOnLoopback } from './src/host/servers.ts';
