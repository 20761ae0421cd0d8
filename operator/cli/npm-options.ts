import type { Command } from 'commander';

/**
 * Returns why a program must not run: npm took one of its options, because the option stood before `--`. npm hands over no more
 * than an environment variable of it. Returns undefined if npm took none. `options` are the names of all options, without
 * hyphens at the start.
 */
export const optionTakenByNpm = (options: readonly string[], argv: readonly string[]): string | undefined => {
  const flags = options.filter(isTaken).map((option) => (option.length === 1 ? `-${option}` : `--${option}`));
  const taken = flags.find((flag) => !argv.some((each) => each === flag || each.startsWith(`${flag}=`)));
  if (taken === undefined) return undefined;
  const { npm_lifecycle_event: script = 'operator' } = process.env;
  const command = script === 'start' ? 'npm start' : `npm run ${script}`;
  return `npm kept ${taken} for itself, because options of this program stand after "--". Nothing was done. Write: ${command} -- … ${taken} … (in PowerShell, write '--' with its quotes)`;
};

/** Settings of npm that a machine may have for all its projects: they need not come from the command line. */
const settingsOfNpm = ['access', 'all', 'key', 'name', 'yes'];

/** An old setting of npm, which containers still have: the account that ran its scripts. */
const isAccount = (name: string, value: string) => name === 'user' && /^(root|nobody|\d+)$/.test(value);

/** npm takes `--plan` for its own `-p -l -a -n`. */
const readAsPlan = ['parseable', 'long', 'all'];

const isTaken = (option: string): boolean => {
  const [, no = '', name = ''] = /^(no-)?(.*)$/.exec(option) ?? [];
  if (name === 'plan') return readAsPlan.every((each) => valueIn(each) === 'true');
  const value = valueIn(name);
  if (value === undefined || settingsOfNpm.includes(name) || isAccount(name, value)) return false;
  return no ? value === '' : value !== '' && value !== 'false';
};

const valueIn = (name: string): string | undefined => process.env[`npm_config_${name.replaceAll('-', '_')}`];

/** Returns the names of all options of a program and its commands. */
export const optionNamesOf = (program: Command): string[] => [
  ...program.options.flatMap(({ long, short }) => [long, short].flatMap((each) => each?.replace(/^-+/, '') ?? [])),
  ...program.commands.flatMap(optionNamesOf),
];
