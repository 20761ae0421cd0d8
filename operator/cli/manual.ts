import { exitCodes } from '../errors/exit-codes.ts';
import type { AnyCommand } from './command.ts';
import { programName } from './program.ts';
import { usageOf } from './usage.ts';

/** The page that lists all commands. */
export const manualOf = (commands: readonly AnyCommand[]): string => `# The operator's commands
<!-- Written by \`npm run generate\` from the rows of operator/commands.ts. -->

Each is written \`npx ${programName} <command> --stage <name>\`, or with \`--local\` for the demo world of a running
\`npm start\`. The stage's configuration names its account and region; the credentials have to be of that account, and
\`--profile\` names them if the environment does not. \`-o json\` is for scripts; \`--help\` explains each argument.

A command that changes something takes \`--reason <text>\`, which is kept in the audit log. It is required, except with
\`--dry-run\`, which shows what would change. One that asks first wants a name to be typed, or \`--yes\`.

${tableOf(
  ['command', 'what it does', 'changes', 'exit codes of its own'],
  commands.map((row) => [`\`${usageOf(row)}\``, `${row.summary}.`, changeOf(row), exitsOf(row)]),
)}

## Exit codes
What a command does not say otherwise above:

${tableOf(
  ['code', 'name', 'meaning'],
  Object.entries(exitCodes).map(([name, { code, meaning }]) => [String(code), name, meaning]),
)}
`;

const changeOf = ({ changes, confirmedBy }: AnyCommand): string => {
  if (!changes) return '';
  return confirmedBy ? 'yes, and asks first' : 'yes';
};

const exitsOf = ({ exits = {} }: AnyCommand): string =>
  Object.entries(exitCodes)
    .flatMap(([name, { code }]) => {
      const meaning = exits[name as keyof typeof exitCodes];
      return meaning ? [`${code}: ${meaning}`] : [];
    })
    .join('; ');

const tableOf = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [titles, titles.map(() => '-'), ...rows].map(lineOf).join('\n');

const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
