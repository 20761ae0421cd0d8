import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

type Step = {
  readonly uses?: string;
  readonly run?: string;
  readonly id?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
};
type Job = {
  readonly environment?: string;
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
};
type Workflow = { readonly permissions: unknown; readonly jobs: Readonly<Record<string, Job>> };

const folder = '.github/workflows';
const workflows = readdirSync(folder).map((file) => {
  const workflow: Workflow = parse(readFileSync(join(folder, file), 'utf8'));
  return { file, workflow, steps: Object.values(workflow.jobs).flatMap(({ steps }) => steps) };
});

describe.each(workflows)('$file', ({ workflow, steps }) => {
  test('names actions by commit hashes, which cannot be moved', () => {
    const names = steps.flatMap(({ uses }) => uses ?? []);
    expect(names.filter((name) => !/^[\w-]+\/[\w/-]+@[0-9a-f]{40}$/.test(name))).toEqual([]);
  });

  test('inserts no user-controlled value into a script, where it would be executed', () => {
    expect(steps.flatMap(({ run }) => run ?? []).filter((run) => run.includes('${{'))).toEqual([]);
  });

  test('names the permissions of its token', () => {
    expect(workflow).toHaveProperty('permissions');
  });
});

const jobOf = (file: string, name: string): Job => {
  const found = workflows.find((each) => each.file === file)?.workflow.jobs[name];
  if (!found) throw new Error(`${file} has no job ${name}.`);
  return found;
};

const runs = ({ steps }: Pick<Job, 'steps'>) => steps.flatMap(({ run }) => run ?? []).join('\n');

test('checks.yml builds the image of the demo world and tests it', () => {
  expect(runs(jobOf('checks.yml', 'container'))).toBe('docker build --tag partner-api .\ntest/container/smoke.sh');
});

test('checks.yml runs everything in a folder with a space and an umlaut in its path, too', () => {
  const job = jobOf('checks.yml', 'other-folder');
  const [folder = ''] = job.steps.flatMap((step) => (step.with?.path as string | undefined) ?? []);
  expect(folder).toMatch(/ /);
  expect(folder).toMatch(/[^ -~]/);
  expect(job).toMatchObject({ defaults: { run: { 'working-directory': folder } }, env: { LC_ALL: 'C' } });
  expect(runs(job)).toBe('npm ci\nnpm test\nnpm run docs');
});

describe('deploy.yml', () => {
  const [plan, deploy] = [jobOf('deploy.yml', 'plan'), jobOf('deploy.yml', 'deploy')];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an expression of the workflow.
  const stageInput = '${{ inputs.stage }}';
  const roleOf = ({ steps }: Job) => steps.flatMap((step) => step.with?.['role-to-assume'] ?? []);

  test('plans with the read-only role, before the environment asks for approval', () => {
    expect([plan.environment, plan.needs]).toEqual([undefined, undefined]);
    expect(roleOf(plan)).toEqual([expect.stringMatching(/:role\/PartnerApiAccess-\$\{\{ inputs\.stage \}\}-plan$/)]);
    expect(runs(plan)).toMatch(/npm run deploy .* --plan$/m);
  });

  test('deploys after the plan, in the stage’s environment and with its role', () => {
    expect([deploy.environment, deploy.needs]).toEqual([stageInput, 'plan']);
    expect(roleOf(deploy)).toEqual([
      expect.stringMatching(/:role\/PartnerApiAccess-\$\{\{ inputs\.stage \}\}-deploy$/),
    ]);
  });

  test('passes the key only to the smoke test', () => {
    const withSecrets = [...plan.steps, ...deploy.steps].filter((step) => JSON.stringify(step).includes('secrets.'));
    expect(withSecrets.map(({ id }) => id)).toEqual(['smoke']);
    expect(runs({ steps: withSecrets })).toMatch(/printf '%s' "\$SMOKE_KEY" \| npx partner-api-operator smoke/);
  });

  test('rolls back to the commit that was read before the deployment if the smoke test fails', () => {
    const at = (pattern: RegExp) => deploy.steps.findIndex(({ run }) => run && pattern.test(run));
    expect(at(/OutputKey=='Commit'/)).toBeGreaterThan(0);
    expect(at(/OutputKey=='Commit'/)).toBeLessThan(at(/--yes/));
    const rollBack = deploy.steps.at(-1);
    expect(rollBack?.if).toBe("failure() && steps.smoke.outcome == 'failure'");
    expect(rollBack?.run).toMatch(/npm run deploy .* --code "\$BEFORE" --yes/);
  });
});

describe('release-client.yml', () => {
  const [prove, publish] = [jobOf('release-client.yml', 'prove'), jobOf('release-client.yml', 'publish')];

  test('tests the package first, in a job that cannot publish, since third-party tools run there', () => {
    expect(runs(prove)).toContain('npm run prove -- workshop/foreign test/e2e/client-package.e2e.test.ts');
    expect(prove.permissions).toEqual({ contents: 'read' });
    expect([publish.needs, publish.environment]).toEqual(['prove', 'npm']);
    expect(runs(publish)).not.toContain('foreign');
  });

  test('publishes by its identity, without a token, and with public provenance', () => {
    expect(publish.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    expect(JSON.stringify([prove, publish])).not.toContain('secrets.');
    expect(publish.steps.at(-1)?.run).toBe('npm publish .build/client/*.tgz --provenance --access public');
  });
});
