import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { issueServerCertificate } from 'serve-stack/host';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pythonModules } from '../../../partner/python/generate/generate.ts';
import { buildWheel, howToGetPython, pythonThatBuilds } from '../../../partner/python/wheel.ts';
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

test.skipIf(!hasPython)('what only Python has (needs python3, 3.9 or newer)', async () => {
  const env = { ...pythonEnvironment(), ...(await openServer()) };
  const { stderr } = await promisify(execFile)('python3', ['test/partner/python/test_client.py'], { env });
  expect(stderr).toMatch(/Ran \d\d tests in .*\n\nOK\n$/);
});

test.skipIf(!hasPython)('the client has the grammar of Python 3.9', () => {
  const program = `import ast, sys
for name in sys.argv[1:]: ast.parse(open(name).read(), name, feature_version=(3, 9))`;
  const files = globSync('partner/python/**/*.py');
  expect(files.length).toBeGreaterThan(14);
  const { status, stderr } = spawnSync('python3', ['-c', program, ...files], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

/** The first of these that is there. */
const mypy = [['mypy'], ['python3', '-m', 'mypy']].find(
  ([command = '', ...options]) => spawnSync(command, [...options, '--version']).status === 0,
);

test.skipIf(!mypy)('its types are right (needs mypy)', () => {
  const [command = '', ...options] = mypy ?? [];
  const cache = join(tmpdir(), 'mypy-of-partner-api');
  const given = [...options, '--cache-dir', cache, '--config-file', 'partner/python/pyproject.toml'];
  const checked = ['partner/python/partner_api_client', 'test/partner/python/typed.py'];
  const { stdout } = spawnSync(command, [...given, ...checked], {
    encoding: 'utf8',
    env: { ...process.env, MYPYPATH: 'partner/python' },
  });
  expect(stdout).toMatch(/^Success: no issues found/);
});

const python = pythonThatBuilds();

describe.skipIf(!python)(`the wheel (to build it, ${howToGetPython})`, () => {
  const build = (directory: string) => {
    const wheel = buildWheel(directory, python ?? '');
    return { name: wheel.slice(directory.length + 1), bytes: readFileSync(wheel) };
  };

  test('has the client with its types and nothing else, and is the same each time', () => {
    const directory = mkdtempSync(join(tmpdir(), 'wheel-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const first = build(directory);
    const umask = process.umask(0o077);
    const second = build(directory);
    process.umask(umask);
    expect(first.name).toMatch(/^partner_api_client-\d+\.\d+\.\d+-py3-none-any\.whl$/);
    expect(second.bytes.equals(first.bytes)).toBe(true);
    const list = [
      '-c',
      'import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist())',
      join(directory, first.name),
    ];
    const names = spawnSync(python ?? '', list, { encoding: 'utf8' })
      .stdout.trim()
      .split(' ');
    const sources = globSync('partner_api_client/**/{*.py,py.typed}', { cwd: 'partner/python' });
    const metadata = ['LICENSE', 'METADATA', 'RECORD', 'WHEEL', 'top_level.txt'];
    const version = first.name.split('-')[1];
    expect(names.toSorted()).toEqual(
      [...sources, ...metadata.map((each) => `partner_api_client-${version}.dist-info/${each}`)].toSorted(),
    );
  });
});

test('two schemas with one name in Python are refused', () => {
  const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  document.components.schemas.HolidayHoliday = { type: 'object', properties: {} };
  expect(() => pythonModules(JSON.stringify(document))).toThrow('would be HolidayHoliday');
});
