import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal, run, runCdk } from './run.ts';

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

/**
 * Checks out another commit beside this checkout and gives it the configuration of this one: code is rolled back, the
 * allowlist is not. Throws a Refusal if there is no such commit.
 */
export const checkOutCode = async (
  { commit, stage, root }: { readonly commit: string; readonly stage: string; readonly root: string },
  print: (text: string) => void,
): Promise<{ readonly root: string; readonly remove: () => Promise<void> }> => {
  const folder = join(mkdtempSync(join(tmpdir(), 'deploy-')), 'checkout');
  const isThere = await run('git', ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], root);
  if (isThere.exitCode !== 0)
    throw new Refusal(`There is no commit ${commit} in this repository. Run git fetch, or see git log.`);
  await requireSuccess('git', ['worktree', 'add', '--detach', folder, isThere.output.trim()], root);
  const configuration = `config/${stage}.json`;
  cpSync(join(root, configuration), join(folder, configuration));
  print(
    `Code of ${isThere.output.trim().slice(0, 10)} with ${configuration} of this checkout; installing its packages.\n`,
  );
  const remove = () => requireSuccess('git', ['worktree', 'remove', '--force', folder], root);
  try {
    await requireSuccess('npm', ['ci', '--no-audit', '--no-fund'], folder);
  } catch (error) {
    await remove();
    throw error;
  }
  return { root: folder, remove };
};

const requireSuccess = async (command: string, options: readonly string[], cwd: string): Promise<void> => {
  const { exitCode, output } = await run(command, options, cwd);
  if (exitCode !== 0) throw new Refusal(`${command} ${options[0]} ended with exit code ${exitCode}:\n${output}`);
};
