import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDeployProgram } from '../../../infra/deploy/program.ts';
import { checkOutCode } from '../../../infra/deploy/roll-back.ts';
import { Refusal } from '../../../infra/deploy/run.ts';
import { commitOf, synthesizeStage } from '../../../infra/deploy/synthesize.ts';
import { proven } from '../../support/campaign.ts';
import { stubDeployment } from './stubs.ts';

const optionsOf = async (commandLine: string): Promise<object | undefined> => {
  let given: object | undefined;
  const program = createDeployProgram(async (options) => {
    given = options;
  });
  await program.parseAsync(commandLine.split(' '), { from: 'user' });
  return given;
};

test.each([
  ['--stage prod', { stage: 'prod', atOnce: false }],
  ['--stage prod --at-once', { stage: 'prod', atOnce: true }],
  ['--stage prod --reconnect-streams', { stage: 'prod', atOnce: false, reconnectStreams: true }],
  ['--stage prod --code 3f9a2c1', { stage: 'prod', code: '3f9a2c1', atOnce: true }],
] as const)('requests move gradually, but for a roll-back and on demand: %s', async (commandLine, options) => {
  expect(await optionsOf(commandLine)).toEqual(options);
});

test('the scripts that synthesize a stage say so, since the app refuses the CDK CLI alone', async () => {
  const { root, calls } = stubDeployment({});
  await synthesizeStage({ stage: 'prod', root, atOnce: false }, () => {});
  expect(calls()).toEqual([expect.stringMatching(/^cdk synth --context script=deploy --context stage=prod /)]);
  expect(JSON.parse(readFileSync('package.json', 'utf8')).scripts.synth).toContain(' --context script=synth');
});

test('--give-up takes the logical ids of resources that may be lost', async () => {
  expect(await optionsOf('--stage prod --give-up Queue Events12AB34CD --yes')).toEqual({
    stage: 'prod',
    atOnce: false,
    yes: true,
    giveUp: ['Queue', 'Events12AB34CD'],
  });
});

/** Git may be missing if the checkout was not made by a clone. */
const hasGit = spawnSync('git', ['--version']).status === 0;

/** Creates a repository with a few files and one commit. */
const createRepository = (files: Readonly<Record<string, string>>) => {
  const root = mkdtempSync(join(tmpdir(), 'repository-'));
  const git = (...options: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...options], {
      cwd: root,
      encoding: 'utf8',
    }).trim();
  const write = (written: Readonly<Record<string, string>>) => {
    for (const [file, text] of Object.entries(written)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
  };
  /** Returns the commit's id. */
  const commit = (changed: Readonly<Record<string, string>>): string => {
    write(changed);
    git('add', '.');
    git('commit', '--quiet', '--message', 'Change');
    return git('rev-parse', 'HEAD');
  };
  git('init', '--quiet');
  return { root, git, write, commit, first: commit(files) };
};

describe('check out code', () => {
  const packages = {
    'package.json': '{ "name": "x", "version": "1.0.0" }',
    'package-lock.json': '{ "name": "x", "version": "1.0.0", "lockfileVersion": 3, "packages": { "": {} } }',
  };
  const print = () => undefined;
  /** A schema that knows only the allowlist. */
  const schema = `export const stageConfig = {
    safeParse: ({ allowlist, ...others }) => ({
      error: { issues: Object.keys(others).map((key) => ({ code: 'unrecognized_keys', path: [], keys: [key] })) },
    }),
  };`;

  describe.skipIf(!hasGit)('a roll-back of code', () => {
    const open = () => {
      const old = { 'code.ts': 'old', 'config/schema.ts': schema, 'config/prod.json': '{ "allowlist": "old" }' };
      const repository = createRepository({ ...packages, ...old });
      repository.commit({ 'code.ts': 'bad', 'config/schema.ts': '', 'config/prod.json': '{ "allowlist": "new" }' });
      return repository;
    };
    const readIn = (root: string) => [
      readFileSync(join(root, 'code.ts'), 'utf8'),
      JSON.parse(readFileSync(join(root, 'config/prod.json'), 'utf8')),
    ];

    test('checks out the commit’s code, with the checkout’s configuration entries that it knows', proven, async () => {
      const { root, first, git, write } = open();
      const ofThisMinute = { allowlist: 'of this minute', neighbours: {} };
      write({ 'config/prod.json': JSON.stringify(ofThisMinute) });
      const said: string[] = [];
      const checkout = await checkOutCode({ commit: first, stage: 'prod', root }, (text) => void said.push(text));
      expect(readIn(checkout.root)).toEqual(['old', { allowlist: 'of this minute' }]);
      expect(readIn(root)).toEqual(['bad', ofThisMinute]);
      expect(said.join('')).toContain(
        'config/prod.json: the older code does not know "neighbours". The entry is left out',
      );
      await checkout.remove();
      expect(existsSync(checkout.root)).toBe(false);
      expect(git('worktree', 'list').split('\n')).toHaveLength(1);
    });

    test('whose packages cannot be installed leaves nothing behind', proven, async () => {
      const { root, git, commit } = open();
      const broken = commit({ 'package-lock.json': 'none' });
      await expect(checkOutCode({ commit: broken, stage: 'prod', root }, print)).rejects.toThrow(/^npm ci ended with/);
      expect(git('worktree', 'list').split('\n')).toHaveLength(1);
    });

    test('to an unknown commit is a one-sentence error', async () => {
      const request = { commit: 'deadbeef', stage: 'prod', root: open().root };
      await expect(checkOutCode(request, print)).rejects.toThrow(
        new Refusal('There is no commit deadbeef in this repository. Run git fetch, or see git log.'),
      );
    });
  });
});

describe('commit of', () => {
  describe.skipIf(!hasGit)('the commit of a checkout', () => {
    const open = () => createRepository({ 'code.ts': '1', 'config/prod.json': '1' });

    test('is the checked-out commit, whatever its configuration', async () => {
      const { root, write, first } = open();
      write({ 'config/prod.json': '2' });
      expect(await commitOf(root)).toBe(first);
    });

    test.each(['code.ts', 'new.ts'])('is none if %s was changed since', async (file) => {
      const { root, write } = open();
      write({ [file]: '2' });
      expect(await commitOf(root)).toBeUndefined();
    });
  });

  test('code outside a repository has no commit', async () => {
    expect(await commitOf(mkdtempSync(join(tmpdir(), 'folder-')))).toBeUndefined();
  });
});
