import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readmeFor } from '../client/build/package.ts';

/** The modification time of all files in the wheel, for reproducible builds: the earliest that ZIP supports. */
const sourceDateEpoch = '315532800';

/** Sets the umask, which determines the permissions of files that setuptools writes itself, such as the metadata. */
const build = 'import os; os.umask(0o022); from setuptools import build_meta; print(build_meta.build_wheel("dist"))';

const canBuild = 'import importlib.metadata as m; m.version("wheel"); import setuptools.build_meta';

/** Returns a Python that can build a wheel without downloads; undefined if this machine has none. */
export const pythonThatBuilds = (): string | undefined =>
  ['python3', '/usr/bin/python3'].find((python) => spawnSync(python, ['-c', canBuild]).status === 0);

export const howToGetPython = 'install python3 (3.9 or newer), python3-setuptools and python3-wheel';

/** Builds the wheel of the Python client into a folder, without downloads. Returns its path. */
export const buildWheel = (directory: string, python: string): string => {
  const project = mkdtempSync(join(tmpdir(), 'wheel-'));
  try {
    for (const [name, text] of Object.entries(sources())) {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      writeFileSync(join(project, name), text);
      // Makes the permissions independent of the umask.
      chmodSync(join(project, name), 0o644);
    }
    const env = { ...process.env, SOURCE_DATE_EPOCH: sourceDateEpoch, TZ: 'UTC' };
    const output = execFileSync(python, ['-c', build], { cwd: project, env, encoding: 'utf8', stdio: 'pipe' });
    const wheel = output.trim().split('\n').at(-1) ?? '';
    mkdirSync(directory, { recursive: true });
    copyFileSync(join(project, 'dist', wheel), join(directory, wheel));
    return join(directory, wheel);
  } finally {
    rmSync(project, { recursive: true });
  }
};

/** Returns the files of the project for setuptools. */
const sources = (): Readonly<Record<string, string>> => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');
  const modules = globSync('partner_api_client/**/{*.py,py.typed}', { cwd: import.meta.dirname });
  return {
    ...Object.fromEntries(['pyproject.toml', ...modules].map((file) => [file, read(file)])),
    'README.md': readmeFor('python'),
    LICENSE: read('../../LICENSE'),
  };
};

if (import.meta.main) {
  const python = pythonThatBuilds();
  if (python) {
    const wheel = buildWheel(join(import.meta.dirname, '../../.build/python'), python);
    console.log(`The client for Python, to be installed: pip install ${wheel}`);
  } else console.log(`The client for Python was not built: ${howToGetPython}.`);
}
