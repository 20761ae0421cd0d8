import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { bundleName, type Frame, framesIn } from '../../lambdas/api/log-events/stack-frames.ts';
import { defineCommand } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { noRequirements } from '../cli/roles.ts';
import { readLinesFile, readStandardInput } from '../cli/text-file.ts';
import { OperatorError } from '../error.ts';

const resolvedFrame = z.strictObject({
  /** The place in the sources; null for code that the bundler generated, and if there is no source map. */
  place: z.string().nullable(),
  times: z.int(),
  /** The place as the stack trace names it. */
  frame: z.string(),
});

export const traceResolve = defineCommand({
  noun: 'trace',
  verb: 'resolve',
  summary: 'Show the source lines of the stack traces of functions in log events or in any text, without calling AWS',
  arguments: {
    file: { summary: 'the file with the stack traces; default: standard input', schema: z.string().optional() },
  },
  options: {},
  changes: false,
  requirements: noRequirements,
  output: z.strictObject({
    frames: z.array(resolvedFrame),
    /** The ids of bundles without a source map. */
    withoutMap: z.array(z.string()),
  }),
  run: async (context, { file }) => {
    const frames = framesIn(
      file === undefined ? await readInput(context) : await readLinesFile(resolve(context.host.directory, file)),
    );
    if (frames.length === 0)
      throw new OperatorError(
        'usage',
        `The text has no stack frame of a function. One looks like ${bundleName('3f9a2c1d4e5f')}:25:39514; pass the stack of an event, or whole lines of the log.`,
      );
    const mapsById = new Map(
      frames.map(({ bundleId }) => [bundleId, readSourceMap(context.host.sourceMapsDirectory, bundleId)]),
    );
    const resolved = [...Map.groupBy(frames, nameOfFrame)].map(([frame, same]) => {
      const [first] = same as [Frame];
      const map = mapsById.get(first.bundleId);
      return { place: (map && placeOf(map, first)) ?? null, times: same.length, frame };
    });
    return { frames: resolved, withoutMap: [...mapsById].flatMap(([id, map]) => (map ? [] : [id])) };
  },
  view: ({ frames, withoutMap }) => [
    { rows: frames },
    ...withoutMap.map((id) => ({
      text: `There is no source map of the bundle ${id}. Fetch it as docs/runbooks/README.md says, or check out the commit that was deployed and run npm run synth: the same sources produce the same bundle.`,
    })),
  ],
  exits: { 'not-found': 'a bundle has no source map here' },
  exitCode: ({ withoutMap }) => (withoutMap.length > 0 ? 'not-found' : 'ok'),
});

const readInput = ({ host, talk }: OperatorContext): Promise<string> => {
  if (host.isTerminal) talk('Paste the stack, then Enter and Ctrl-D:');
  return readStandardInput(host);
};

const nameOfFrame = ({ bundleId, line, column }: Frame) => `${bundleName(bundleId)}:${line}:${column}`;

/** The properties that are read from a source map in the format of ECMA-426. */
const content = z.object({
  version: z.literal(3),
  sources: z.array(z.string()),
  names: z.array(z.string()),
  mappings: z.string(),
});

/** Returns the source map of a bundle; undefined if the folder has none. */
const readSourceMap = (directory: string, bundleId: string): SourceMap | undefined => {
  const file = join(directory, `${bundleId}.map`);
  if (!existsSync(file)) return undefined;
  return new SourceMap(content.parse(JSON.parse(readFileSync(file, 'utf8'))) as SourceMapPayload);
};

/** Returns the place in the sources, `lambdas/chain/serve.ts:41:7`; undefined for code that the bundler generated. */
const placeOf = (map: SourceMap, { line, column }: Frame): string | undefined => {
  // Frames count from 1, maps from 0.
  const entry = map.findEntry(line - 1, column - 1);
  if (!('originalSource' in entry) || entry.generatedLine !== line - 1) return undefined;
  return `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
};
