import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { checkPolicySizes } from '../../../infra/checks/policy-sizes.ts';
import { checks } from '../../../infra/checks/template-checks.ts';
import { campaign, proven } from '../../support/campaign.ts';
import {
  appWith,
  configOfStage,
  placeOf,
  stackName,
  synthesizedName,
  type Template,
  templateOf as templateOfConfig,
  templateOfStage,
} from '../synthesized.ts';
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

/**
 * CloudFormation receives nested stacks as templates of their own, each with its own limits. Every synth validates the stack's
 * template, but not these.
 */
describe('the schemas and rules of CloudFormation', campaign, () => {
  const separate: Record<string, Map<string, Template>> = {};
  beforeAll(async () => {
    for (const stage of stages) {
      const { directory } = (await appWith(configOfStage(stage), { stage: synthesizedName(stage) })).synth();
      const read = (file: string): Template => JSON.parse(readFileSync(join(directory, file), 'utf8'));
      separate[stage] = new Map(globSync('*.template.json', { cwd: directory }).map((file) => [file, read(file)]));
    }
  });

  /**
   * The CDK names a parameter of a nested stack after the resource that the parameter refers to, so the function
   * `rotateWebhookSecret` makes it look like a password.
   */
  const isReference = (finding: string) => finding.startsWith('The template W2509 Parameters/referenceto');

  test.each(stages)('accept each template of config/%s.json', proven, (stage) => {
    const files = [...(separate[stage] ?? [])];
    expect(files.length).toBeGreaterThan(1);
    for (const [file, template] of files) {
      const findings = schemaFindingsIn(template, configOfStage(stage));
      expect(
        findings.filter((finding) => !isReference(finding)),
        file,
      ).toEqual([]);
    }
  });

  test.each(schemaDefects)('find $name', proven, ({ break: breakIt, said }) => {
    const broken = copyOf(separate.example?.get(`${stackName}.template.json`) as Template);
    const whatIsBroken = breakIt(broken);
    const findings = schemaFindingsIn(broken, loadStageConfig('example'));
    expect(findings).toContainEqual(expect.stringContaining(said));
    expect(findings).toContainEqual(expect.stringMatching(new RegExp(`^${whatIsBroken} `)));
  });
});

describe.each(stages)('the template of config/%s.json', (stage) => {
  test.each(Object.entries(checks))('has no fault that the check %s finds', (_, check) => {
    expect(check(templateOf(stage), placeOf(configOfStage(stage), synthesizedName(stage)))).toEqual([]);
  });
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

describe('the principals of a configuration', () => {
  const example = loadStageConfig('example');
  /** The example with lists of this many principals, and the faults that a check of the synthesized template finds. */
  const faultsWith = async (readers: number, backends: number, portals: number) => {
    const listed = <Entry>(count: number, entryOf: (index: number) => Entry) =>
      Array.from({ length: count }, (_, index) => entryOf(index));
    const [reader = ''] = example.operators?.readerPrincipals ?? [];
    const ofNeighbour = (index: number) => `arn:aws:iam::444455556666:role/neighbour-of-the-service-number-${index}`;
    const config = {
      ...example,
      operators: {
        operatorPrincipals: example.operators?.operatorPrincipals ?? [],
        readerPrincipals: listed(readers, (index) => reader.replace('Reader', `Reader${index}`)),
      },
      neighbours: {
        gatewayBackendPrincipals: listed(backends, ofNeighbour),
        portalPrincipals: listed(portals, ofNeighbour),
      },
    };
    return checkPolicySizes(await templateOfConfig(config), placeOf(config)).map(
      ({ logicalId, sentence }) => `${logicalId?.replace(/[0-9A-F]{8}$/, '')} ${sentence.replace(/;.*/, '')}`,
    );
  };

  test('pass a check of the synth up to the quotas of AWS', async () => {
    expect(await faultsWith(16, 49, 130)).toEqual([]);
  });

  test('are refused beyond the quotas of AWS, with a sentence for each list', async () => {
    expect(await faultsWith(25, 60, 200)).toEqual([
      expect.stringMatching(/^Operatorsreader has a trust policy of 2\d{3} characters, and the quota of IAM is 2048$/),
      'IntegrationsQueuesgatewayReportsQueuePolicy has 61 principals, and the quota of SQS is 50',
      'IntegrationsQueuesrequestedChangesQueuePolicy has 61 principals, and the quota of SQS is 50',
      expect.stringMatching(
        /^IntegrationsPortalBus\w* makes the policy of its bus 1\d{4} characters long, and the quota/,
      ),
    ]);
  });
});

test('every check finds a defect', () => {
  expect(Object.keys(ownDefects).sort()).toEqual(Object.keys(checks).sort());
});
