import { createInterface } from 'node:readline/promises';
import { OperatorError } from '../errors/operator-error.ts';
import type { Host } from './host.ts';
import { print } from './output.ts';

/** Returns once the name was typed; throws if something else was, or where nobody sits at the terminal. */
export const confirmByTyping = async (
  { stdin, stderr, isTerminal }: Host,
  shown: string,
  name: string,
): Promise<void> => {
  if (!isTerminal)
    throw new OperatorError('usage', 'This cannot be undone, and nobody can be asked here. Add --yes to do it.');
  print(stderr, `${shown}\n`);
  const terminal = createInterface({ input: stdin, output: stderr });
  try {
    // Ctrl-C, or the end of the input, closes the interface and leaves the question without an answer.
    const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    const answer = await Promise.race([terminal.question(`This cannot be undone. Type ${name} to do it: `), ended]);
    if (answer.trim() !== name) throw new OperatorError('refused', `That is not ${name}. Nothing was changed.`);
  } finally {
    terminal.close();
  }
};
