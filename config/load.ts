import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { expectationOf } from '../lambdas/api/schemas/library-words.ts';
import { type StageConfig, stageConfig } from './schema.ts';
import { decodeText, UnreadableText } from './text-file.ts';
import { isTrial, stageOfTrial, type TrialPlace, trialCommand, trialConfig } from './trial.ts';

/**
 * Reads and checks the configuration of a stage other than a trial. Throws an Error that names the file, the entry and how to
 * correct it.
 */
export const loadStageConfig = (stage: string, directory = import.meta.dirname): StageConfig => {
  if (isTrial(stage))
    throw new Error(
      `The stage "${stage}" is a trial: only the CDK CLI knows its account and region. ${trialCommand('deploy', stage)} deploys it, and ${trialCommand('destroy', stage)} deletes it.`,
    );
  return read(stageConfig, stage, directory);
};

/** Reads and checks the configuration of a trial, and completes it with its place. Throws an Error like `loadStageConfig`. */
export const loadTrialConfig = (stage: string, place: TrialPlace, directory = import.meta.dirname): StageConfig =>
  stageOfTrial(read(trialConfig, stage, directory), place);

const read = <Output>(schema: z.ZodType<Output>, stage: string, directory: string): Output => {
  const known = stagesIn(directory);
  if (!known.includes(stage))
    throw new Error(
      `There is no stage "${stage}". Known stages: ${known.join(', ')}. For a new stage, copy config/${isTrial(stage) ? 'trial' : 'example'}.json to config/${stage}.json.`,
    );
  const file = `config/${stage}.json`;
  if (!isTrial(stage) && !stagePattern.test(stage))
    throw new Error(
      `${file} has a name that no stage can have: it is part of the names of all resources. Rename the file to 1 to ${maxStageCharacters} of the characters a-z 0-9, followed by .json.`,
    );
  const { data, faults } = check(schema, parseJson(file, readFileSync(join(directory, `${stage}.json`))));
  if (!data) throw new Error(faults.map((fault) => `${file}: ${fault}`).join('\n'));
  return data;
};

/** Lambda allows 64 characters in the name of a function, which ends with the name of an operation. */
export const maxStageCharacters = 28;

/**
 * Without hyphens, since the deployment of a stage `prod` has all rights on resources whose names begin with `PartnerApi-prod-`.
 */
const stagePattern = new RegExp(`^[a-z0-9]{1,${maxStageCharacters}}$`);

/** Returns the value as the schema parses it, or its faults, each as a sentence that begins with the place. */
export const check = <Output>(schema: z.ZodType<Output>, value: unknown) => {
  const { data, error } = schema.safeParse(value, { error: sentenceOf });
  return { data, faults: error?.issues.map(located) ?? [] };
};

const stagesIn = (directory: string) =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();

const parseJson = (file: string, bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(decodeText(bytes));
  } catch (error) {
    if (error instanceof UnreadableText) throw new Error(`${file} ${error.message}`);
    throw new Error(`${file} is not JSON: ${(error as Error).message}. Correct the file.`);
  }
};

const located = ({ path, message }: z.core.$ZodIssue) =>
  path.length ? `${z.core.toDotPath(path)} ${message}` : message;

/** Returns the text for an issue that has none in the schema. */
const sentenceOf = (issue: z.core.$ZodRawIssue): string => {
  if (issue.code === 'unrecognized_keys')
    return `has the unknown ${issue.keys.map((key) => `"${key}"`).join(', ')}; correct the spelling or remove it.`;
  if (issue.input === undefined) return 'is missing; add it.';
  if (issue.code === 'invalid_type') return `has the wrong type; write a value of type ${issue.expected}.`;
  return `is wrong: ${expectationOf(issue).replace(/^E/, 'e')}`;
};

type Schema = { readonly safeParse: (value: unknown) => z.ZodSafeParseResult<unknown> };

/**
 * Returns a configuration without the entries that a schema does not know, and the places of those entries. Other faults
 * remain.
 */
export const knownEntries = (config: unknown, schema: Schema) => {
  const known = structuredClone(config);
  const dropped: string[] = [];
  for (;;) {
    const issues = schema.safeParse(known).error?.issues ?? [];
    const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? [issue] : []));
    if (unknown.length === 0) return { known, dropped };
    for (const { path, keys } of unknown)
      for (const key of keys) {
        dropped.push(z.core.toDotPath([...path, key]));
        Reflect.deleteProperty(
          path.reduce((value, each) => Reflect.get(value, each), known as object),
          key,
        );
      }
  }
};

/**
 * Stages that are never deployed: one is a template to copy, one is served on this machine. Only these may contain
 * placeholders.
 */
const neverDeployed = ['example', 'local'];

/** Names, accounts and addresses that are reserved for documentation and therefore never real. */
const reserved = [
  /\bexample\.(com|net|org)\b/,
  /\b(111122223333|123456789012|000000000000)\b/,
  /^example-owner\//,
  /00000000-0000-0000-0000-000000000000/,
  /^(192\.0\.2|198\.51\.100|203\.0\.113)\.|^2001:db8:/,
];

/**
 * Throws an Error that names each placeholder of config/example.json that is left in a stage that can be deployed. The stages
 * that are never deployed may be synthesized with placeholders, but not deployed (`isDeployed`).
 */
export const refusePlaceholders = (stage: string, config: StageConfig, { isDeployed = false } = {}): void => {
  if (neverDeployed.includes(stage) && !isDeployed) return;
  const left = textsIn(config).filter(({ text }) => reserved.some((pattern) => pattern.test(text)));
  if (left.length === 0) return;
  const sentences = left.map(({ path, text }) => `${z.core.toDotPath(path)} is still the placeholder "${text}".`);
  throw new Error(
    [`config/${stage}.json cannot be deployed. Write what this stage really has:`, ...sentences].join('\n'),
  );
};

type Text = { readonly path: readonly PropertyKey[]; readonly text: string };

const textsIn = (value: unknown, path: readonly PropertyKey[] = []): Text[] => {
  if (typeof value === 'string' || typeof value === 'number') return [{ path, text: String(value) }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) =>
    textsIn(entry, [...path, Array.isArray(value) ? Number(key) : key]),
  );
};
