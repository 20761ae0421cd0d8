import { nameOf } from '../../operator/cli/command.ts';
import type { Host } from '../../operator/cli/host.ts';
import { createProgram, readInput } from '../../operator/cli/program.ts';
import { commands as operatorCommands } from '../../operator/commands.ts';

/** What the operator's program would say of a command line; undefined where it would run it. A placeholder stands for an id. */
export const operatorFault = (commandLine: string): string | undefined => {
  const words = (commandLine.replace(/ < .*/, '').match(/'[^']*'|<[^>]*>|\S+/g) ?? []).map((word) =>
    word.replace(/^'|'$/g, '').replace(/^<.*>$/, 'id'),
  );
  const row = operatorCommands.find((each) => `${words.join(' ')} `.startsWith(`${nameOf(each)} `));
  if (!row) return 'There is no such command.';
  let said = '';
  let input: Record<string, unknown> = {};
  const host = { stderr: { write: (text: string) => (said += text) }, stdout: { write: () => true } };
  const program = createProgram([row], host as unknown as Host, async (_, written) => {
    input = { ...written };
  });
  try {
    program.parse(words, { from: 'user' });
    const read = readInput(row, input);
    const isLook = input.dryRun || row.changesNothing?.(read);
    return row.changes && !isLook && !input.reason ? 'It has no --reason.' : undefined;
  } catch (error) {
    return `${said}${(error as Error).message}`;
  }
};
