import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import type { StageConfig } from '../../config/schema.ts';
import type { Bundle, Bundles } from '../../infra/functions/bundle.ts';

export type Resource = {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON whose shape the assertions themselves check.
  readonly Properties: Record<string, any>;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly UpdatePolicy?: Record<string, any>;
};

export type Template = {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
};

export const stackName = 'PartnerApi-test';

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));

/** Stands in for every handler: what a function does is no part of the template, only that its code is one. */
const anyHandler = mkdtempSync(join(tmpdir(), 'handler-'));
writeFileSync(join(anyHandler, 'index.mjs'), 'export const handler = async () => ({ statusCode: 204 });');
const anySourceMap = join(mkdtempSync(join(tmpdir(), 'source-map-')), '0123456789ab.map');
writeFileSync(anySourceMap, '{}');
const anyBundle: Bundle = { id: '0123456789ab', folder: anyHandler, sourceMap: anySourceMap };
const bundles = new Proxy({}, { get: () => anyBundle }) as Bundles;

/** An app with the stack of this configuration, without the offline validation that `app.test.ts` has. */
export const appWith = async (config: StageConfig, options: { readonly isAtOnce?: boolean } = {}): Promise<App> => {
  const { PartnerApiStack } = await import('../../infra/stack.ts');
  const app = new App({ context, builtinCloudFormationValidation: false });
  new PartnerApiStack(app, stackName, { config, bundles, ...options });
  return app;
};

export const synthesize = async (...parameters: Parameters<typeof appWith>): Promise<Template> =>
  (await appWith(...parameters)).synth().getStackByName(stackName).template;

export const resourcesOf = (template: Template, type: string): [logicalId: string, Resource][] =>
  Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);

/** The only resource of a type. */
export const theResource = (template: Template, type: string): [logicalId: string, Resource] => {
  const found = resourcesOf(template, type);
  if (found.length !== 1) throw new Error(`expected one ${type}, found ${found.length}`);
  return found[0] as [string, Resource];
};
