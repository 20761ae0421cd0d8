import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { run, runCdk } from './run.ts';

type Synthesis = { readonly root: string; readonly assembly: string };

type Request = {
  readonly stage: string;
  readonly root: string;
  /** Moves all requests to new versions at once: a roll-back must not wait, least of all for the alarm to end. */
  readonly atOnce: boolean;
  readonly reconnectStreams?: boolean | undefined;
};

/** Synthesizes a stage in a checkout. Throws a Refusal, after the reason was printed, if the synth fails. */
export const synthesizeStage = async (
  { stage, root, atOnce, reconnectStreams }: Request,
  print: (text: string) => void,
): Promise<Synthesis> => {
  const assembly = join(root, '.build/deploy', stage);
  rmSync(assembly, { recursive: true, force: true });
  const commit = await commitOf(root);
  const context = [
    'script=deploy',
    `stage=${stage}`,
    ...(commit === undefined ? [] : [`commit=${commit}`]),
    ...(atOnce ? ['atOnce=true'] : []),
    ...(reconnectStreams ? [`reconnectStreams=${new Date().toISOString()}`] : []),
  ];
  const options = context.flatMap((each) => ['--context', each]);
  await runCdk(['synth', ...options, '--quiet', '--output', assembly], { root, print });
  return { root, assembly };
};

/** Returns the commit of a checkout's code; `undefined` if files other than the configuration differ from it. */
export const commitOf = async (root: string): Promise<string | undefined> => {
  const changed = await run('git', ['status', '--porcelain', '--', '.', ':!config'], root);
  if (changed.exitCode !== 0 || changed.output !== '') return undefined;
  return (await run('git', ['rev-parse', 'HEAD'], root)).output.trim();
};
