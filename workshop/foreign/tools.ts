import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const directory = import.meta.dirname;
const binaries = join(directory, 'node_modules/.bin');
export const programsDirectory = join(directory, 'programs');

/** Installs the tools of the lock file from the npm registry, unless they are installed. */
export const installTools = async (): Promise<void> => {
  const lock = createHash('sha256')
    .update(readFileSync(join(directory, 'package-lock.json')))
    .digest('hex');
  const installed = join(directory, 'node_modules/.installed');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', ['ci', ...options], { cwd: directory }).catch((cause) => {
    throw new Error(
      'The tools of workshop/foreign could not be installed, without which nothing is proven here. ' +
        'They come from the npm registry: give this machine a way to it, then run the test again.',
      { cause },
    );
  });
  writeFileSync(installed, lock);
};

type Options = { readonly cwd?: string; readonly variables?: Readonly<Record<string, string>> };

/** The test run's own NODE_ENV would change the tools' output and behavior. */
const environment = (variables: Options['variables']) => ({ ...process.env, NODE_ENV: 'production', ...variables });

/** Runs a tool, or another Node.js program by its path, to its end. Throws with the program's output if it fails. */
export const runTool = async (tool: string, args: readonly string[], { cwd = directory, variables }: Options = {}) => {
  const program = tool.includes('/') ? tool : join(binaries, tool);
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
    cwd,
    env: environment(variables),
    maxBuffer: 64 * 1024 * 1024,
  }).catch(({ message, stdout: printed }) => {
    throw new Error(`${message}\n${printed}`);
  });
  return stdout;
};

/** Runs shell lines, and stops at the first that fails; `npx` finds the tools below this folder. */
export const runShell = (script: string, cwd: string) =>
  promisify(execFile)('sh', ['-ec', script], { cwd, env: environment({}) });

/** Starts a server tool until the test ends; resolves when its output matches. */
export const serveTool = async (tool: string, args: readonly string[], isUp: RegExp, { variables }: Options = {}) => {
  const child = spawn(process.execPath, [join(binaries, tool), ...args], {
    cwd: directory,
    env: environment(variables),
  });
  onTestFinished(() => void child.kill());
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      output += chunk;
      if (isUp.test(output)) resolve();
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('close', () => reject(new Error(`${tool} ended: ${output}`)));
  });
};
