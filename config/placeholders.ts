import * as z from 'zod';
import type { StageConfig } from './schema.ts';

/** Stages that are never deployed: one is copied, one is served on this machine. Only these may hold placeholders. */
const neverDeployed = ['example', 'local'];

/** Names, accounts and addresses that are reserved for documents: nobody has them. */
const reserved = [
  /\bexample\.(com|net|org)\b/,
  /\b(111122223333|123456789012|000000000000)\b/,
  /^example-owner\//,
  /00000000-0000-0000-0000-000000000000/,
  /^(192\.0\.2|198\.51\.100|203\.0\.113)\.|^2001:db8:/,
];

/**
 * Throws if a stage that can be deployed still says what config/example.json says; names each entry. The stages that are
 * never deployed may be synthesized, and are refused when it comes to deploying.
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
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) =>
    textsIn(entry, [...path, Array.isArray(value) ? Number(key) : key]),
  );
};
