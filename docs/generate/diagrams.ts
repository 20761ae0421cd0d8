import { type Consumer, consumers, type Job, jobs } from '../../lambdas/api/background-functions.ts';
import { stages } from '../../lambdas/api/chain.ts';
import type { Endpoint, Requirements } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { problems } from '../../lambdas/api/problems.ts';
import { type Table, type TableActions, tables } from '../../lambdas/api/tables.ts';

type Part = Partial<Requirements>;

/** Returns the path of a request: the stages in order, with the statuses of their refusals and with their store calls. */
export const chainDiagram = (): string => {
  const ways = Object.entries<Readonly<Record<string, Part>>>(stages);
  const names = ways.map(([name]) => name);
  return mermaid([
    'flowchart TB',
    '  partner(["request of a partner"]) --> gateway',
    `  ${node('gateway', ['API Gateway', 'resource policy: 403', 'route: 404', 'throttle: 429'])}`,
    ...ways.map(([name, parts]) => `  ${node(name, stageLinesOf(name, parts))}`),
    `  ${node('handler', ['handler of the operation'])}`,
    `  ${['gateway', ...names, 'handler'].join(' --> ')}`,
    ...ways.flatMap(([name, parts]) => storeCallsOf(parts).map((call) => `  ${name} -. "${call}" .-> store`)),
    '  handler -. "its own calls" .-> store',
    '  store[("DynamoDB")]',
  ]);
};

/** Returns the stage with the refusals of every endpoint, followed by those of only some endpoints. */
const stageLinesOf = (name: string, { everyEndpoint = {}, ...others }: Readonly<Record<string, Part>>): string[] => [
  textOf(name, everyEndpoint),
  ...Object.entries(others).flatMap(([trait, part]) => (part.problems ? [textOf(trait, part)] : [])),
];

/** `pathIds` → `path ids: 400`. */
const textOf = (name: string, { problems: codes = [] }: Part): string => {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const statuses = [...new Set(codes.map((code) => problems[code].status))].sort();
  return statuses.length > 0 ? `${words}: ${statuses.join(', ')}` : words;
};

const storeCallsOf = (parts: Readonly<Record<string, Part>>): string[] => {
  const actions = Object.values(parts).flatMap(({ tableActions = {} }) =>
    Object.values<readonly string[]>(tableActions).flat(),
  );
  return [...new Set(actions)];
};

/** The parts of the stages. Some use no table. */
const parts = Object.values<Readonly<Record<string, Part>>>(stages).flatMap((stage) => Object.values(stage));

/** Returns the tables with their keys, and the parts of the service that read and write them. */
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

/** Returns each table that is used, with `read`, `write` or both. A condition counts as a read. */
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

/** Returns a diagram that GitHub renders in Markdown. */
const mermaid = (lines: readonly string[]): string => `\`\`\`mermaid\n${lines.join('\n')}\n\`\`\``;

/** Returns a node with one line of text for each entry. */
const node = (id: string, texts: readonly string[]): string => `${id}["${texts.join('<br/>')}"]`;
