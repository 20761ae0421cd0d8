import { describe, expect, test } from 'vitest';
import { chainDiagram } from '../../docs/generate/facts/request-chain.ts';
import { tableDiagram } from '../../docs/generate/facts/tables.ts';
import { stages } from '../../lambdas/api/chain.ts';
import { type Table, tables } from '../../lambdas/api/tables.ts';

describe('the picture of a request’s way', () => {
  test('has every stage once, in the order of the chain', () => {
    const nodes = [...chainDiagram().matchAll(/^ {2}(\w+)\["/gm)].map(([, name]) => name);
    expect(nodes).toEqual(['gateway', ...Object.keys(stages), 'handler']);
    expect(chainDiagram()).toContain(`gateway --> ${Object.keys(stages).join(' --> ')} --> handler`);
  });

  test('has the statuses of a stage’s refusals, of every endpoint and of some, and its store calls', () => {
    expect(chainDiagram()).toContain('authentication: 401, 403, 404, 429"]');
    expect(chainDiagram()).toContain('<br/>on behalf of user: 400, 403, 451<br/>');
    expect(chainDiagram().match(/\w+ -\. "(\w+)" \.->/g)).toEqual([
      'authentication -. "GetItem" .->',
      'authentication -. "BatchGetItem" .->',
      'rateLimit -. "UpdateItem" .->',
      'rateLimit -. "GetItem" .->',
      'preloads -. "BatchGetItem" .->',
    ]);
  });
});

test('the picture of the tables has each with its keys, and says who reads and writes it', () => {
  for (const [name, { partitionKey }] of Object.entries<Table>(tables))
    expect(tableDiagram()).toContain(`${name}["${name}<br/>${partitionKey}`);
  expect(tableDiagram()).toContain('handlers -- write --> AuditLog');
  expect(tableDiagram()).toContain('jobs -- read --> ApiKeys');
});
