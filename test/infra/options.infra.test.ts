import { App } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { check } from '../../config/load.ts';
import { type StageConfig, stageConfig } from '../../config/schema.ts';
import { AccessStack } from '../../infra/access/stack.ts';
import { checkPolicySizes } from '../../infra/checks/policy-sizes.ts';
import { campaign, playCases } from '../support/campaign.ts';
import { bare, type Entries, type Option, options, stageWith, unknownPaths, withoutValue } from './stage-options.ts';
import { longestStage, synthFault, type Template } from './synthesized.ts';

type Case = { readonly name: string; readonly config: Entries };

const pairs: readonly Case[] = options.flatMap((one, index) =>
  options
    .slice(index + 1)
    .filter(({ path }) => path !== one.path)
    .map((other) => ({ name: `${one.name} and ${other.name}`, config: stageWith(one, other) })),
);

/** The last value of each option, in the order of the options. */
const lastValues = [...new Map(options.map((option) => [option.path, option])).values()];

/** All options together, and all except one, which reveals what that one hides. */
const wholes: readonly Case[] = [undefined, ...lastValues].map((absent) => {
  const isWithout = ({ path }: Option) =>
    path === absent?.path ||
    path.startsWith(`${absent?.path}.`) ||
    (absent?.path === 'allowlist' && path === 'registrations');
  // A stage has its companies either in the file or in the store, and real systems or simulated homes.
  const replaced = ['registrations', absent?.path === 'neighbours' ? 'neighbours' : 'simulatedHomes'];
  const isKept = (option: Option) => !isWithout(option) && !replaced.includes(option.path);
  return { name: absent ? `all but ${absent.name}` : 'all options', config: stageWith(...lastValues.filter(isKept)) };
});

const inStore =
  'is not empty, but "registrations" keeps the companies in the store; leave out "companies", or remove "registrations".';
const realSystems =
  'simulates the portal and the gateway backend, but "neighbours" gives the real ones access; remove one of the two entries.';
const needsWaf = 'requires the allowlist "waf": the resource policy contains only addresses of this file.';

/** The pairs that the schema refuses, with the messages. */
const refusals: Readonly<Record<string, string>> = {
  'allowlist "policy" and registrations': `registrations ${needsWaf}`,
  'allowlist "prepare-waf" and registrations': `registrations ${needsWaf}`,
  'neighbours and simulatedHomes': `simulatedHomes ${realSystems}`,
  'registrations and companies.0.userId': `companies ${inStore}`,
  'registrations and companies.0.webhookHosts': `companies ${inStore}`,
  'registrations and companies.0.gatewayIds': `companies ${inStore}`,
};

/** Returns why a deployment of these entries would be refused, by the schema or by a check of a synth. */
const faultsOf = async (entries: Entries): Promise<unknown> => {
  const { data: config, faults } = check(stageConfig, entries);
  if (!config) return faults;
  return (await synthFault(config, longestStage)) ?? accessFaults(config);
};

const accessFaults = (config: StageConfig) => {
  const app = new App();
  const { stackName } = new AccessStack(app, longestStage, config);
  const template: Template = app.synth().getStackByName(stackName).template;
  const faults = checkPolicySizes(template, { stackName, account: config.account, region: config.region });
  return faults.length > 0 ? faults : undefined;
};

describe('the options of config/schema.ts', () => {
  test('each has a value for the tests', () => {
    expect(withoutValue).toEqual([]);
    expect(unknownPaths).toEqual([]);
    expect(options.length).toBeGreaterThan(25);
  });

  test('the refused pairs are among the pairs', () => {
    const names = pairs.map(({ name }) => name);
    expect(Object.keys(refusals).filter((name) => !names.includes(name))).toEqual([]);
  });
});

test('a stage with all options passes every check of a synth', async () => {
  expect(wholes[0]?.name).toBe('all options');
  expect(await faultsOf(wholes[0]?.config ?? {})).toBeUndefined();
});

test('a stage with no option passes every check of a synth', campaign, async () => {
  expect(await faultsOf(bare)).toBeUndefined();
});

/** A pair that looked harmless once failed, so each run of the campaign checks it. */
const once = 'allowlist "waf" and operators';

test(`a stage with ${once} passes every check of a synth`, campaign, async () => {
  expect(await faultsOf(pairs.find(({ name }) => name === once)?.config ?? {})).toBeUndefined();
});

test(
  'a stage with any two options, or without any one, and the longest name passes every check of a synth, or the schema refuses it',
  campaign,
  (context) =>
    playCases(context, { test: 3, seconds: 600 }, [...pairs, ...wholes.slice(1)], async ({ name, config }) => {
      const refusal = refusals[name];
      expect(await faultsOf(config), name).toEqual(refusal && [refusal]);
    }),
);
