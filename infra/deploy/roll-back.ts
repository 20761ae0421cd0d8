import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { knownEntries } from '../../config/load.ts';
import { stackNameOf } from '../../config/schema.ts';
import { decodeText } from '../../config/text-file.ts';
import type { Resource, Template } from '../assembly.ts';
import { holdsData } from './losses.ts';
import { Refusal, run } from './run.ts';

type Print = (text: string) => void;

/**
 * Checks out another commit in a temporary folder and copies the configuration of this checkout there: code is rolled back, the
 * allowlist is not. Entries that the code of the commit does not know are left out and printed. Throws a Refusal if the commit
 * does not exist or its packages cannot be installed.
 */
export const checkOutCode = async (
  { commit, stage, root }: { readonly commit: string; readonly stage: string; readonly root: string },
  print: Print,
): Promise<{ readonly root: string; readonly remove: () => Promise<void> }> => {
  const folder = join(mkdtempSync(join(tmpdir(), 'deploy-')), 'checkout');
  const isThere = await run('git', ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], root);
  if (isThere.exitCode !== 0)
    throw new Refusal(`There is no commit ${commit} in this repository. Run git fetch, or see git log.`);
  await requireSuccess('git', ['worktree', 'add', '--detach', folder, isThere.output.trim()], root);
  const configuration = `config/${stage}.json`;
  print(
    `Code of ${isThere.output.trim().slice(0, 10)} with ${configuration} of this checkout; installing its packages.\n`,
  );
  const remove = () => requireSuccess('git', ['worktree', 'remove', '--force', folder], root);
  try {
    await requireSuccess('npm', ['ci', '--no-audit', '--no-fund'], folder);
    const { stageConfig } = await import(pathToFileURL(join(folder, 'config/schema.ts')).href);
    const { known, dropped } = knownEntries(
      JSON.parse(decodeText(readFileSync(join(root, configuration)))),
      stageConfig,
    );
    writeFileSync(join(folder, configuration), JSON.stringify(known, undefined, 2));
    for (const entry of dropped)
      print(
        `${configuration}: the older code does not know "${entry}". The entry is left out and has no effect until newer code is deployed.\n`,
      );
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

type Deployed = { readonly assembly: string; readonly stage: string; readonly deployed: Template };

/**
 * Adds to an assembly the deployed resources that hold data and are not in its template, with the resources that they refer to,
 * so that older code removes nothing.
 */
export const keepDataResources = ({ assembly, stage, deployed }: Deployed, print: Print): void => {
  const stackName = stackNameOf(stage);
  const template = JSON.parse(readFileSync(join(assembly, `${stackName}.template.json`), 'utf8'));
  const kept: Record<string, Resource> = {};
  const keep = (logicalId: string, resource: Resource): void => {
    if (logicalId in template.Resources || logicalId in kept) return;
    kept[logicalId] = resource;
    print(`${logicalId} (${resource.Type}) is not in the older code. It stays in the stack unchanged.\n`);
    const text = JSON.stringify(resource);
    for (const [other, its] of Object.entries(deployed.Resources))
      if (text.includes(`"${other}"`) || text.includes(`\${${other}`)) keep(other, its);
  };
  for (const [logicalId, resource] of Object.entries(deployed.Resources))
    if (holdsData(resource)) keep(logicalId, resource);
  if (Object.keys(kept).length === 0) return;
  replaceTemplate(assembly, stackName, { ...template, Resources: { ...template.Resources, ...kept } });
};

/**
 * Replaces the template and its hash. The CDK CLI uploads a template under its hash, and skips the upload if that file exists.
 */
const replaceTemplate = (assembly: string, stackName: string, template: object): void => {
  const text = JSON.stringify(template, undefined, 1);
  writeFileSync(join(assembly, `${stackName}.template.json`), text);
  const files = ['manifest.json', `${stackName}.assets.json`].map((name) => join(assembly, name));
  const [manifest = ''] = files.map((file) => readFileSync(file, 'utf8'));
  const url: string = JSON.parse(manifest).artifacts[stackName].properties.stackTemplateAssetObjectUrl;
  const [oldHash = ''] = /[0-9a-f]{64}/.exec(url) ?? [];
  const hash = createHash('sha256').update(text).digest('hex');
  for (const file of files) writeFileSync(file, readFileSync(file, 'utf8').replaceAll(oldHash, hash));
};
