import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { checks } from '../../../infra/checks/template-checks.ts';
import { synthesize, type Template } from '../synthesized.ts';
import { schemaFindingsIn } from './schema-findings.ts';

/** Every stage that has a file, so that a new one is checked before its first deployment. */
const stages = globSync('config/*.json').map((file) => basename(file, '.json'));

test('there are stages to check', () => {
  expect(stages).toEqual(expect.arrayContaining(['example', 'local']));
});

describe.each(stages)('the template of config/%s.json', (stage) => {
  const config = loadStageConfig(stage);
  let template: Template;
  beforeAll(async () => {
    template = await synthesize(config);
  });

  test('satisfies the schemas and rules of CloudFormation', () => {
    expect(schemaFindingsIn(template, config)).toEqual([]);
  });

  test('has none of the faults that these do not know', () => {
    const faults = Object.entries(checks).flatMap(([name, check]) =>
      check(template).map((fault) => ({ name, ...fault })),
    );
    expect(faults).toEqual([]);
  });
});
