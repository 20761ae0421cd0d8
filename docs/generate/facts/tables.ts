import { type Consumer, consumers, type Job, jobs } from '../../../lambdas/api/background-functions.ts';
import { stages } from '../../../lambdas/api/chain.ts';
import type { Endpoint, Requirements } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import { type Table, type TableActions, tables } from '../../../lambdas/api/tables.ts';
import { mermaid, node } from './mermaid.ts';

/** The parts of the stages, of which some use no table. */
const parts = Object.values<Readonly<Record<string, Partial<Requirements>>>>(stages).flatMap((stage) =>
  Object.values(stage),
);

/** The tables with their keys, and who of the service reads and writes them. */
export const tableDiagram = (): string => {
  const callers = Object.entries({
    chain: { text: 'chain of every request', uses: parts },
    handlers: { text: 'handlers', uses: Object.values<Endpoint>(endpoints) },
    jobs: { text: 'daily jobs', uses: Object.values<Job>(jobs) },
    consumers: { text: 'consumers of queues', uses: Object.values<Consumer>(consumers) },
  });
  return mermaid([
    'flowchart LR',
    ...callers.map(([id, { text }]) => `  ${node(id, [text])}`),
    ...Object.entries<Table>(tables).map(([name, table]) => `  ${node(name, [name, ...linesOf(table)])}`),
    ...callers.flatMap(([id, { uses }]) =>
      accessesOf(uses).map(([table, access]) => `  ${id} -- ${access} --> ${table}`),
    ),
  ]);
};

const linesOf = ({
  partitionKey,
  sortKey,
  indexes = {},
  timeToLiveAttribute,
  isDisposable,
  stream,
}: Table): string[] => [
  [partitionKey, sortKey].filter((key) => key !== undefined).join(', '),
  ...Object.keys(indexes).map((index) => `index ${index}`),
  ...(timeToLiveAttribute ? [isDisposable ? 'rows expire' : 'some rows expire'] : []),
  ...(stream ? ['has a stream'] : []),
];

/** Each table that is used, with `read`, `write` or both. A condition is a read. */
const accessesOf = (uses: readonly { readonly tableActions?: TableActions }[]): [string, string][] => {
  const accesses = new Map<string, Set<string>>();
  for (const [target, actions] of uses.flatMap(({ tableActions = {} }) => Object.entries(tableActions))) {
    const [table = ''] = target.split('/');
    const known = accesses.get(table) ?? new Set();
    for (const action of actions) known.add(/^(Put|Update|Delete)/.test(action) ? 'write' : 'read');
    accesses.set(table, known);
  }
  return [...accesses].map(([table, access]) => [table, [...access].sort().join(' and ')]);
};
