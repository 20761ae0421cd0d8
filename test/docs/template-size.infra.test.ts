import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import { exampleTemplates } from '../../docs/generate/example-template.ts';
import { bytesOf, quotas } from '../../docs/generate/scale.ts';
import { appWith, stackName } from '../infra/synthesized.ts';

/** docs/scale.md measures the template as it is uploaded. */
test('the size of a template is that of the file that the CDK CLI uploads', async () => {
  const { directory } = (await appWith(loadStageConfig('example'))).synth();
  const file = join(directory, `${stackName}.template.json`);
  const remedy =
    'The CDK CLI writes templates in another form than bytesOf of docs/generate/scale.ts assumes: correct bytesOf.';
  expect(bytesOf(JSON.parse(readFileSync(file, 'utf8'))), remedy).toBe(statSync(file).size);
});

test('the measured template includes the CLI’s metadata, and uses at most half of the quota', () => {
  const { stage } = exampleTemplates();
  expect(JSON.stringify(stage)).toMatch(/"aws:cdk:path":"PartnerApi-example/);
  expect(JSON.stringify(stage)).toMatch(/"aws:asset:path":"asset\.[0-9a-f]{64}"/);
  const remedy = `The template of the stage has ${bytesOf(stage)} bytes, more than half of what CloudFormation allows. Put resources that no stage has yet into a nested stack, as infra/api/methods.ts does.`;
  expect(bytesOf(stage), remedy).toBeLessThan(quotas.templateBytes / 2);
});
