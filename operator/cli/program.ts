import { Command as Program, Argument as ProgramArgument, Option as ProgramOption } from 'commander';
import { apiVersion } from '../../lambdas/api/version.ts';
import { exitCodesHelp, OperatorError } from '../error.ts';
import { type AnyCommand, argumentUsage, choicesOf, isOptional, kebabCase, nameOf, optionUsage } from './command.ts';
import type { Host } from './context.ts';
import { print } from './output.ts';

/** Runs a command with the values of its arguments and options as they were written. */
export type Execute = (command: AnyCommand, written: Readonly<Record<string, unknown>>) => Promise<void>;

export const programName = 'partner-api-operator';

/** Creates the command line from the commands. */
export const createProgram = (commands: readonly AnyCommand[], host: Host, execute: Execute): Program => {
  const program = new Program(programName)
    .description('Manage the partners of the API. The audit log records every change.')
    .option(
      '--stage <name>',
      'the stage, with config/<name>.json and the stack PartnerApi-<name>; trial for a stage that cdk deploy created',
    )
    .option('--local', 'use the demo world that npm start serves, instead of AWS')
    .option('--directory <path>', 'with --local: the folder of a run that was started with npm start -- --directory')
    .option('--profile <name>', 'a profile of the AWS configuration files; default: the standard credential chain')
    .addOption(new ProgramOption('-o, --output <format>', 'on stdout').choices(['table', 'json']).default('table'))
    .version(apiVersion, '--version', 'show the API version to which the program belongs')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => print(host.stdout, text),
      writeErr: (text) => print(host.stderr, text),
      outputError: (text) => print(host.stderr, `${text}${dashHint(text)}`, 'error'),
    })
    .showHelpAfterError('Add --help to see commands and options.')
    .exitOverride()
    .addHelpText('after', `\n${exitCodesHelp()}`);
  for (const row of commands) {
    const group = row.verb === undefined ? program : groupNamed(program, row.noun, commands);
    addCommand(group, row, execute);
  }
  return program;
};

/** The parser takes ids that begin with a hyphen for options: `-owner1` for the value `wner1` of `-o`. */
const dashHint = (fault: string): string =>
  /unknown option '-[^-]|option '-o,/.test(fault)
    ? 'If it is an id: write it last, after --, as in "gateway show -- -gw1"; as the value of an option "--user=-id".\n'
    : '';

/**
 * Returns the group for the commands of a noun. A noun of two words is a group within the group of its first word. A group is
 * described by the rest of the names of its commands.
 */
const groupNamed = (program: Program, noun: string, commands: readonly AnyCommand[]): Program => {
  let group = program;
  let prefix = '';
  for (const word of noun.split(' ')) {
    prefix += `${word} `;
    const names = commands.map(nameOf).filter((name) => name.startsWith(prefix));
    const rests = names.map((name) => name.slice(prefix.length));
    group = group.commands.find((each) => each.name() === word) ?? group.command(word).description(rests.join(', '));
  }
  return group;
};

const addCommand = (group: Program, row: AnyCommand, execute: Execute) => {
  const command = group
    .command(row.verb ?? row.noun)
    .description(`${row.summary}.`)
    .addHelpText('after', `\n${exitCodesHelp(row.exits)}`);
  const argumentNames = Object.keys(row.arguments);
  // The choices are for the help only: the schemas refuse other values with their own messages.
  for (const [name, argument] of Object.entries(row.arguments)) {
    const added = new ProgramArgument(argumentUsage(name, argument), argument.summary);
    command.addArgument(Object.assign(added, { argChoices: choicesOf(argument) }));
  }
  for (const [name, option] of Object.entries(row.options)) {
    const added = new ProgramOption(optionUsage(name, option), option.summary);
    command.addOption(Object.assign(added, { argChoices: choicesOf(option) }).makeOptionMandatory(!isOptional(option)));
  }
  if (row.changes)
    command
      .option('--reason <text>', 'why; kept in the audit log, so name no person. Required, except with --dry-run')
      .option('--dry-run', 'show what would change, and change nothing')
      .option('--yes', 'do not ask for confirmation, even if the change cannot be undone');
  command.action((...values: unknown[]) =>
    execute(row, {
      ...command.optsWithGlobals(),
      ...Object.fromEntries(argumentNames.map((name, index) => [name, values[index]])),
    }),
  );
};

/** Validates the written values against the schemas of the command. Throws with one sentence per fault. */
export const readInput = (row: AnyCommand, written: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const input: Record<string, unknown> = {};
  const faults: string[] = [];
  const take = (name: string, shown: string, schema: AnyCommand['output']) => {
    const { data, error } = schema.safeParse(written[name]);
    if (error) faults.push(...error.issues.map(({ message }) => `${shown} ${message}`));
    input[name] = data;
  };
  for (const [name, { schema }] of Object.entries(row.arguments)) take(name, `<${name}>`, schema);
  for (const [name, { schema }] of Object.entries(row.options)) take(name, `--${kebabCase(name)}`, schema);
  if (faults.length > 0) throw new OperatorError('usage', faults.join('\n'));
  return input;
};
