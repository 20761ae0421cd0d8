import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { checks } from '../../../infra/checks/template-checks.ts';
import { campaign, provenTest } from '../../support/campaign.ts';
import { placeOf, type Template, templateOfStage } from '../synthesized.ts';
import { copyOf, ownDefects } from './defects.ts';
import { schemaDefects, schemaFindingsIn } from './schema-defects.ts';

/** All stages that have a file, so that a new stage is checked before its first deployment. */
const stages = globSync('config/*.json').map((file) => basename(file, '.json'));

const templates: Record<string, Template> = {};
beforeAll(async () => {
  for (const stage of stages) templates[stage] = await templateOfStage(stage);
});
const templateOf = (stage: string) => templates[stage] as Template;

test('there are stages to check', () => {
  expect(stages).toEqual(expect.arrayContaining(['example', 'local']));
});

/** All tests of a run share the synthesis of the local stage, which also applies these checks in `npm test`. */
provenTest.each(stages)(
  'the template of config/%s.json satisfies the schemas and rules of CloudFormation',
  campaign,
  (stage) => {
    expect(schemaFindingsIn(templateOf(stage), loadStageConfig(stage))).toEqual([]);
  },
);

describe.each(stages)('the template of config/%s.json', (stage) => {
  test.each(Object.entries(checks))('has no fault that the check %s finds', (_, check) => {
    expect(check(templateOf(stage), placeOf(loadStageConfig(stage)))).toEqual([]);
  });
});

provenTest.each(schemaDefects)('the schemas find $name', campaign, ({ break: breakIt, said }) => {
  const broken = copyOf(templateOf('example'));
  const whatIsBroken = breakIt(broken);
  const findings = schemaFindingsIn(broken, loadStageConfig('example'));
  expect(findings).toContainEqual(expect.stringContaining(said));
  expect(findings).toContainEqual(expect.stringMatching(new RegExp(`^${whatIsBroken} `)));
});

describe.each(Object.entries(ownDefects))('the check %s', (name, defects) => {
  test.each(defects)('finds $name', ({ break: breakIt, said }) => {
    const broken = copyOf(templateOf('example'));
    const whatIsBroken = breakIt(broken);
    const faults = checks[name]?.(broken, placeOf(loadStageConfig('example'))) ?? [];
    expect(faults.map(({ logicalId = 'The template', sentence }) => [logicalId, sentence])).toContainEqual([
      whatIsBroken,
      expect.stringContaining(said),
    ]);
    for (const { sentence } of faults) expect(sentence, 'says what is wrong; what to write.').toMatch(/^.+; .+\.$/);
  });
});

test('every check finds a defect', () => {
  expect(Object.keys(ownDefects).sort()).toEqual(Object.keys(checks).sort());
});
