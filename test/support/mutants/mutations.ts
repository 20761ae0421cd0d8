import { tables } from '../../../lambdas/api/tables.ts';
import { changesOf } from './condition.ts';

// biome-ignore lint/suspicious/noExplicitAny: commands are looked at from outside, whatever their kind.
type Input = Record<string, any>;

/** A guard of a command that can be taken away or made wrong: a condition, the consistency of a read, the client token. */
export type Mutation = {
  readonly guard: string;
  readonly change: string;
  readonly apply: (input: Input) => Input;
};

/** What is done to reads; DynamoDB Local answers the same either way. */
export const inconsistent = 'not strongly consistent';

export const mutationsOf = (commandName: string, input: Input): Mutation[] => {
  const action = commandName.replace(/Command$/, '');
  if (action === 'TransactWrite') return ofTransaction(input);
  if (action === 'BatchGet')
    return Object.entries<Input>(input.RequestItems).flatMap(([table, read]) =>
      ofRead(read, () => `${action} ${tableOf(table)}`).map((mutation) => within(mutation, 'RequestItems', table)),
    );
  return [...ofRead(input, () => guardOf(action, input)), ...ofWrite(action, input)];
};

const ofTransaction = (input: Input): Mutation[] => [
  ...Object.entries<Input>(input.TransactItems).flatMap(([index, item]) =>
    Object.entries<Input>(item).flatMap(([action, write]) =>
      ofWrite(action, write).map((mutation) => within(mutation, 'TransactItems', index, action)),
    ),
  ),
  ...(input.ClientRequestToken
    ? [{ guard: 'transaction', change: 'without its client token', apply: without('ClientRequestToken') }]
    : []),
];

/** The same mutation of a command that holds what is changed under those members. */
const within = (mutation: Mutation, ...path: string[]): Mutation => {
  const applyAt = (input: Input, [member, ...rest]: string[]): Input => {
    if (member === undefined) return mutation.apply(input);
    const changed = applyAt(input[member], rest);
    return Array.isArray(input) ? input.with(Number(member), changed) : { ...input, [member]: changed };
  };
  return { ...mutation, apply: (input) => applyAt(input, path) };
};

const ofRead = ({ ConsistentRead }: Input, guard: () => string): Mutation[] =>
  ConsistentRead ? [{ guard: guard(), change: inconsistent, apply: without('ConsistentRead') }] : [];

const ofWrite = (action: string, write: Input): Mutation[] =>
  write.ConditionExpression
    ? changesOf(write.ConditionExpression).map(({ change, text }) => ({
        guard: guardOf(action, write),
        change: readable(change, write.ExpressionAttributeNames),
        // A check has to have a condition: one that always holds.
        apply: (input) => withCondition(input, text ?? (action === 'ConditionCheck' ? alwaysTrue : undefined)),
      }))
    : [];

const guardOf = (action: string, input: Input): string =>
  `${action} ${tableOf(input.TableName)} ${kindOf(input)}`.trim();

const alwaysTrue = 'attribute_exists(sk) OR attribute_not_exists(sk)';

const without =
  (name: string) =>
  ({ [name]: _, ...rest }: Input): Input =>
    rest;

/** DynamoDB refuses names and values that no expression uses. */
const withCondition = (write: Input, text: string | undefined): Input => {
  const changed = without('ConditionExpression')(write);
  if (text !== undefined) changed.ConditionExpression = text;
  const used = new Set(`${changed.UpdateExpression} ${text}`.match(/[:#]\w+/g));
  for (const member of ['ExpressionAttributeNames', 'ExpressionAttributeValues']) {
    const left = Object.entries(write[member] ?? {}).filter(([name]) => used.has(name));
    if (left.length > 0) changed[member] = Object.fromEntries(left);
    else delete changed[member];
  }
  return changed;
};

/** Numbered placeholders were made while the program ran: their attributes tell them apart, and their numbers do not. */
const readable = (change: string, names: Readonly<Record<string, string>> = {}): string =>
  change.replace(/#\w+\d/g, (name) => names[name] ?? name).replace(/(:[a-z]+)\d+/gi, '$1');

/** The table without the prefix that a test's own tables have; one that was restored is as good. */
const tableOf = (name: string): string => {
  const table = Object.keys(tables).find((each) => name.endsWith(each) || name.includes(`-restored-${each}-`));
  return table ?? name;
};

/** What the sort key begins with, where a table holds several kinds of items. */
const kindOf = ({ Key, Item, ExpressionAttributeValues = {} }: Input): string => {
  const { ':prefix': prefix } = ExpressionAttributeValues;
  const [kind = ''] = /^[A-Z]+(#|$)/.exec(prefix ?? (Key ?? Item)?.sk) ?? [];
  return prefix === undefined && isShadow.test(kind) ? 'shadow' : kind;
};

/** The same code writes circuits and time programs. */
const isShadow = /^(CIRCUIT|PROGRAM)#$/;
