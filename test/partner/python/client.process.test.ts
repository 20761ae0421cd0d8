import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { issueServerCertificate } from 'serve-stack/host';
import { expect, onTestFinished, test } from 'vitest';
import { hasPython } from '../../support/service.ts';
import { pythonEnvironment } from './driver.ts';

const openServer = async () => {
  const { ca, certificate, privateKey } = await issueServerCertificate(Date.now());
  const caFile = join(mkdtempSync(join(tmpdir(), 'python-client-')), 'ca.pem');
  writeFileSync(caFile, ca);
  const server = createServer({ cert: certificate, key: privateKey }, async (request, response) => {
    const { method, url, headers } = request;
    if (url === '/silence') return;
    if (url === '/break') return request.socket.destroy();
    if (url === '/redirect') return response.writeHead(302, { location: '/echo' }).end();
    if (url === '/missing') return response.writeHead(404).end();
    const echo = JSON.stringify({ method, url, headers, body: await text(request) });
    response.writeHead(202, { 'x-several': ['1', '2'] }).end(echo);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { SERVER_URL: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, SSL_CERT_FILE: caFile };
};

test.skipIf(!hasPython)('the tests of Python-only features pass (needs python3, 3.9 or newer)', async () => {
  const env = { ...pythonEnvironment(), ...(await openServer()) };
  const { stderr } = await promisify(execFile)('python3', ['test/partner/python/test_client.py'], { env });
  expect(stderr).toMatch(/Ran \d\d tests in .*\n\nOK\n$/);
});

test.skipIf(!hasPython)('the client has only syntax of Python 3.9', () => {
  const program = `import ast, sys
for name in sys.argv[1:]: ast.parse(open(name).read(), name, feature_version=(3, 9))`;
  const files = globSync('partner/python/**/*.py');
  expect(files.length).toBeGreaterThan(14);
  const { status, stderr } = spawnSync('python3', ['-c', program, ...files], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
