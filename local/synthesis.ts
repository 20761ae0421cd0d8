import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, relative } from 'node:path';
import { endWithThisProcess } from './aws/child-process.ts';
import { UserFacingError } from './aws/user-facing-error.ts';

const root = join(import.meta.dirname, '..');
const buildDirectory = join(root, '.build/local');
const assemblyDirectory = join(buildDirectory, 'cdk.out');
/** Stands in the assembly and names the inputs that it was made from; written last, so a broken-off synth leaves none. */
const inputsFile = join(assemblyDirectory, 'inputs.sha256');

/** Everything that the template and the bundles follow from. */
const inputs = ['infra/**', 'lambdas/**', 'config/**', 'cdk.json', 'package-lock.json'];

/** Synthesizes the stack `local` unless its inputs are unchanged; resolves to the folder of the cloud assembly. */
export const synthesizeIfStale = async (): Promise<string> => {
  const hash = hashOfInputs();
  if (!existsSync(inputsFile) || readFileSync(inputsFile, 'utf8') !== hash) await synthesize(hash);
  return assemblyDirectory;
};

const hashOfInputs = (): string => {
  const hash = createHash('sha256');
  const files = globSync(inputs, { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const file of files.map(({ parentPath, name }) => relative(root, join(parentPath, name))).sort())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
};

/** Synthesizes beside the place and swaps the result in, so that nobody ever reads half an assembly. */
const synthesize = async (inputsHash: string): Promise<void> => {
  mkdirSync(buildDirectory, { recursive: true });
  const output = mkdtempSync(join(buildDirectory, 'cdk.out-'));
  try {
    await runCdk(['synth', '--context', 'stage=local', '--quiet', '--no-notices', '--output', output]);
    writeFileSync(join(output, 'inputs.sha256'), inputsHash);
    rmSync(assemblyDirectory, { recursive: true, force: true });
    renameSync(output, assemblyDirectory);
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
};

const runCdk = async (options: readonly string[]): Promise<void> => {
  const cdk = join(dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json')), 'bin/cdk');
  const child = spawn(process.execPath, [cdk, ...options], {
    cwd: root,
    // The app's `node` has to be this one, whatever the PATH finds first.
    env: {
      ...process.env,
      CDK_DISABLE_CLI_TELEMETRY: '1',
      PATH: dirname(process.execPath) + delimiter + process.env.PATH,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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
