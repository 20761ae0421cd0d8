import type { ResourceChange } from '@aws-sdk/client-cloudformation';

/** What a change set does, a line for each resource: replacements and deletions last, where they are seen. */
export const changeTable = (changes: readonly ResourceChange[]): string => {
  const rows = changes.map((change) => [
    wordOf(change),
    change.LogicalResourceId,
    change.ResourceType,
    causesOf(change),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => `${row[column]}`.length)));
  return rows
    .toSorted(([one = ''], [other = '']) => order.indexOf(one) - order.indexOf(other))
    .map((row) =>
      row
        .map((cell, column) => `${cell}`.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const order = ['add', 'change', 'may replace', 'replace', 'delete'];

const wordOf = ({ Action, Replacement }: ResourceChange): string => {
  if (Action === 'Add') return 'add';
  if (Action === 'Remove') return 'delete';
  if (Replacement === 'True') return 'replace';
  return Replacement === 'Conditional' ? 'may replace' : 'change';
};

/** The properties that change. */
const causesOf = ({ Details = [] }: ResourceChange): string =>
  [...new Set(Details.flatMap(({ Target }) => Target?.Name ?? []))].join(', ');
