import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { campaign, provenTest } from '../../../../test/support/campaign.ts';
import { lockDirectory } from '../../src/host/files.ts';
import { temporaryDirectory } from '../fixture.ts';

describe('a directory is that of one run', () => {
  test('whoever comes second is told which process has it, on which port, and what to do', () => {
    const directory = temporaryDirectory();
    const first = lockDirectory(directory);
    expect(() => lockDirectory(directory)).toThrow(
      `Another run has its files in ${directory}: process ${process.pid}, which is still starting. Stop that one, or choose another directory and port for this one.`,
    );
    first.tellPort(8443);
    expect(() => lockDirectory(directory)).toThrow(`process ${process.pid}, on port 8443. Stop that one`);
    first.release();
    lockDirectory(directory).release();
  });

  test('what a run has left that was killed means nothing, even if another process has its number by now', () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'run.json'), JSON.stringify({ pid: process.ppid, port: 8443 }));
    lockDirectory(directory).release();
    expect(existsSync(join(directory, 'run.json'))).toBe(false);
  });

  test('what cannot be read of the other run does not let a second one in', () => {
    const directory = temporaryDirectory();
    const first = lockDirectory(directory);
    onTestFinished(first.release);
    writeFileSync(join(directory, 'run.json'), '{"pid":1');
    expect(() => lockDirectory(directory)).toThrow(`Another run has its files in ${directory}: a process, which`);
  });

  provenTest('as long as that lives: a process that is killed with SIGKILL leaves it free', campaign, async () => {
    const directory = temporaryDirectory();
    const child = spawn(process.execPath, ['--input-type=module', '--eval', holder(directory)]);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    expect(() => lockDirectory(directory)).toThrow(`process ${child.pid}, on port 8443.`);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(JSON.parse(readFileSync(join(directory, 'run.json'), 'utf8'))).toEqual({ pid: child.pid, port: 8443 });
    lockDirectory(directory).release();
  });
});

describe('what is no folder to write to is one sentence', () => {
  test.each([
    ['a file', (place: string) => place],
    ['within a file', (place: string) => join(place, 'local')],
  ])('%s', (_, placeOf) => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    expect(() => lockDirectory(placeOf(file))).toThrow(
      /^A run keeps its files in .*file.*, which is no folder that it may write to \(E.*\)\. Mend that, or choose/,
    );
  });
});

const holder = (directory: string) => `
  import { lockDirectory } from ${JSON.stringify(resolve('packages/serve-stack/src/host/files.ts'))};
  const lock = lockDirectory(${JSON.stringify(directory)});
  lock.tellPort(8443);
  console.log('locked');
  setInterval(() => lock, 1000);
`;
