import { isDeepStrictEqual } from 'node:util';
import type { ResourceChange } from '@aws-sdk/client-cloudformation';
import type { Resource, Template } from '../assembly.ts';

/**
 * Returns a change set as a table: new resources counted by type, then a line for each existing resource. Replacements and
 * deletions come last, where they are noticed.
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

const changedProperties = ({ Details = [] }: ResourceChange): string =>
  [...new Set(Details.flatMap(({ Target }) => Target?.Name ?? []))].join(', ');

/** A change set, with the templates before and after it. */
export type Plan = {
  readonly changes: readonly ResourceChange[];
  /** Without resources if the stack does not exist yet. */
  readonly deployed: Template;
  readonly next: Template;
};

/** Returns whether CloudFormation keeps a resource that leaves the stack. Such resources hold data that exists nowhere else. */
export const isRetained = ({ DeletionPolicy = '' }: Resource): boolean => DeletionPolicy.startsWith('Retain');

/**
 * Returns whether existing functions change only in their settings. Settings have to apply to all requests at the same moment:
 * with another version of the terms, a gradual deployment would refuse a tenth of the requests and serve the others.
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
 * Returns the policy of the stack: whichever program deploys, CloudFormation neither replaces nor deletes a resource that holds
 * data. To do so on purpose, update the stack with a policy that allows it for that update only.
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
