import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type StageConfig, stageConfig } from './schema.ts';

/** Reads and checks the configuration of a stage; an error names the file, the entry and how to correct it. */
export const loadStageConfig = (stage: string, directory = import.meta.dirname): StageConfig => {
  const known = stagesIn(directory);
  if (!known.includes(stage))
    throw new Error(
      `There is no stage "${stage}". Known are: ${known.join(', ')}. For a new one, copy config/example.json to config/${stage}.json.`,
    );
  const file = `config/${stage}.json`;
  const result = stageConfig.safeParse(parseJson(file, readFileSync(join(directory, `${stage}.json`), 'utf8')), {
    error: sentenceOf,
  });
  if (!result.success) throw new Error(result.error.issues.map((issue) => `${file}: ${located(issue)}`).join('\n'));
  return result.data;
};

const stagesIn = (directory: string) =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();

const parseJson = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${(error as Error).message}. Correct the file.`);
  }
};

const located = ({ path, message }: z.core.$ZodIssue) =>
  path.length ? `${z.core.toDotPath(path)} ${message}` : message;

/** What the schema itself does not say in words of its own. */
const sentenceOf = (issue: z.core.$ZodRawIssue): string | undefined => {
  if (issue.code === 'unrecognized_keys')
    return `has the unknown ${issue.keys.map((key) => `"${key}"`).join(', ')}; correct the spelling or remove it.`;
  if (issue.input === undefined) return 'is missing; add it.';
  if (issue.code === 'invalid_type') return `is no ${issue.expected}; write one.`;
  return undefined;
};
