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
\`npm start\` (if \`npm start\` has a \`--directory\`, add the same option). The configuration of the stage names its account and
region; those of a trial are outputs of its stack. The credentials must belong to this account; use \`--profile\` if the
environment has no credentials. A trial has no roles: its commands run with the credentials that deployed it. \`-o json\` is for
scripts; \`--help\` explains each argument.

A command that changes something requires \`--reason <text>\`, which the audit log keeps. With \`--dry-run\`, the command only
shows what would change, and needs no reason. A command with a confirmation requires you to type a name, or \`--yes\`.

Ids may begin with a hyphen. Write such an id last, after \`--\` (\`gateway show -- -gw1\`), and write it after an
equals sign if it is the value of an option (\`--user=-owner1\`). On a terminal, refusals, warnings and levels have colours; the
variable \`NO_COLOR\` turns them off.

${tableOf(
  ['command', 'what it does', 'changes', 'role', 'specific exit codes'],
  commands.map((row) => [`\`${usageOf(row)}\``, `${row.summary}.`, changeOf(row), roleOf(row) ?? 'none', exitsOf(row)]),
)}

## Shell completion
\`\`\`sh
npx ${programName} completion bash > ~/.${programName}.bash
\`\`\`

For zsh or fish, write its name in place of \`bash\`. Your shell completes commands, options and their values if it loads this file at startup. Add the line
\`source ~/.${programName}.bash\` (or \`.fish\`) to \`~/.bashrc\` or \`~/.config/fish/config.fish\`. In \`~/.zshrc\`, add it
after \`compinit\`. Write the file again after an update. The completion is for the name \`${programName}\`. If this name is
not on your \`PATH\`, add \`${programName}() { npx ${programName} "$@"; }\` to the same file, or in fish
\`alias ${programName} 'npx ${programName}'\`.

## Roles
If the configuration of a stage has \`operators\`, its stack has these roles:

- \`${roleNameOf('<stage>', 'reader')}\` for all commands that change nothing, including dry runs and \`company sync --check\`;
- \`${roleNameOf('<stage>', 'operator')}\` for all commands except \`owner erase\`;
- \`${roleNameOf('<stage>', 'privacy')}\` for \`owner erase\` only, including its dry run, if the configuration has
  \`privacyPrincipals\`.

A command without a role does not use AWS. The roles are derived from the needs of the commands, and allow exactly these
actions:

${tableOf(['on', ...roles], permissionRows(commands))}

Writes (ConditionCheckItem, DeleteItem, PutItem, UpdateItem) are allowed only within a transaction. RestoredTables is an
exception: a restore creates these tables (\`<stack>-restored-…\`), and DynamoDB fills them with the permissions of the caller.
For AuditLog, every change and every deletion of a row is denied, regardless of other policies of a role. Only privacy may
change the attributes \`${erasedAuditAttributes.join('`, `')}\`, which may mention an owner.

## Exit codes
These codes apply unless the table above has a specific code for the command:

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
  'logs:StartQuery': 'the logs of requests, of API Gateway and of consumers',
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
