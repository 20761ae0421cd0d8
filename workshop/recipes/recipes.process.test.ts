import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { apiVersion } from '../../lambdas/api/version.ts';
import { campaign, playCases, proven } from '../../test/support/campaign.ts';
import { type Copy, type Ended, openCopy } from './copy.ts';
import type { Forgotten, Recipe } from './recipe.ts';
import { recipes } from './recipes.ts';

/** All recipes are followed in one copy, one after the other. It ends with the state in which all checks are to pass. */
let copy: Copy;
beforeAll(() => {
  copy = openCopy();
  // Writes the clients, which are not in git.
  copy.script('prepare');
  // If the version is released, the recipes begin in the state before its release.
  date('unreleased');
  copy.commit();
});

/** Writes the date of this version into the change log. */
const date = (when: string): void => {
  const [anchor = ''] = copy.read('CHANGELOG.md').match(new RegExp(`^## \\[${apiVersion}\\] - .+$`, 'm')) ?? [];
  copy.edit([{ file: 'CHANGELOG.md', anchor, instead: `## [${apiVersion}] - ${when}` }]);
};

const contributing = readFileSync('CONTRIBUTING.md', 'utf8');

/** Returns patterns of the files that the numbered steps of a recipe name: `operator/commands/<noun>.ts`, a folder with `/`. */
const filesIn = (name: string): RegExp[] => {
  const [, section = ''] = contributing.split(`\n### ${name}\n`);
  const [text = ''] = section.split(/\n##/);
  const steps = text.split('\n').filter((line) => /^(\d\.| {3})/.test(line));
  const names = [...steps.join('\n').matchAll(/`([\w./<>-]+\/[\w./<>-]*)`/g)].map(([, file = '']) => file);
  return names.map(
    (file) =>
      new RegExp(`^${file.replaceAll('.', '\\.').replaceAll(/<\w+>/g, '[\\w-]+')}${file.endsWith('/') ? '' : '$'}`),
  );
};

const editedBy = ({ edits }: Recipe): string[] => [...new Set(edits.map(({ file }) => file))].sort();

const vitest = (project: string, ...args: readonly string[]): Ended =>
  copy.node('node_modules/vitest/vitest.mjs', 'run', '--project', project, ...args);

const check = ({ by }: Forgotten): Ended =>
  by === 'generate' ? copy.node('docs/generate/main.ts') : vitest('unit', by);

describe.each(recipes)('$name', campaign, (recipe) => {
  test('names each file that is edited', proven, () => {
    const named = filesIn(recipe.name);
    const unnamed = editedBy(recipe).filter((file) => !named.some((pattern) => pattern.test(file)));
    const remedy = `Following "${recipe.name}" needs edits of files that its steps in CONTRIBUTING.md do not name. Add the step, or let the file follow from the others.`;
    expect(unnamed, remedy).toEqual([]);
  });

  const expectNamed = (forgotten: Forgotten) => {
    const { file, anchor, says = file } = forgotten;
    const isForgotten = (edit: Recipe['edits'][number]) =>
      edit.file === file && (anchor === undefined || edit.anchor.includes(anchor));
    expect(recipe.edits.filter(isForgotten).length, 'workshop/recipes/ has no such edit.').toBeGreaterThan(0);
    copy.edit(recipe.edits.filter((edit) => !isForgotten(edit)));
    const { exitCode, output } = check(forgotten);
    copy.discard();
    expect(exitCode, `The check passed although ${file} was left out. Its output:\n${output}`).not.toBe(0);
    expect(output).toContain(says);
    expect(output, 'The check has to print a sentence, not a stack trace.').not.toMatch(/docs\/generate\/\S+\.ts:\d+/);
  };

  test('without its edits of a file, a check names what to edit', proven, (context) =>
    playCases(context, { test: 1, seconds: 600 }, recipe.forgotten, async (each) => expectNamed(each)),
  );

  test('is followed by npm run generate, which writes the rest', proven, () => {
    copy.edit(recipe.edits);
    const { exitCode, output } = copy.script('generate');
    expect(exitCode, output).toBe(0);
    const changed = copy.changedFiles();
    copy.commit();
    const remedy = `Other files than expected have changed. If that is intended, correct "generated" of "${recipe.name}" in workshop/recipes/.`;
    expect(changed, remedy).toEqual([...editedBy(recipe), ...recipe.generated].sort());
  });
});

describe('after all recipes', campaign, () => {
  test('a test asks for npm run golden, since the set of the version lacks the new operation', proven, () => {
    const { exitCode, output } = vitest('unit', 'test/golden/golden.test.ts');
    expect(exitCode, output).toBe(1);
    expect(output).toContain('run npm run golden');
    const written = copy.script('golden');
    expect(written.exitCode, written.output).toBe(0);
    const others = copy.changedFiles().filter((file) => !/^test\/golden\/\d/.test(file));
    expect(others).toEqual(['docs/data-compatibility.txt']);
    copy.commit();
  });

  test('npm run golden refuses to write the set of a version that is released', proven, () => {
    date('2036-01-01');
    const { exitCode, output } = copy.script('golden');
    const changed = copy.changedFiles();
    copy.discard();
    expect(exitCode, output).toBe(1);
    expect(output).toContain('raise the minor of apiVersion in lambdas/api/version.ts');
    expect(changed).toEqual(['CHANGELOG.md']);
  });

  test('the compiler reports no error', proven, () => {
    const { exitCode, output } = copy.node('node_modules/typescript/bin/tsc');
    expect(exitCode, output).toBe(0);
  });

  test.each([
    ['unit', ['test/golden', 'test/lambdas/api', 'test/operator/layout', 'test/docs', 'test/partner/openapi']],
    ['infra', ['test/docs/runbooks', 'test/infra/monitoring/alarms']],
    [
      'store',
      [
        ...['test/lambdas/chain/matrix', 'test/operator/roles', 'test/operator/commands/every-command'],
        ...['--testNamePattern', 'contract count|no outdated contract|cover every problem'],
      ],
    ],
  ] as const)('the %s tests of what follows pass', proven, (project, args) => {
    const { exitCode, output } = vitest(project, ...args);
    expect(exitCode, output).toBe(0);
  });
});
