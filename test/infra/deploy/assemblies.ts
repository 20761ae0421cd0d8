import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { unzipSync } from 'fflate';
import { loadStageConfig } from '../../../config/load.ts';
import type { StageConfig } from '../../../config/schema.ts';
import { AccessStack } from '../../../infra/access/stack.ts';
import type { LocalAccount } from '../../../local/account/local-account.ts';
import { appWith, stackName } from '../synthesized.ts';

/** The cloud assembly of a stage, whose functions all have the same small code, but for the one that is changed. */
export const synthesized = async (
  change: Partial<StageConfig> = {},
  options: Parameters<typeof appWith>[1] = {},
): Promise<string> => (await appWith({ ...loadStageConfig('local'), ...change }, options)).synth().directory;

/** The cloud assembly of the rights that a stage is deployed with. */
export const synthesizedAccess = (stage: string): string => {
  const app = new App();
  new AccessStack(app, stage, loadStageConfig('local'));
  return app.synth().directory;
};

/** A template to change. */
// biome-ignore lint/suspicious/noExplicitAny: what is changed in it is in no type.
export type Mutable = { Resources: Record<string, any> };

/** The same assembly with another template, as another commit would have it. */
export const withTemplate = (assembly: string, change: (template: Mutable) => void): string => {
  const folder = mkdtempSync(join(tmpdir(), 'assembly-'));
  cpSync(assembly, folder, { recursive: true });
  const template = JSON.parse(readFileSync(join(assembly, `${stackName}.template.json`), 'utf8'));
  change(template);
  const text = JSON.stringify(template);
  writeFileSync(join(folder, `${stackName}.template.json`), text);

  const manifest = readFileSync(join(assembly, 'manifest.json'), 'utf8');
  const [, oldHash = ''] = /stackTemplateAssetObjectUrl":\s*"[^"]*\/([0-9a-f]{64})\.json/.exec(manifest) ?? [];
  const hash = createHash('sha256').update(text).digest('hex');
  for (const file of ['manifest.json', `${stackName}.assets.json`])
    writeFileSync(join(folder, file), readFileSync(join(assembly, file), 'utf8').replaceAll(oldHash, hash));
  return folder;
};

/** A cloud assembly that is made of nothing but what was uploaded for a stack: its template and its functions' code. */
export const uploadedAssembly = (account: LocalAccount, name: string): string => {
  const stack = account.stacks.get(name);
  if (!stack) throw new Error(`The account has no stack ${name}.`);
  const folder = mkdtempSync(join(tmpdir(), 'uploaded-'));
  const files = [...stack.resources.values()].flatMap(({ properties }) => {
    const { S3Bucket, S3Key } = (properties.Code ?? {}) as { S3Bucket?: string; S3Key?: string };
    return S3Key === undefined ? [] : [{ objectKey: S3Key, path: unpack(account, `${S3Bucket}/${S3Key}`, folder) }];
  });
  const write = (file: string, content: unknown) => writeFileSync(join(folder, file), JSON.stringify(content));
  const [, , , region, accountId] = stack.id.split(':');
  writeFileSync(join(folder, 'template.json'), stack.templateBody);
  write('assets.json', {
    files: Object.fromEntries(
      files.map(({ objectKey, path }) => [objectKey, { source: { path }, destinations: { only: { objectKey } } }]),
    ),
  });
  write('manifest.json', {
    artifacts: {
      [name]: {
        type: 'aws:cloudformation:stack',
        environment: `aws://${accountId}/${region}`,
        properties: { templateFile: 'template.json' },
      },
      assets: { type: 'cdk:asset-manifest', properties: { file: 'assets.json' } },
    },
  });
  return folder;
};

const unpack = ({ objects }: LocalAccount, object: string, folder: string): string => {
  const zip = objects.get(object);
  if (!zip) throw new Error(`Nothing was uploaded as ${object}.`);
  const path = `code-${createHash('sha256').update(object).digest('hex').slice(0, 12)}`;
  for (const [name, content] of Object.entries(unzipSync(zip))) {
    const file = join(folder, path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return path;
};
