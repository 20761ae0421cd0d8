import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { loadStageConfig } from '../../config/load.ts';
import type { Bundle, Bundles } from '../../infra/functions/bundle.ts';
import { PartnerApiStack } from '../../infra/stack.ts';

export type Resource = {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the properties of a resource are JSON whose shape follows from its type.
  readonly Properties?: Readonly<Record<string, any>>;
};

export type Template = { readonly Resources: Readonly<Record<string, Resource>> };

/** Stands in for the code of every handler, which no price and no ceiling depends on. */
const anyBundle: Bundle = { id: '0123456789ab', folder: import.meta.dirname, sourceMap: import.meta.filename };
const bundles = new Proxy({}, { get: () => anyBundle }) as Bundles;

let synthesized: Template | undefined;

/** The template of the stage `example`. */
export const exampleTemplate = (): Template => {
  synthesized ??= synthesize();
  return synthesized;
};

const synthesize = (): Template => {
  const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));
  const outdir = mkdtempSync(join(tmpdir(), 'example-'));
  try {
    const app = new App({
      outdir,
      context: { ...context, 'aws:cdk:disable-asset-staging': true },
      builtinCloudFormationValidation: false,
    });
    const stack = new PartnerApiStack(app, 'PartnerApi-example', { config: loadStageConfig('example'), bundles });
    return app.synth().getStackByName(stack.stackName).template;
  } finally {
    rmSync(outdir, { recursive: true });
  }
};
