import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type StageConfig, stackNameOf, stageConfig } from '../../config/schema.ts';
import { nestedStacksIn, type Template } from '../../infra/assembly.ts';
import { accessTemplateOf, appWith } from '../infra/synthesized.ts';
import { folderOf } from './sets.ts';

/** The templates of one configuration: the stage's own under `stage`, and each nested one under its logical id. */
type Synthesis = {
  readonly configuration: StageConfig;
  readonly stacks: Readonly<Record<string, Template>>;
  /** The template of the deployments' permissions. */
  readonly access: Template;
};

/** The templates of a version, by configuration. */
export type Templates = Readonly<Record<string, Synthesis>>;

const fileName = 'templates.json.gz';

export const hasTemplates = (version: string): boolean => existsSync(join(folderOf(version), fileName));

export const readTemplates = (version: string): Templates =>
  JSON.parse(gunzipSync(readFileSync(join(folderOf(version), fileName))).toString());

/** Keeps the templates of this checkout for a configuration, and for the same configuration with all options. */
export const keepTemplates = async (version: string, configuration: StageConfig): Promise<void> => {
  const templates: Templates = {
    usual: await synthesisOf(configuration),
    options: await synthesisOf(withOptions(configuration)),
  };
  mkdirSync(folderOf(version), { recursive: true });
  writeFileSync(join(folderOf(version), fileName), gzipSync(JSON.stringify(templates), { level: 9 }));
};

const withOptions = (configuration: StageConfig): StageConfig =>
  stageConfig.parse({
    ...configuration,
    allowlist: 'waf',
    addressLimit: { requestsPerMinute: 1200 },
    monitoring: { ...configuration.monitoring, fewestRequestsPer15Minutes: 20 },
  });

const stage = 'golden';

/** Synthesizes the templates of a configuration with this checkout. */
export const synthesisOf = async (configuration: StageConfig): Promise<Synthesis> => {
  const { directory } = (await appWith(configuration, { stage })).synth();
  const read = (file: string): Template => JSON.parse(readFileSync(join(directory, file), 'utf8'));
  const outer = read(`${stackNameOf(stage)}.template.json`);
  const files = globSync('*.nested.template.json', { cwd: directory });
  const nested = nestedStacksIn(outer).map(({ logicalId }) => {
    // The file name has the path of the construct, and the logical id contains it twice.
    const [file, ...others] = files.filter((each) => logicalId.includes(constructIn(each)));
    if (file === undefined || others.length > 0) throw new Error(`Expected exactly one template of ${logicalId}.`);
    return [logicalId, read(file)] as const;
  });
  const access = accessTemplateOf(configuration, stage);
  return { configuration, stacks: { stage: outer, ...Object.fromEntries(nested) }, access };
};

const constructIn = (file: string): string =>
  basename(file, '.nested.template.json').replace(stackNameOf(stage).replace('-', ''), '').slice(0, -8);
