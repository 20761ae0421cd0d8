import { exitCodes } from '../error.ts';
import { type AnyCommand, usageOf } from './command.ts';
import { programName } from './program.ts';
import {
  erasedAuditAttributes,
  permissionsOfRole,
  type Role,
  roleNameOf,
  roleOf,
  roles,
  type ServiceAction,
} from './roles.ts';

/** Returns the page that lists all commands. */
export const manualOf = (commands: readonly AnyCommand[]): string => `# The operator's commands
<!-- Written by \`npm run generate\` from the rows of operator/commands.ts. -->

Run a command with \`npx ${programName} <command> --stage <name>\`, or with \`--local\` for the demo world of a running
\`npm start\` (if that has a \`--directory\`, add the same). The stage's configuration names its account and region; the credentials must belong to that account, and
\`--profile\` names them if the environment does not. \`-o json\` is for scripts; \`--help\` explains each argument.

A command that changes something takes \`--reason <text>\`, which is kept in the audit log. It is required, except with
\`--dry-run\`, which shows what would change. A command that asks for confirmation requires a typed name, or \`--yes\`.

Ids may begin with a hyphen. Write such an id last, after \`--\` (\`gateway show -- -gw1\`), and as the value of an option after an
equals sign (\`--user=-owner1\`). On a terminal, refusals, warnings and levels have colours; the variable \`NO_COLOR\` turns them off.

${tableOf(
  ['command', 'what it does', 'changes', 'role', 'specific exit codes'],
  commands.map((row) => [`\`${usageOf(row)}\``, `${row.summary}.`, changeOf(row), roleOf(row) ?? 'none', exitsOf(row)]),
)}

## Shell completion
\`\`\`sh
npx ${programName} completion bash > ~/.${programName}.bash   # or zsh, or fish
\`\`\`

Your shell completes commands, options and their values if it loads this file at its start: \`~/.bashrc\` or
\`~/.config/fish/config.fish\` has the line \`source ~/.${programName}.bash\` (or \`.fish\`), and \`~/.zshrc\` has it behind
\`compinit\`. Write the file again after an update. It completes the name \`${programName}\`; if that is not on your
\`PATH\`, add \`${programName}() { npx ${programName} "$@"; }\` to the same file, in fish
\`alias ${programName} 'npx ${programName}'\`.

## Roles
Where the configuration of a stage has \`operators\`, its stack has these roles: \`${roleNameOf('<stage>', 'reader')}\` for all
commands that change nothing, including dry runs and \`company sync --check\`, \`${roleNameOf('<stage>', 'operator')}\` for everything but \`owner
erase\`, and, if the configuration names \`privacyPrincipals\`, \`${roleNameOf('<stage>', 'privacy')}\` for that alone, including its dry run. A
command without a role works without AWS. The roles are derived from the needs of the commands; they allow exactly this:

${tableOf(['on', ...roles], permissionRows(commands))}

Writes (ConditionCheckItem, DeleteItem, PutItem, UpdateItem) are allowed within a transaction only, but for RestoredTables:
those are the tables \`<stack>-restored-…\` that a restore creates, and DynamoDB fills them with the permissions of the caller. On
AuditLog, every change and every deletion of a row is denied, whatever else is attached to a role; only privacy may change
\`${erasedAuditAttributes.join('`, `')}\` there, which may mention an owner.

## Exit codes
These apply unless the command has specific ones above:

${tableOf(
  ['code', 'name', 'meaning'],
  Object.entries(exitCodes).map(([name, { code, meaning }]) => [String(code), name, meaning]),
)}
`;

const changeOf = ({ changes, confirmedBy }: AnyCommand): string => {
  if (!changes) return '';
  return confirmedBy ? 'yes, after confirmation' : 'yes';
};

const permissionRows = (commands: readonly AnyCommand[]): string[][] => {
  const ofRole = roles.map((role) => actionsByResource(role, commands));
  const resources = [...new Set(ofRole.flatMap((actions) => [...actions.keys()]))].sort();
  return resources.map((resource) => [resource, ...ofRole.map((actions) => (actions.get(resource) ?? []).join(', '))]);
};

/** Returns the actions of a role by resource: `Contracts` → `GetItem`, …. Actions of other services keep their prefix. */
const actionsByResource = (role: Role, commands: readonly AnyCommand[]): Map<string, readonly string[]> => {
  const { tableActions, queueActions, serviceActions } = permissionsOfRole(role, commands);
  return new Map([
    ...Object.entries(tableActions),
    ...Object.entries(queueActions).map(([queue, actions]) => [`queue ${queue}`, actions] as const),
    ...Map.groupBy(serviceActions, (action) => serviceResources[action]),
  ]);
};

const serviceResources: Readonly<Record<ServiceAction, string>> = {
  'apigateway:GET': 'the API',
  'cloudformation:DescribeStacks': 'the stack',
  'cloudformation:ListStackResources': 'the stack',
  'cloudwatch:GetMetricData': 'metrics of the account',
  'events:DescribeEventBus': 'the bus of the portal',
  'events:PutEvents': 'the bus of the portal',
  'kms:GenerateMac': 'the key of pseudonyms',
  'lambda:GetAccountSettings': 'the account',
  'lambda:GetEventSourceMapping': 'event source mappings of the consumers',
  'logs:GetQueryResults': 'queries of logs',
  'logs:StartQuery': 'the log of requests',
  'wafv2:GetIPSet': 'the IP sets',
  'wafv2:UpdateIPSet': 'the IP sets',
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
