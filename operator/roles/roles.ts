import { stackNameOf } from '../../config/stack-name.ts';
import { connecting, isChange, needsAws, type Requirements, type ServiceAction } from './requirements.ts';

/** The roles of operators: the reader can do all that changes nothing, the operator all. */
export const roles = ['reader', 'operator'] as const;

export type Role = (typeof roles)[number];

/** What counts of a command here. */
type Command = { readonly changes: boolean; readonly requirements: Requirements };

/** The name of a role, which a profile of the AWS configuration files refers to. */
export const roleNameOf = (stage: string, role: Role): string => `${stackNameOf(stage)}-${role}`;

/** The role that a command takes, as long as it is no dry run; undefined if it works without AWS. */
export const roleOf = ({ changes, requirements }: Command): Role | undefined => {
  if (!needsAws(requirements)) return undefined;
  return changes ? 'operator' : 'reader';
};

/** What a role may do: its actions by table or index and by queue, and those of other services. Each stands there once. */
export type Permissions = {
  readonly tableActions: ActionsByTarget;
  readonly queueActions: ActionsByTarget;
  readonly serviceActions: readonly ServiceAction[];
};

type ActionsByTarget = Readonly<Record<string, readonly string[]>>;

/** All that one command needs. */
export const permissionsOf = ({ requirements }: Command): Permissions =>
  needsAws(requirements) ? union([connecting, requirements]) : union([]);

/** What the commands need together; of a reader, without what belongs to changes, so that dry runs work. */
export const permissionsOfRole = (role: Role, commands: readonly Command[]): Permissions => {
  const all = union(commands.map(permissionsOf));
  if (role === 'operator') return all;
  return {
    tableActions: readsIn(all.tableActions),
    queueActions: readsIn(all.queueActions),
    serviceActions: all.serviceActions.filter((action) => !isChange(action)),
  };
};

const readsIn = (byTarget: ActionsByTarget): ActionsByTarget =>
  Object.fromEntries(
    Object.entries(byTarget)
      .map(([target, actions]) => [target, actions.filter((action) => !isChange(action))] as const)
      .filter(([, actions]) => actions.length > 0),
  );

const union = (parts: readonly Requirements[]): Permissions => ({
  tableActions: unionByTarget(parts.map(({ tableActions }) => tableActions)),
  queueActions: unionByTarget(parts.map(({ queueActions = {} }) => queueActions)),
  serviceActions: sorted(parts.flatMap(({ serviceActions = [] }) => serviceActions)),
});

/** In the order of the alphabet, so that another order of commands makes no other template. */
const unionByTarget = (parts: readonly Readonly<Partial<Record<string, readonly string[]>>>[]): ActionsByTarget => {
  const byTarget: Record<string, string[]> = {};
  for (const [target, actions = []] of parts.flatMap((part) => Object.entries(part)))
    byTarget[target] = sorted([...(byTarget[target] ?? []), ...actions]);
  return Object.fromEntries(sorted(Object.keys(byTarget)).map((key) => [key, byTarget[key] ?? []]));
};

const sorted = <Text extends string>(values: readonly Text[]): Text[] => [...new Set(values)].sort();
