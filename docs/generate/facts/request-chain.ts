import { chain } from '../../../lambdas/api/chain/chain.ts';
import type { Requirements } from '../../../lambdas/api/endpoints/endpoint.ts';
import { problems } from '../../../lambdas/api/problems.ts';
import { mermaid, node } from './mermaid.ts';

type ChainStep = Partial<Requirements> & { readonly name: string; readonly appliesTo?: object };

/** The way of a request: the steps in order, with the statuses of their refusals, and the store calls between them. */
export const chainDiagram = (): string => {
  const groups = groupsOf(chain);
  const nodes = [
    node('gateway', ['API Gateway', 'resource policy: 403', 'route: 404', 'throttle: 429']),
    ...groups.map((group, index) => node(`group${index}`, group.map(textOf))),
    node('handler', ['handler of the operation']),
  ];
  return mermaid([
    'flowchart TB',
    '  partner(["request of a partner"]) --> gateway',
    ...nodes.map((each) => `  ${each}`),
    `  ${['gateway', ...groups.map((_, index) => `group${index}`), 'handler'].join(' --> ')}`,
    ...groups.flatMap((group, index) => storeCallsOf(group).map((call) => `  group${index} -. "${call}" .-> store`)),
    '  handler -. "its own calls" .-> store',
    '  store[("DynamoDB")]',
  ]);
};

/** Neighbours that do not call the store share a node; a step that does has one of its own. */
const groupsOf = (steps: readonly ChainStep[]): ChainStep[][] => {
  const groups: ChainStep[][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (last && !callsStore(step) && !last.some(callsStore)) last.push(step);
    else groups.push([step]);
  }
  return groups;
};

/** Whether the step itself calls the store. A step for a preloaded item needs the grant, but others have read the item. */
const callsStore = ({ tableActions, appliesTo = {} }: ChainStep): boolean =>
  tableActions !== undefined && !('preloads' in appliesTo);

/** `pathIds` → `path ids: 400`. */
const textOf = ({ name, problems: codes = [] }: ChainStep): string => {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const statuses = [...new Set(codes.map((code) => problems[code].status))].sort();
  return statuses.length > 0 ? `${words}: ${statuses.join(', ')}` : words;
};

const storeCallsOf = (group: readonly ChainStep[]): string[] => {
  const actions = group
    .filter(callsStore)
    .flatMap(({ tableActions = {} }) => Object.values<readonly string[]>(tableActions).flat());
  return [...new Set(actions)];
};
