import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { loadStageConfig } from '../../config/load.ts';
import type { Bundle, Bundles } from '../../infra/functions/bundle.ts';
import { PartnerApiStack } from '../../infra/stack.ts';
import { loadStack } from '../../infra/template.ts';

export type Resource = {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the properties of a resource are JSON whose shape follows from its type.
  readonly Properties?: Readonly<Record<string, any>>;
};

export type Template = { readonly Resources: Readonly<Record<string, Resource>> };

/** A placeholder for the code of every handler, on which no price and no limit depends. */
const anyBundle: Bundle = { id: '0123456789ab', folder: import.meta.dirname, sourceMap: import.meta.filename };
const bundles = new Proxy({}, { get: () => anyBundle }) as Bundles;

export type ExampleTemplates = {
  /** The template with its nested templates merged into it. */
  readonly whole: Template;
  /** The template as CloudFormation receives it. */
  readonly stage: Template;
  readonly nested: Readonly<Record<NestedName, Template & { readonly Parameters: object }>>;
};

/** The constructs that are nested stacks. */
const nestedNames = ['Groups', 'Methods', 'Monitoring'] as const;
export type NestedName = (typeof nestedNames)[number];

let synthesized: ExampleTemplates | undefined;

/** The templates of the stage `example`. */
export const exampleTemplates = (): ExampleTemplates => {
  synthesized ??= synthesize();
  return synthesized;
};

const synthesize = (): ExampleTemplates => {
  const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));
  const outdir = mkdtempSync(join(tmpdir(), 'example-'));
  try {
    const app = new App({
      outdir,
      // The CDK CLI adds the origin of each resource and file to the template.
      context: { ...context, 'aws:cdk:enable-path-metadata': true, 'aws:cdk:enable-asset-metadata': true },
      builtinCloudFormationValidation: false,
    });
    const stack = new PartnerApiStack(app, 'PartnerApi-example', { config: loadStageConfig('example'), bundles });
    const { directory } = app.synth();
    const read = (pattern: string) => {
      const [file, ...others] = globSync(join(directory, pattern));
      if (file === undefined || others.length > 0) throw new Error(`Expected exactly one template ${pattern}.`);
      return JSON.parse(readFileSync(file, 'utf8'));
    };
    const nested = nestedNames.map((name) => [name, read(`*${name}????????.nested.template.json`)]);
    return {
      whole: loadStack(directory).template,
      stage: read(`${stack.stackName}.template.json`),
      nested: Object.fromEntries(nested) as ExampleTemplates['nested'],
    };
  } finally {
    rmSync(outdir, { recursive: true });
  }
};
