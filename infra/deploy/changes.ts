import { isDeepStrictEqual } from 'node:util';
import type { ResourceChange } from '@aws-sdk/client-cloudformation';

/**
 * What a change set does: what is new, counted by type, then a line for each resource that is there already. Replacements
 * and deletions come last, where they are seen.
 */
export const changeTable = (changes: readonly ResourceChange[]): string => {
  const added = Map.groupBy(
    changes.filter(({ Action }) => Action === 'Add'),
    ({ ResourceType }) => ResourceType ?? '',
  );
  const rows = [
    ...[...added].sort().map(([type, ofType]) => ['add', type, `${ofType.length}`, '']),
    ...changes
      .filter(({ Action }) => Action !== 'Add')
      .map((change) => [
        wordOf(change),
        change.ResourceType ?? '',
        change.LogicalResourceId ?? '',
        changedProperties(change),
      ])
      .sort(([one = ''], [other = '']) => order.indexOf(one) - order.indexOf(other)),
  ];
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = [0, 1, 2].map(widthOf);
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
};

const order = ['change', 'may replace', 'replace', 'delete'];

const wordOf = ({ Action, Replacement }: ResourceChange): string => {
  if (Action === 'Remove') return 'delete';
  if (Replacement === 'True') return 'replace';
  return Replacement === 'Conditional' ? 'may replace' : 'change';
};

/** The properties that change. */
const changedProperties = ({ Details = [] }: ResourceChange): string =>
  [...new Set(Details.flatMap(({ Target }) => Target?.Name ?? []))].join(', ');

/** A change set, and the templates that it goes from and to. */
export type Plan = {
  readonly changes: readonly ResourceChange[];
  /** Without resources, if the stack is not there yet. */
  readonly deployed: Template;
  readonly next: Template;
};

/**
 * Returns why changes are refused: they would lose data, or CloudFormation would break off halfway. A change
 * that may turn out to be a replacement counts as one.
 */
export const refusedChanges = (plan: Plan): string[] => [
  ...plan.changes.flatMap((change) =>
    [lossOfData(plan, change), namedReplacement(plan, change), lossOfAddresses(plan, change)].filter(isString),
  ),
  ...severalIndexes(plan),
  ...unfilledIpSets(plan),
];

const isString = (value: string | undefined): value is string => value !== undefined;

/** Resources that are kept after the stack hold data that exists nowhere else. */
export const isRetained = ({ DeletionPolicy = '' }: Resource): boolean => DeletionPolicy.startsWith('Retain');

const isReplacement = ({ Replacement }: ResourceChange) => Replacement === 'True' || Replacement === 'Conditional';

const lossOfData = ({ deployed, next }: Plan, change: ResourceChange): string | undefined => {
  const { LogicalResourceId: logicalId = '', PhysicalResourceId: name } = change;
  const isKept = [deployed, next].some(({ Resources }) => Resources[logicalId] && isRetained(Resources[logicalId]));
  if (!isKept) return undefined;
  if (change.Action === 'Remove')
    return `${logicalId} (${name}) would leave the stack. It holds data and is kept, but nothing would use it any more. Put it back into the template.`;
  if (!isReplacement(change)) return undefined;
  return `${logicalId} (${name}) would be replaced by an empty one, because of ${causesOf(change)}. Its data would stay behind in the old one. Undo that change; a table with other keys is a new table beside the old one, filled from it.`;
};

/** A replacement is made before the old resource is deleted, and two cannot have one name. */
const namedReplacement = ({ next }: Plan, change: ResourceChange): string | undefined => {
  const { LogicalResourceId: logicalId = '', PhysicalResourceId: name } = change;
  if (change.Action !== 'Modify' || change.Replacement !== 'True') return undefined;
  const isNamed = Object.values(next.Resources[logicalId]?.Properties ?? {}).includes(name);
  if (!isNamed) return undefined;
  return `${logicalId} has the fixed name ${name} and would have to be replaced, because of ${causesOf(change)}. CloudFormation refuses that in the middle of an update. Give it another name together with the change, or undo the change.`;
};

const causesOf = ({ Details = [] }: ResourceChange): string => {
  const causes = Details.filter(({ Target }) => Target?.RequiresRecreation !== 'Never').map(
    ({ Target }) => Target?.Name,
  );
  return [...new Set(causes)].join(', ') || 'its type';
};

const ipSetsIn = ({ Resources }: Template) =>
  Object.values(Resources).filter(({ Type }) => Type === 'AWS::WAFv2::IPSet');

/** Operators write what IP sets hold; CloudFormation would put the template's addresses in its place. */
const lossOfAddresses = ({ next }: Plan, change: ResourceChange): string | undefined => {
  const { Action, ResourceType, LogicalResourceId: logicalId } = change;
  if (ResourceType !== 'AWS::WAFv2::IPSet' || Action === 'Add') return undefined;
  // They all go when the resource policy has the allowlist again.
  if (Action === 'Remove' && ipSetsIn(next).length === 0) return undefined;
  return `${logicalId} holds addresses that operators have let in, and a deployment must not write it: AWS WAF would refuse them at once. Undo the change of the IP sets.`;
};

/** The policy opens only to a web ACL whose IP sets could be filled before. */
const unfilledIpSets = ({ deployed, next }: Plan): string[] => {
  const isThere = Object.keys(deployed.Resources).length > 0;
  if (!isThere || !isLeftToWaf(next) || ipSetsIn(deployed).length > 0) return [];
  return [
    'AWS WAF would get the allowlist with IP sets that are still empty, and refuse every partner. Deploy with "allowlist": "prepare-waf" first, fill them with company sync, then deploy this: docs/allowlist.md.',
  ];
};

type Statement = { readonly Effect: string; readonly Condition?: object };

const isLeftToWaf = ({ Resources }: Template): boolean =>
  Object.values(Resources).some(({ Type, Properties }) => {
    if (Type !== 'AWS::ApiGateway::RestApi') return false;
    const { Statement = [] } = (Properties?.Policy ?? {}) as { readonly Statement?: readonly Statement[] };
    return Statement.some(({ Effect, Condition }) => Effect === 'Allow' && !Condition);
  });

type Index = { readonly IndexName: string };

/** DynamoDB makes or deletes one global index of a table at a time. */
const severalIndexes = ({ deployed, next }: Plan): string[] =>
  Object.entries(next.Resources).flatMap(([logicalId, { Properties }]) => {
    const old = deployed.Resources[logicalId];
    if (!old) return [];
    const [before, after] = [indexesOf(old.Properties), indexesOf(Properties)];
    const changed = [...before.keys(), ...after.keys()].filter((name) => before.get(name) !== after.get(name));
    if (changed.length <= 1) return [];
    return `${logicalId} would change several indexes (${[...new Set(changed)].join(', ')}), and DynamoDB changes one in an update. Deploy them one after the other.`;
  });

const indexesOf = (properties: Resource['Properties']): Map<string, string> =>
  new Map(
    ((properties?.GlobalSecondaryIndexes ?? []) as Index[]).map((index) => [index.IndexName, JSON.stringify(index)]),
  );

/**
 * Whether functions that are there change in nothing but their settings. These have to hold for all requests from one moment
 * on: by another version of the terms, a tenth of them would be refused and the others not.
 */
export const changesSettingsAlone = ({ deployed, next }: Omit<Plan, 'changes'>): boolean => {
  const changed = Object.entries(next.Resources).flatMap(([logicalId, { Type, Properties = {} }]) => {
    const before = Type === 'AWS::Lambda::Function' && deployed.Resources[logicalId]?.Properties;
    return before && !isDeepStrictEqual(before, Properties) ? [{ before, after: Properties }] : [];
  });
  return (
    changed.length > 0 &&
    changed.every(({ before, after }) => isDeepStrictEqual(withoutSettings(before), withoutSettings(after)))
  );
};

const withoutSettings = ({ Environment: _, ...others }: NonNullable<Resource['Properties']>) => others;

/**
 * The policy that the stack itself has: whoever deploys by whatever program, CloudFormation neither replaces nor deletes
 * what holds data. To do so on purpose, update the stack with a policy that allows it for that update only.
 */
export const stackPolicyOf = ({ Resources }: Template): string => {
  const retained = Object.keys(Resources)
    .filter((logicalId) => Resources[logicalId] && isRetained(Resources[logicalId]))
    .sort()
    .map((logicalId) => `LogicalResourceId/${logicalId}`);
  const everything = { Effect: 'Allow', Principal: '*', Action: 'Update:*', Resource: '*' };
  const protection = {
    Effect: 'Deny',
    Principal: '*',
    Action: ['Update:Replace', 'Update:Delete'],
    Resource: retained,
  };
  return JSON.stringify({ Statement: retained.length > 0 ? [everything, protection] : [everything] });
};

export type Resource = {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
};

/** What the program reads of a synthesized template. */
export type Template = { readonly Resources: Readonly<Record<string, Resource>> };
