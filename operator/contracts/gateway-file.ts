import { open } from 'node:fs/promises';
import { idPattern } from '../../lambdas/api/schemas/common.ts';

/** A line of the file: the gateway that it names, or why it names none. `endByte` is where it ends in the file. */
export type GatewayLine = { readonly line: number; readonly endByte: number } & (
  | { readonly gatewayId: string }
  | { readonly why: string }
);

const header = 'gatewayId';

/**
 * The lines of a CSV file with one column, its header optional; empty lines are left out. What a refused line holds is not
 * repeated, as the wrong file may hold secrets. Throws what opening the file throws.
 */
export async function* readGatewayLines(file: string): AsyncGenerator<GatewayLine> {
  const handle = await open(file);
  let line = 0;
  let endByte = 0;
  for await (const text of handle.readLines()) {
    line++;
    endByte += Buffer.byteLength(text) + 1;
    const cell = text
      .replace(/^\uFEFF/, '')
      .trim()
      .replace(/^"(.*)"$/, '$1');
    if (cell === '' || (line === 1 && cell === header)) continue;
    yield { line, endByte, ...contentOf(cell) };
  }
}

const contentOf = (cell: string) => {
  if (/[,;\t]/.test(cell)) return { why: `has more than one column; only ${header} is expected` };
  if (!idPattern.test(cell)) return { why: 'is no gateway id: 1 to 64 of the characters A-Z a-z 0-9 . _ -' };
  return { gatewayId: cell };
};
