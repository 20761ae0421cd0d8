import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../infra/deploy/refusal.ts';
import { checkOutCode } from '../../../infra/deploy/synthesize.ts';
import { campaign, provenTest } from '../../support/campaign.ts';
import { createRepository, hasGit } from './git-repository.ts';

const packages = {
  'package.json': '{ "name": "x", "version": "1.0.0" }',
  'package-lock.json': '{ "name": "x", "version": "1.0.0", "lockfileVersion": 3, "packages": { "": {} } }',
};
const print = () => undefined;

describe.skipIf(!hasGit)('a roll-back of code', () => {
  const open = () => {
    const repository = createRepository({ ...packages, 'code.ts': 'old', 'config/prod.json': 'old allowlist' });
    repository.commit({ 'code.ts': 'bad', 'config/prod.json': 'new allowlist' });
    return repository;
  };
  const readIn = (root: string) =>
    ['code.ts', 'config/prod.json'].map((file) => readFileSync(join(root, file), 'utf8'));

  provenTest('takes the code of the commit, and the configuration of the checkout', campaign, async () => {
    const { root, first, git, write } = open();
    write({ 'config/prod.json': 'allowlist of this minute' });
    const checkout = await checkOutCode({ commit: first, stage: 'prod', root }, print);
    expect(readIn(checkout.root)).toEqual(['old', 'allowlist of this minute']);
    expect(readIn(root)).toEqual(['bad', 'allowlist of this minute']);
    await checkout.remove();
    expect(existsSync(checkout.root)).toBe(false);
    expect(git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  provenTest('whose packages cannot be installed leaves nothing behind', campaign, async () => {
    const { root, git, commit } = open();
    const broken = commit({ 'package-lock.json': 'none' });
    await expect(checkOutCode({ commit: broken, stage: 'prod', root }, print)).rejects.toThrow(/^npm ci ended with/);
    expect(git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  test('to a commit that nobody has is refused with a sentence', async () => {
    const request = { commit: 'deadbeef', stage: 'prod', root: open().root };
    await expect(checkOutCode(request, print)).rejects.toThrow(
      new Refusal('There is no commit deadbeef in this repository. Run git fetch, or see git log.'),
    );
  });
});
