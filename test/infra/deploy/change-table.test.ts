import type { ResourceChange } from '@aws-sdk/client-cloudformation';
import { expect, test } from 'vitest';
import { changeTable } from '../../../infra/deploy/change-table.ts';

test('counts what is new, and names the rest: replacements and deletions last', () => {
  const changes: ResourceChange[] = [
    { Action: 'Remove', LogicalResourceId: 'Table', ResourceType: 'T' },
    { Action: 'Add', LogicalResourceId: 'One', ResourceType: 'N' },
    {
      Action: 'Modify',
      LogicalResourceId: 'Deployment',
      Replacement: 'True',
      ResourceType: 'D',
      Details: [{ Target: { Name: 'Type' } }, { Target: { Name: 'Type' } }],
    },
    { Action: 'Modify', LogicalResourceId: 'Alarm', Replacement: 'False', ResourceType: 'A' },
    { Action: 'Add', LogicalResourceId: 'Other', ResourceType: 'N' },
  ];
  expect(changeTable(changes).split('\n')).toEqual([
    'add      N  2',
    'change   A  Alarm',
    'replace  D  Deployment  Type',
    'delete   T  Table',
  ]);
});
