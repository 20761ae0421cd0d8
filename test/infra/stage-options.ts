import * as z from 'zod';
import { loadStageConfig } from '../../config/load.ts';
import { stageConfig } from '../../config/schema.ts';

/** A configuration before the schema has checked it. */
export type Entries = Record<string, unknown>;

/** One value of an optional entry, or of an entry with few values. */
export type Option = { readonly name: string; readonly path: string; readonly value: unknown };

/** The example configuration, in the region whose name makes the longest ARNs. */
const example: Entries & { readonly account: string } = JSON.parse(
  JSON.stringify(loadStageConfig('example')).replaceAll('eu-central-1', 'ap-southeast-1'),
);

const exampleAt = (path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Entries | undefined)?.[name], example);

/**
 * Sample values of options whose values the schema does not list. Options that are parts of another option are not in its
 * value.
 */
const samples: Readonly<Record<string, readonly unknown[]>> = {
  'consent.newestVersion': [4],
  resourcePolicyQuota: [16_384],
  addressLimit: [{ requestsPerMinute: 600 }],
  'monitoring.fewestRequestsPer15Minutes': [20],
  'monitoring.canaryCompanyId': ['acme'],
  usageEveryMinutes: [1, 60],
  simulatedHomes: [10],
  'companies.0.userId': ['owner-4711'],
  'companies.0.gatewayIds': [['gw-1001']],
};

/** Entries whose sample is in the example configuration. */
const sampledByExample = [
  'domain',
  'neighbours',
  'operators',
  'operators.privacyPrincipals',
  'workflow',
  'companies.0.webhookHosts',
];

/** Options that the schema accepts only with another one. */
const needed: Readonly<Record<string, string>> = {
  'companies.0.gatewayIds': 'companies.0.userId',
  registrations: 'allowlist',
};

/** Required entries that an option replaces. */
const replaced: Readonly<Record<string, string>> = { registrations: 'companies' };

type Found = { readonly path: string; readonly values: readonly unknown[]; readonly isRequired: boolean };

/** Finds the optional entries, and the entries whose values the schema lists. */
const findIn = (schema: z.core.$ZodType, path: readonly string[] = [], isRequired = true): Found[] => {
  if (schema instanceof z.ZodOptional) {
    const [own, ...parts] = findIn(schema.unwrap(), path, false);
    return own?.path === path.join('.') ? [own, ...parts] : [found(path, [], false), ...(own ? [own] : []), ...parts];
  }
  if (schema instanceof z.ZodDefault) return findIn(schema.unwrap(), path, isRequired);
  if (schema instanceof z.ZodBoolean) return [found(path, [false, true], isRequired)];
  if (schema instanceof z.ZodEnum) return [found(path, schema.options, isRequired)];
  if (schema instanceof z.ZodLiteral) return [found(path, ends([...schema.values]), isRequired)];
  if (schema instanceof z.ZodArray) return findIn(schema.element, [...path, '0'], true);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, inner]) => findIn(inner, [...path, name], true));
};

const found = (path: readonly string[], values: readonly unknown[], isRequired: boolean): Found => ({
  path: path.join('.'),
  values,
  isRequired,
});

/** Returns the first and the last of many values; the values in between are equivalent. */
const ends = <T>(values: readonly T[]): readonly T[] =>
  values.length > 3 ? [values[0] as T, values.at(-1) as T] : values;

const entries = findIn(stageConfig);

const isWithin = (whole: string) => (path: string) => path.startsWith(`${whole}.`);

/** Returns a value without the parts that are options themselves. */
const withoutParts = (path: string, value: unknown): unknown => {
  const copy = structuredClone(value);
  for (const part of entries)
    if (!part.isRequired && isWithin(path)(part.path)) delete (copy as Entries)[part.path.slice(path.length + 1)];
  return copy;
};

const valuesOf = ({ path, values }: Found): readonly unknown[] => {
  if (values.length > 0) return values;
  return samples[path] ?? (sampledByExample.includes(path) ? [withoutParts(path, exampleAt(path))] : []);
};

/** The options of the schema without a test value; should be empty. */
export const withoutValue: readonly string[] = entries
  .filter((entry) => valuesOf(entry).length === 0)
  .map(({ path }) => path);

/** The paths with a value here that the schema does not have. */
export const unknownPaths: readonly string[] = [...Object.keys(samples), ...sampledByExample].filter(
  (path) => !entries.some((entry) => entry.path === path),
);

/** All options, in the order of the schema. */
export const options: readonly Option[] = entries.flatMap((entry) =>
  valuesOf(entry).map((value) => ({
    name: valuesOf(entry).length === 1 ? entry.path : `${entry.path} ${JSON.stringify(value)}`,
    path: entry.path,
    value,
  })),
);

/** A stage with one company and no option. */
export const bare: Entries = entries
  .filter(({ isRequired }) => !isRequired)
  .reduce<Entries>(
    (config, { path }) => {
      const names = path.split('.');
      const last = names.pop() as string;
      const place = names.reduce<Entries | undefined>((value, name) => value?.[name] as Entries | undefined, config);
      if (place) delete place[last];
      return config;
    },
    { ...structuredClone(example), companies: (structuredClone(example).companies as unknown[]).slice(0, 1) },
  );

/** Returns the bare stage with these options, and with the options that they require. */
export const stageWith = (...chosen: readonly Option[]): Entries => {
  const config = structuredClone(bare);
  const paths = chosen.map(({ path }) => path);
  for (const { path } of chosen) if (replaced[path]) delete config[replaced[path]];
  const missing = chosen.flatMap(({ path }) => {
    const other = needed[path];
    return other === undefined || paths.includes(other) ? [] : options.filter((each) => each.path === other).slice(-1);
  });
  // A whole option is set before its parts.
  for (const { path, value } of [...missing, ...chosen].toSorted((one, other) => depthOf(one) - depthOf(other)))
    put(config, path, value);
  return config;
};

const depthOf = ({ path }: Option): number => path.split('.').length;

const put = (config: Entries, path: string, value: unknown): void => {
  const names = path.split('.');
  const last = names.pop() as string;
  let place = config;
  for (const [index, name] of names.entries()) {
    const whole = names.slice(0, index + 1).join('.');
    place[name] ??= withoutParts(whole, exampleAt(whole));
    place = place[name] as Entries;
  }
  place[last] = structuredClone(value);
};
