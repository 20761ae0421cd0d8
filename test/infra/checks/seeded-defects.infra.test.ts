import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { checks } from '../../../infra/checks/template-checks.ts';
import { synthesize, type Template } from '../synthesized.ts';
import { apiDefects } from './api-defects.ts';
import { copyOf } from './broken-template.ts';
import { dataDefects } from './data-defects.ts';
import { monitoringDefects } from './monitoring-defects.ts';
import { schemaDefects } from './schema-defects.ts';
import { schemaFindingsIn } from './schema-findings.ts';

const config = loadStageConfig('example');
let template: Template;
beforeAll(async () => {
  template = await synthesize(config);
});

test.each(schemaDefects)('the schemas find $name', ({ break: breakIt, said }) => {
  const broken = copyOf(template);
  const whatIsBroken = breakIt(broken);
  const findings = schemaFindingsIn(broken, config);
  expect(findings).toContainEqual(expect.stringContaining(said));
  expect(findings).toContainEqual(expect.stringMatching(new RegExp(`^${whatIsBroken} `)));
});

const ownDefects = { ...apiDefects, ...dataDefects, ...monitoringDefects };

describe.each(Object.entries(ownDefects))('the check %s', (name, defects) => {
  test.each(defects)('finds $name, and says of which resource', ({ break: breakIt, said }) => {
    const broken = copyOf(template);
    const whatIsBroken = breakIt(broken);
    const faults = checks[name]?.(broken) ?? [];
    expect(faults.map(({ logicalId, sentence }) => [logicalId ?? 'The template', sentence])).toEqual(
      expect.arrayContaining([[whatIsBroken, expect.stringContaining(said)]]),
    );
    expect(faults.map(({ sentence }) => sentence)).toEqual(faults.map(() => expect.stringMatching(/^.*;.*\.$/)));
  });
});

test('every check has found a defect', () => {
  expect(Object.keys(ownDefects).sort()).toEqual(Object.keys(checks).sort());
});
