import { spawnSync } from 'node:child_process';

/**
 * Plays the samples of the campaigns that import, directly or not, a file that has changed, or of all if a file of `lambdas/` has:
 * since `SAMPLES_SINCE` (a commit of this clone) if it is set, otherwise since the branch left `origin/main`, and uncommitted.
 * `npm run samples`
 */
const git = (...args: readonly string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

const { SAMPLES_SINCE } = process.env;
const named = SAMPLES_SINCE && git('rev-parse', '--verify', '--quiet', `${SAMPLES_SINCE}^{commit}`);
const since = named || (git('merge-base', 'HEAD', 'origin/main') ?? git('rev-parse', 'HEAD'));
if (since === undefined)
  console.log('This folder is not a git checkout: no samples. `npm run prove` plays all of them.');
else {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'workshop/vitest.config.ts', '--changed', since];
  process.exitCode = spawnSync(process.execPath, vitest, { stdio: 'inherit' }).status ?? 1;
}
