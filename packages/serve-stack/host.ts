/** What a program around a served stack needs of its machine: whole files, servers of its own, children that end. */
export { endWithThisProcess, killChildren } from './src/host/child-process.ts';
export { closeServer, listenOnLoopback } from './src/host/loopback-server.ts';
export { openAll } from './src/host/open-all.ts';
export { readJsonIfWhole, replaceFile } from './src/host/whole-file.ts';
export { issueServerCertificate } from './src/tls/certificate.ts';
export { createHttpsServer } from './src/tls/https-server.ts';
