import { join } from 'node:path';
import { cdkCli } from '../infra/cdk-cli.ts';
import { buildIfStale, hashOfFiles, root, runProgram } from './build.ts';

/** The inputs of the template and the bundles: the TypeScript and JSON in these folders, and these files. */
export const inputs = {
  folders: ['infra', 'lambdas', 'simulator', 'config', 'operator'].map((folder) => join(root, folder)),
  files: ['cdk.json', 'package-lock.json'].map((file) => join(root, file)),
};

type Options = {
  /** Bundles the functions readable and with source maps, so that a debugger shows the sources. */
  readonly isDebuggable?: boolean;
  /** Receives a line before a synthesis, which takes a while. */
  readonly announce?: ((line: string) => void) | undefined;
};

/** Synthesizes the stack `local` unless its inputs are unchanged. Resolves to the folder of the cloud assembly. */
export const synthesizeIfStale = async ({ isDebuggable = false, announce }: Options = {}): Promise<string> => {
  const assembly = join(root, '.build', isDebuggable ? 'local-debuggable' : 'local', 'cdk.out');
  await buildIfStale(assembly, hashOfInputs(), async (output) => {
    announce?.('Synthesizing the stack');
    await synthesize(output, isDebuggable);
  });
  return assembly;
};

/** Synthesizes the stack `local` into a folder. */
export const synthesize = async (output: string, isDebuggable = false): Promise<void> => {
  const context = ['script=start', 'stage=local', ...(isDebuggable ? ['debuggable=true'] : [])].flatMap((each) => [
    '--context',
    each,
  ]);
  const cdk = cdkCli(['synth', ...context, '--quiet', '--no-notices', '--output', output], root);
  await runProgram('cdk synth', cdk.command, cdk.arguments, { cwd: root, env: cdk.environment });
};

/** Returns the hash of all inputs of the synthesis. */
export const hashOfInputs = (): string =>
  hashOfFiles([...inputs.folders.map((folder) => join(folder, '**/*.{ts,json}')), ...inputs.files]);
