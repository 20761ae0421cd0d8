import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CloudFormationValidatePlugin } from 'aws-cdk-lib';
import type { StageConfig } from '../../../config/schema.ts';
import { stackName } from '../synthesized.ts';

const templatePath = join(mkdtempSync(join(tmpdir(), 'validated-')), 'template.json');
const plugin = new CloudFormationValidatePlugin();
const appConstruct = new App();

/** Asks the schemas and rules of CloudFormation as every synth does. A warning counts, since it fails a synth, too. */
export const schemaFindingsIn = (template: object, { account, region }: StageConfig): string[] => {
  writeFileSync(templatePath, JSON.stringify(template));
  const stack = { stackConstructPath: stackName, templatePath, accountId: account, region };
  const { violations } = plugin.validate({ appConstruct, templatePaths: [templatePath], stackTemplates: [stack] });
  return violations.flatMap(({ ruleName, description, violatingResources }) =>
    violatingResources.map(
      ({ resourceLogicalId = 'The template' }) => `${resourceLogicalId} ${ruleName} ${description}`,
    ),
  );
};
