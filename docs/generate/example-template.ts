import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { loadStageConfig } from '../../config/load.ts';
import type { Bundle, Bundles } from '../../infra/functions/bundle.ts';
import { PartnerApiStack } from '../../infra/stack.ts';
import { loadStack } from '../../infra/template.ts';

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
  const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));
  const outdir = mkdtempSync(join(tmpdir(), 'example-'));
  try {
    const app = new App({ outdir, context, builtinCloudFormationValidation: false });
    new PartnerApiStack(app, 'PartnerApi-example', { config: loadStageConfig('example'), bundles });
    return loadStack(app.synth().directory).template;
  } finally {
    rmSync(outdir, { recursive: true });
  }
};
