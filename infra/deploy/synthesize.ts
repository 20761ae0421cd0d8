import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { run, runCdk } from './run.ts';

type Synthesis = { readonly root: string; readonly assembly: string };

type Request = {
  readonly stage: string;
  readonly root: string;
  /** All requests move to new versions at once: a roll-back must wait for nothing, least of all for the alarm to end. */
  readonly atOnce: boolean;
};

/** Synthesizes a stage in a checkout. What cannot work is refused there, with a sentence. */
export const synthesizeStage = async (
  { stage, root, atOnce }: Request,
  print: (text: string) => void,
): Promise<Synthesis> => {
  const assembly = join(root, '.build/deploy', stage);
  rmSync(assembly, { recursive: true, force: true });
  const commit = await commitOf(root);
  const context = [
    `stage=${stage}`,
    ...(commit === undefined ? [] : [`commit=${commit}`]),
    ...(atOnce ? ['atOnce=true'] : []),
  ];
  const options = context.flatMap((each) => ['--context', each]);
  await runCdk(['synth', ...options, '--quiet', '--output', assembly], { root, print });
  return { root, assembly };
};

/** The commit that a checkout's code is of; `undefined` if files beside the configuration differ from it. */
export const commitOf = async (root: string): Promise<string | undefined> => {
  const changed = await run('git', ['status', '--porcelain', '--', '.', ':!config'], root);
  if (changed.exitCode !== 0 || changed.output !== '') return undefined;
  return (await run('git', ['rev-parse', 'HEAD'], root)).output.trim();
};
