import { Command } from 'commander';
import { print } from '../../operator/cli/output.ts';
import type { ControlAnswer, ControlRequest } from './control-server.ts';
import { type ControlName, controlRows, placeholders, programName, withoutMarkdown } from './controls.ts';

type Send = (request: ControlRequest & { readonly directory: string }) => Promise<ControlAnswer['lines']>;

/** The command line of the controls: commands, help and what is said of an unknown word follow from the rows. */
export const createControlProgram = (send: Send): Command => {
  const program = new Command(programName)
    .usage('<control> [arguments] [--directory <path>]')
    .description(
      'Lets something happen in the demo world of a running npm start that nobody could wait for, and says what a partner sees then.',
    )
    .option('--directory <path>', 'the folder of the run', '.local')
    .helpCommand(false)
    .addHelpText(
      'after',
      '\nGateways, owners and companies are those of demo.json. Without [owner] or [company] it is the first company.',
    )
    .commandsGroup('Controls:')
    .configureHelp({ showGlobalOptions: true });
  for (const [name, { takes, does, seen }] of controlRows) {
    const command = program
      .command(name)
      .summary(withoutMarkdown(does))
      .description(`${withoutMarkdown(does)}\n${withoutMarkdown(seen)}`)
      .action(() => perform(name, command));
    for (const argument of takes) command.argument(placeholders[argument]);
  }
  const perform = async (name: ControlName, command: Command) => {
    const { directory } = program.opts<{ directory: string }>();
    for (const line of await send({ name, words: command.args, directory })) print(process.stdout, `${line}\n`);
  };
  return program;
};
