import { stages } from '../../../lambdas/api/chain.ts';
import type { Requirements } from '../../../lambdas/api/endpoints/endpoint.ts';
import { problems } from '../../../lambdas/api/problems.ts';
import { mermaid, node } from './mermaid.ts';

type Part = Partial<Requirements>;

/** The way of a request: the stages in order, with the statuses of their refusals, and the store calls of those that make some. */
export const chainDiagram = (): string => {
  const ways = Object.entries<Readonly<Record<string, Part>>>(stages);
  const names = ways.map(([name]) => name);
  return mermaid([
    'flowchart TB',
    '  partner(["request of a partner"]) --> gateway',
    `  ${node('gateway', ['API Gateway', 'resource policy: 403', 'route: 404', 'throttle: 429'])}`,
    ...ways.map(([name, parts]) => `  ${node(name, linesOf(name, parts))}`),
    `  ${node('handler', ['handler of the operation'])}`,
    `  ${['gateway', ...names, 'handler'].join(' --> ')}`,
    ...ways.flatMap(([name, parts]) => storeCallsOf(parts).map((call) => `  ${name} -. "${call}" .-> store`)),
    '  handler -. "its own calls" .-> store',
    '  store[("DynamoDB")]',
  ]);
};

/** The stage with its refusals of every endpoint, and below it those that only some endpoints know. */
const linesOf = (name: string, { everyEndpoint = {}, ...others }: Readonly<Record<string, Part>>): string[] => [
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
