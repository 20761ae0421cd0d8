import { Command } from 'commander';
import { withoutMarkdown } from '../../lambdas/sandbox/home-controls.ts';
import { print } from '../../operator/cli/output.ts';
import type { ControlAnswer, ControlRequest } from './control-server.ts';
import { type ControlName, controlRows, placeholders, programName } from './controls.ts';

type Send = (request: ControlRequest & { readonly directory: string }) => Promise<ControlAnswer['lines']>;

/** Builds the command line of the controls. Commands, help and error messages follow from the rows of `controls.ts`. */
export const createControlProgram = (send: Send): Command => {
  const program = new Command(programName)
    .usage('<control> [arguments] [--directory <path>]')
    .description(
      'Triggers something in the demo world of a running npm start that would take too long to wait for, and says what a partner sees.',
    )
    .option('--directory <path>', 'the folder of the run', '.local')
    .helpCommand(false)
    .addHelpText(
      'after',
      '\ndemo.json lists the gateways, owners and companies. [owner] and [company] default to the first company.',
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
