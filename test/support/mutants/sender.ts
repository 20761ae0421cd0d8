import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const isOurs = /^(lambdas|operator)\//;
/** Modules that pass on what others ask for. */
const passesOn = /^lambdas\/data\/store\//;

/**
 * What sends a command: a module of the service, or of the operator's program, and what of it; undefined where a test itself
 * does.
 */
export const senderOf = (stack: string): string | undefined => {
  const frame = stack
    .split('\n')
    .flatMap((line) => {
      const [, path = '', row = ''] = /(?:file:\/\/|\(|at )(\/[^():]+\.ts):(\d+)/.exec(line) ?? [];
      return path === '' ? [] : [{ file: relative(process.cwd(), path), row: Number(row) }];
    })
    .find(({ file }) => isOurs.test(file) && !passesOn.test(file));
  return frame && `${frame.file}: ${declarationAt(frame)}`;
};

/** The declaration of the module that a row is part of: frames of callbacks have no name. */
const declarationAt = ({ file, row }: { readonly file: string; readonly row: number }): string => {
  const above = rowsOf(file).slice(0, row);
  return (
    above.flatMap((text) => /^(?:export )?(?:const|async function\*|class) (\w+)/.exec(text)?.[1] ?? []).at(-1) ?? ''
  );
};

const sources = new Map<string, readonly string[]>();

const rowsOf = (file: string): readonly string[] => {
  const rows = sources.get(file) ?? readFileSync(file, 'utf8').split('\n');
  sources.set(file, rows);
  return rows;
};
