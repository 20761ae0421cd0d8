/** What a program around a served stack needs of its machine: whole files, servers of its own, children that end. */

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
