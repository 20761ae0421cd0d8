import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import * as z from 'zod';
import type { Frame } from '../../lambdas/api/events/stack-frames.ts';

/** What is read of a file in the format of ECMA-426. */
const content = z.object({
  version: z.literal(3),
  sources: z.array(z.string()),
  names: z.array(z.string()),
  mappings: z.string(),
});

/** The source map of a bundle, or undefined if the folder has none. */
export const readSourceMap = (directory: string, bundleId: string): SourceMap | undefined => {
  const file = join(directory, `${bundleId}.map`);
  if (!existsSync(file)) return undefined;
  return new SourceMap(content.parse(JSON.parse(readFileSync(file, 'utf8'))) as SourceMapPayload);
};

/** The place in the sources, `lambdas/chain/serve.ts:41:7`; undefined in what the bundler wrote itself. */
export const placeOf = (map: SourceMap, { line, column }: Frame): string | undefined => {
  // Frames count from 1, maps from 0.
  const entry = map.findEntry(line - 1, column - 1);
  if (!('originalSource' in entry) || entry.generatedLine !== line - 1) return undefined;
  return `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
};
