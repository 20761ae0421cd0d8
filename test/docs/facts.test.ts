import { describe, expect, test } from 'vitest';
import { chainDiagram } from '../../docs/generate/facts/request-chain.ts';
import { tableDiagram } from '../../docs/generate/facts/tables.ts';
import { chain } from '../../lambdas/api/chain/chain.ts';
import { type Table, tables } from '../../lambdas/api/tables.ts';

describe('the picture of a request’s way', () => {
  test('has every step once, in the order of the chain', () => {
    const words = chain.map(({ name }) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
    const texts = [...chainDiagram().matchAll(/group\d+\["(.+)"\]/g)].flatMap(([, text = '']) => text.split('<br/>'));
    expect(texts.map((text) => text.split(':')[0])).toEqual(words);
  });

  test('has the statuses of a step’s refusals, and the store calls of those that make some', () => {
    expect(chainDiagram()).toContain('source address: 403');
    expect(chainDiagram().match(/-\. "(\w+)" \.->/g)).toEqual([
      '-. "GetItem" .->',
      '-. "UpdateItem" .->',
      '-. "BatchGetItem" .->',
      '-. "GetItem" .->',
      '-. "UpdateItem" .->',
      '-. "UpdateItem" .->',
    ]);
  });
});

test('the picture of the tables has each with its keys, and says who reads and writes it', () => {
  for (const [name, { partitionKey }] of Object.entries<Table>(tables))
    expect(tableDiagram()).toContain(`${name}["${name}<br/>${partitionKey}`);
  expect(tableDiagram()).toContain('handlers -- write --> AuditLog');
  expect(tableDiagram()).toContain('jobs -- read --> ApiKeys');
});
