import type { ResourceChange } from '@aws-sdk/client-cloudformation';
import { expect, test } from 'vitest';
import { changeTable } from '../../../infra/deploy/change-table.ts';

test('the table of changes shows replacements and deletions last', () => {
  const changes: ResourceChange[] = [
    { Action: 'Remove', LogicalResourceId: 'Table', ResourceType: 'T' },
    {
      Action: 'Modify',
      LogicalResourceId: 'Unnamed',
      Replacement: 'True',
      ResourceType: 'D',
      Details: [{ Target: { Name: 'Type' } }, { Target: { Name: 'Type' } }],
    },
    { Action: 'Add', LogicalResourceId: 'New', ResourceType: 'N' },
  ];
  expect(changeTable(changes).split('\n')).toEqual([
    'add      New      N',
    'replace  Unnamed  D  Type',
    'delete   Table    T',
  ]);
});
