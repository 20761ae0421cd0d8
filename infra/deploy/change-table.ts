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
      .map((change) => [wordOf(change), change.ResourceType ?? '', change.LogicalResourceId ?? '', causesOf(change)])
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
const causesOf = ({ Details = [] }: ResourceChange): string =>
  [...new Set(Details.flatMap(({ Target }) => Target?.Name ?? []))].join(', ');
