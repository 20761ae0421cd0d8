import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { loadStageConfig } from '../../config/load.ts';
import type { StageConfig } from '../../config/schema.ts';
import { loadStack } from '../../infra/assembly.ts';
import type { Bundle, Bundles } from '../../infra/functions/bundle.ts';
import type { AlarmDefinitions } from '../../infra/monitoring/alarms/alarm-definition.ts';
import { Alarms } from '../../infra/monitoring/alarms/alarms.ts';
import { PartnerApiStack } from '../../infra/stack.ts';

type Resource = {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the properties of a resource are JSON whose shape follows from its type.
  readonly Properties?: Readonly<Record<string, any>>;
};

export type Template = { readonly Resources: Readonly<Record<string, Resource>> };

/** A placeholder for the code of every handler, on which no passage depends. */
const anyBundle: Bundle = { id: '0123456789ab', folder: import.meta.dirname, sourceMap: import.meta.filename };
const bundles = new Proxy({}, { get: () => anyBundle }) as Bundles;

let synthesized: Template | undefined;

/** The template of the stage `example`, with its nested templates merged into it. */
export const exampleTemplate = (): Template => {
  synthesized ??= synthesize();
  return synthesized;
};

const synthesize = (): Template => {
  const outdir = mkdtempSync(join(tmpdir(), 'example-'));
  try {
    return loadStack(appOf(loadStageConfig('example'), outdir).synth().directory).template;
  } finally {
    rmSync(outdir, { recursive: true });
  }
};

const appOf = (config: StageConfig, outdir?: string): App => {
  const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));
  const app = new App({ ...(outdir && { outdir }), context, builtinCloudFormationValidation: false });
  new PartnerApiStack(app, 'PartnerApi-example', { config, bundles });
  return app;
};

/** The rows of all alarms, including those that only some stages have. */
export const alarmRows = (): AlarmDefinitions => {
  const { monitoring, ...example } = loadStageConfig('example');
  const all = { ...monitoring, fewestRequestsPer15Minutes: 20, canaryCompanyId: 'acme' };
  const alarms = appOf({ ...example, monitoring: all })
    .node.findAll()
    .find((construct) => construct instanceof Alarms);
  if (!alarms) throw new Error('The stack has no construct Alarms.');
  return alarms.definitions;
};
