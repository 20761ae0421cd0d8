import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pythonModules } from '../../../partner/python/generate/generate.ts';
import { buildWheel, howToGetPython, pythonThatBuilds } from '../../../partner/python/wheel.ts';
import { proven } from '../../support/campaign.ts';

test('the types of the client and the examples of its README are correct', proven, ({ skip }) => {
  const isThere = ([command = '', ...options]: string[]) => spawnSync(command, [...options, '--version']).status === 0;
  const found = [['mypy'], ['python3', '-m', 'mypy']].find(isThere);
  if (!found) return skip('To check them, install mypy.');
  const [command = '', ...options] = found;
  const directory = mkdtempSync(join(tmpdir(), 'types-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const readme = join(directory, 'readme.py');
  const blocks = readFileSync('partner/client/README.md', 'utf8').matchAll(/```python\n(.*?)```/gs);
  writeFileSync(readme, [...blocks].map(([, block]) => block).join('\n'));
  const given = [...options, '--cache-dir', directory, '--config-file', 'partner/python/pyproject.toml'];
  const checked = ['partner/python/partner_api_client', 'test/partner/python/typed.py', readme];
  const env = { ...process.env, MYPYPATH: 'partner/python' };
  const { stdout } = spawnSync(command, [...given, ...checked], { encoding: 'utf8', env });
  expect(stdout).toMatch(/^Success: no issues found/);
});

test('the wheel has exactly the client with its types, and the build is reproducible', proven, ({ skip }) => {
  const python = pythonThatBuilds();
  if (!python) return skip(`To build it, ${howToGetPython}.`);
  const directory = mkdtempSync(join(tmpdir(), 'wheel-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const wheel = buildWheel(directory, python);
  const first = readFileSync(wheel);
  const umask = process.umask(0o077);
  const second = readFileSync(buildWheel(directory, python));
  process.umask(umask);
  expect(second.equals(first)).toBe(true);

  const list = ['-c', 'import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist())', wheel];
  const names = spawnSync(python, list, { encoding: 'utf8' }).stdout.trim().split(' ');
  const sources = globSync('partner_api_client/**/{*.py,py.typed}', { cwd: 'partner/python' });
  const { version } = JSON.parse(readFileSync('partner/client/package.json', 'utf8'));
  const metadata = ['LICENSE', 'METADATA', 'RECORD', 'WHEEL', 'top_level.txt'].map(
    (name) => `partner_api_client-${version}.dist-info/${name}`,
  );
  expect(names.toSorted()).toEqual([...sources, ...metadata].toSorted());
});

test('two schemas with the same name in Python are rejected', () => {
  const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  document.components.schemas.HolidayHoliday = { type: 'object', properties: {} };
  expect(() => pythonModules(JSON.stringify(document))).toThrow('would be HolidayHoliday');
});
