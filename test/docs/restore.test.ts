import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { retainedTables, type Table, type TableName, tables } from '../../lambdas/api/tables.ts';
import { programName } from '../../operator/cli/program.ts';
import type { Connection } from '../../operator/connection/connection.ts';
import { findRestoredTables } from '../../operator/restore/restored-tables.ts';
import { copiedTables } from '../../operator/restore/table-copy.ts';
import { operatorFault } from '../support/operator.ts';

const page = readFileSync('docs/restore.md', 'utf8');
const runbooks = readFileSync('docs/runbooks/README.md', 'utf8');
const commands = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, lines = '']) => lines).join('\n');

test('exactly the tables with history have a rule for their copy', () => {
  expect([...copiedTables].sort()).toEqual([...retainedTables].sort());
});

/** Returns the name of a restored table in the page's example. */
const nameOfRestored = async (table: TableName) => {
  const store = { send: async () => ({ Table: { TableStatus: 'ACTIVE' } }) };
  const connection = { store, stackName: '$stack' } as unknown as Connection;
  const found = await findRestoredTables(connection, Date.parse('2026-11-21T20:15:00Z'));
  return found.find((each) => each.table === table)?.restoredTable ?? '';
};

describe('docs/restore.md', () => {
  test('contains command lines that the operator’s program accepts', () => {
    const lines = [...commands.matchAll(new RegExp(`npx ${programName} (.+)$`, 'gm'))].map(([, line = '']) => line);
    expect(lines.length).toBeGreaterThan(8);
    for (const line of lines) expect(operatorFault(line), line).toBeUndefined();
  });

  test('uses one time to the second throughout, also in the names of tables', async () => {
    expect(new Set(commands.match(/--to \S+/g))).toEqual(new Set(['--to 2026-11-21T20:15:00Z']));
    const named = await nameOfRestored('ApiKeys');
    expect(commands).toContain(`--target-table-name "${named}"`);
    expect(commands).toContain(named.replace('ApiKeys', '$each'));
    for (const table of retainedTables)
      expect(commands).toMatch(new RegExp(`for each in .*\\b${table}\\b.*delete-table`));
  });

  test('names each table in the overview of what is kept', () => {
    const [, kept = '', , disposable = ''] =
      page.match(/^\| (`ApiKeys`.*?) \|[\s\S]*?^\| (One of .*?) \|[\s\S]*?^\| (`TokenBuckets`.*?) \|/m) ?? [];
    const namesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort();
    expect(namesIn(kept)).toEqual([...retainedTables].sort());
    const others = (Object.keys(tables) as TableName[]).filter(
      (table) => !(retainedTables as readonly string[]).includes(table),
    );
    expect(namesIn(disposable)).toEqual(others.sort());
  });

  test('names the tables with history that have a TTL or a stream, which a restored table lacks', () => {
    const [, withTtl = '', withStream = ''] =
      /^ *(.*) have a TTL as well, and (.*) a stream\./m.exec(page.replaceAll(/\n +/g, ' ')) ?? [];
    const namesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    const having = (setting: keyof Table) => retainedTables.filter((table) => (tables[table] as Table)[setting]);
    expect(namesIn(withTtl.split('```').at(-1) ?? '').toSorted()).toEqual(having('timeToLiveAttribute').toSorted());
    expect(namesIn(withStream).toSorted()).toEqual(having('stream').toSorted());
  });

  test('names the tables without history in the instructions for an empty table', () => {
    const [, names = ''] = /^A table without history \((.*)\) has no backup/m.exec(page) ?? [];
    const disposable = (Object.keys(tables) as TableName[]).filter(
      (table) => !(retainedTables as readonly string[]).includes(table),
    );
    expect([...names.matchAll(/`(\w+)`/g)].map(([, name]) => name).toSorted()).toEqual(disposable.toSorted());
  });

  test('uses the functions of the runbooks', () => {
    for (const name of ['deployed', 'table']) expect(runbooks).toContain(`\n${name}() {`);
  });
});

test('no page states the number of tables with history, which a new one would make wrong', () => {
  const number = /\b(?:two|three|four|five|six|seven|eight|nine|ten) tables\b|\ball (?:four|five|six|seven|eight)\b/i;
  const pages = ['restore', 'region-loss', 'first-deploy', 'take-away'].map((name) => `docs/${name}.md`);
  expect(pages.filter((file) => number.test(readFileSync(file, 'utf8')))).toEqual([]);
});

describe('docs/region-loss.md', () => {
  const text = readFileSync('docs/region-loss.md', 'utf8');

  test('exports every table with history, and imports each of them with its keys', () => {
    for (const table of retainedTables) {
      const { partitionKey, sortKey }: Table = tables[table];
      expect(text).toMatch(new RegExp(`for each in .*\\b${table}\\b`));
      expect(text).toMatch(
        new RegExp(`import ${[table, partitionKey, ...(sortKey ? [sortKey] : [])].join(' ')}[;\\n]`),
      );
    }
  });

  test('imports under the names that the copy reads', async () => {
    const name = await nameOfRestored('ApiKeys');
    expect(text).toContain('TableName=$stack-restored-$1-$(echo "$second" | tr -d \':-\')');
    expect(name).toBe(`$stack-restored-ApiKeys-${'2026-11-21T20:15:00Z'.replaceAll(/[:-]/g, '')}`);
  });
});
