import { expect, test } from 'vitest';
import * as z from 'zod';
import { loadStageConfig } from '../../config/load.ts';
import { type StageConfig, stageConfig } from '../../config/schema.ts';
import { campaign, sampleOf } from '../support/campaign.ts';
import { synthFault } from './synthesized.ts';

const example = loadStageConfig('example');

/** A value of each option of a stage; a boolean has both. */
const samples: Readonly<Record<string, readonly unknown[]>> = {
  'consent.newestVersion': [4],
  resourcePolicyQuota: [16_384],
  addressLimit: [{ requestsPerMinute: 600 }],
  'monitoring.fewestRequestsPer15Minutes': [20],
  'monitoring.canaryCompanyId': ['acme'],
  domain: [example.domain],
  'domain.disableDefaultEndpoint': [false, true],
  neighbours: [example.neighbours],
  operators: [example.operators],
  workflow: [example.workflow],
  'workflow.reuseIdentityProvider': [false, true],
  'companies.0.webhookHosts': [['hooks.acme.example.com']],
  'companies.0.gatewayIds': [['gw-1001']],
};

/** The paths of what a stage may leave out, and of what is true or false. */
const optionsIn = (schema: z.core.$ZodType, path: readonly string[] = []): string[] => {
  if (schema instanceof z.ZodOptional) return [path.join('.'), ...optionsIn(schema.unwrap(), path)];
  if (schema instanceof z.ZodBoolean) return [path.join('.')];
  if (schema instanceof z.ZodArray) return optionsIn(schema.element, [...path, '0']);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, inner]) => optionsIn(inner, [...path, name]));
};

const options = optionsIn(stageConfig);

type Entries = Record<string, unknown>;

/** A copy with the option, and with those that it is a part of if they are missing. */
const withOption = (config: StageConfig, path: string, value: unknown): StageConfig => {
  const copy: Entries = structuredClone(config);
  const names = path.split('.');
  const last = names.pop() as string;
  let place = copy;
  for (const [index, name] of names.entries()) {
    const whole = names.slice(0, index + 1).join('.');
    place[name] ??= structuredClone(samples[whole]?.[0]);
    place = place[name] as Entries;
  }
  if (value === undefined) delete place[last];
  else place[last] = value;
  return copy as StageConfig;
};

const valuesOf = (path: string) => samples[path] ?? [];
const isPartOf = (whole: string) => (path: string) => path.startsWith(`${whole}.`);

/** A stage with one company and no option. */
const bare = options
  .filter((path) => !options.some((whole) => isPartOf(whole)(path)))
  .reduce((config, path) => withOption(config, path, undefined), {
    ...example,
    companies: example.companies.slice(0, 1),
  });

/** Options last that are parts of others. */
const full = options.reduce((config, path) => withOption(config, path, valuesOf(path).at(-1)), bare);

const cases = [
  { name: 'all options together', config: full },
  { name: 'no option', config: bare },
  ...options.flatMap((path) =>
    valuesOf(path).map((value) => ({
      name: `${path} alone: ${JSON.stringify(value)}`,
      config: withOption(bare, path, value),
    })),
  ),
];

test('every option of a stage has a value here', () => {
  expect(options.filter((path) => valuesOf(path).length === 0)).toEqual([]);
  expect(Object.keys(samples).filter((path) => !options.includes(path))).toEqual([]);
});

test.each(sampleOf(cases, cases.length))(
  'a stage passes every check of a synth with $name',
  campaign,
  async ({ config }) => {
    expect(stageConfig.safeParse(config).error).toBeUndefined();
    expect(await synthFault(config)).toBeUndefined();
  },
);
