import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { UserFacingError } from 'serve-stack';
import { endWithThisProcess } from 'serve-stack/host';
import { cdkCli } from '../infra/cdk-cli.ts';

export const root = join(import.meta.dirname, '..');

/** The template and the bundles follow from the TypeScript and JSON in these folders, and from these files. */
export const inputs = {
  folders: ['infra', 'lambdas', 'config', 'operator'].map((folder) => join(root, folder)),
  files: ['cdk.json', 'package-lock.json'].map((file) => join(root, file)),
};

/** Names the inputs that an assembly was made from. The file is written last, so a synth that was broken off leaves none. */
const inputsFile = 'inputs.sha256';

type Options = {
  /** Leaves the functions' code readable, with source maps in it, so that a debugger shows the sources. */
  readonly isDebuggable?: boolean;
  /** Takes a line when there is something to synthesize, which takes a while. */
  readonly announce?: ((line: string) => void) | undefined;
};

/** Synthesizes the stack `local` unless its inputs are unchanged; resolves to the folder of the cloud assembly. */
export const synthesizeIfStale = async ({ isDebuggable = false, announce }: Options = {}): Promise<string> => {
  const buildDirectory = join(root, '.build', isDebuggable ? 'local-debuggable' : 'local');
  const assemblyDirectory = join(buildDirectory, 'cdk.out');
  const hash = hashOfInputs();
  const madeFrom = join(assemblyDirectory, inputsFile);
  if (existsSync(madeFrom) && readFileSync(madeFrom, 'utf8') === hash) return assemblyDirectory;
  announce?.('Synthesizing the stack');
  await synthesize({ buildDirectory, assemblyDirectory, hash, context: isDebuggable ? ['debuggable=true'] : [] });
  return assemblyDirectory;
};

/** Tells one state of the inputs from another. */
export const hashOfInputs = (): string =>
  hashOfFiles([...inputs.folders.map((folder) => join(folder, '**/*.{ts,json}')), ...inputs.files]);

/** Tells one state of the files from another, by names and contents. The patterns begin at `root`. */
export const hashOfFiles = (patterns: readonly string[]): string => {
  const hash = createHash('sha256');
  const files = globSync([...patterns], { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const file of files.map(({ parentPath, name }) => relative(root, join(parentPath, name))).sort())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
};

type Synthesis = {
  readonly buildDirectory: string;
  readonly assemblyDirectory: string;
  readonly hash: string;
  readonly context: readonly string[];
};

/** Synthesizes beside the place and swaps the result in, so that nobody ever reads half an assembly. */
const synthesize = async ({ buildDirectory, assemblyDirectory, hash, context }: Synthesis): Promise<void> => {
  mkdirSync(buildDirectory, { recursive: true });
  const output = mkdtempSync(join(buildDirectory, 'cdk.out-'));
  try {
    const contextOptions = ['stage=local', ...context].flatMap((each) => ['--context', each]);
    await runCdk(['synth', ...contextOptions, '--quiet', '--no-notices', '--output', output]);
    writeFileSync(join(output, inputsFile), hash);
    rmSync(assemblyDirectory, { recursive: true, force: true });
    renameSync(output, assemblyDirectory);
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
};

const runCdk = async (options: readonly string[]): Promise<void> => {
  const { command, arguments: commandLine, environment } = cdkCli(options, root);
  const child = spawn(command, commandLine, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  endWithThisProcess(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0)
    throw new UserFacingError(`cdk synth failed with exit code ${exitCode}. It said:\n${output.trim()}`);
};
