import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { tables } from '../../../lambdas/api/tables.ts';

// biome-ignore lint/suspicious/noExplicitAny: commands are looked at from outside, whatever their kind.
type Input = Record<string, any>;

/** A guard of a command that a mutant removes or changes: a condition, the consistency of a read, the client token. */
export type Mutation = {
  readonly guard: string;
  readonly change: string;
  readonly apply: (input: Input) => Input;
};

/** The mutation of reads; DynamoDB Local answers the same either way. */
const inconsistent = 'not strongly consistent';

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

/** Returns the same mutation for a command that has the changed input under the members in `path`. */
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
        // A condition check needs a condition: use an always-true condition.
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

/** Replaces the condition, and removes the names and values that no expression uses any more: DynamoDB rejects those. */
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

/** Shows numbered placeholders by their attributes, since their numbers depend on the run. */
const readable = (change: string, names: Readonly<Record<string, string>> = {}): string =>
  change
    .replace(/#\w+\d/g, (name) => (/^\w+$/.test(names[name] ?? '') ? (names[name] ?? name) : name.replace(/\d+$/, '')))
    .replace(/(:[a-z]+)\d+/gi, '$1');

/** Returns the table without the prefix of the test's own tables; a restored table counts as its original. */
const tableOf = (name: string): string => {
  const known = [...Object.keys(tables), 'SimulatedHomes'];
  const table = known.find((each) => name.endsWith(each) || name.includes(`-restored-${each}-`));
  return table ?? name;
};

/** Returns the prefix of the sort key where a table holds several kinds of items. */
const kindOf = ({ Key, Item, ExpressionAttributeValues = {} }: Input): string => {
  const { ':prefix': prefix } = ExpressionAttributeValues;
  const [kind = ''] = /^[A-Z]+(#|$)/.exec(prefix ?? (Key ?? Item)?.sk) ?? [];
  return prefix === undefined && isShadow.test(kind) ? 'shadow' : kind;
};

/** The same code writes circuits, time programs and holidays. */
const isShadow = /^(CIRCUIT#|PROGRAM#|HOLIDAY)$/;

/** A parsed condition of DynamoDB. */
type Condition =
  | { readonly kind: 'clause'; readonly text: string }
  | { readonly kind: 'AND' | 'OR'; readonly parts: readonly Condition[] };

/** A condition weakened or changed in one place, and the description of the change; without text if nothing is left. */
type ChangedCondition = { readonly change: string; readonly text: string | undefined };

/** Returns every condition that differs from this one in one place: a clause is left out or inverted, or all is left out. */
export const changesOf = (text: string): ChangedCondition[] => [
  { change: 'without its condition', text: undefined },
  ...changesWithin(parse(text)).map(({ change, condition }) => ({ change, text: print(condition) })),
];

type Change = { readonly change: string; readonly condition: Condition };

const changesWithin = (condition: Condition): Change[] => {
  if (condition.kind === 'clause') {
    const turned = turn(condition.text);
    return [{ change: `"${condition.text}" as "${turned}"`, condition: { kind: 'clause', text: turned } }];
  }
  const { kind, parts } = condition;
  return parts.flatMap((part, index) => {
    const others = parts.toSpliced(index, 1);
    const [only] = others;
    return [
      { change: `without "${print(part)}"`, condition: others.length === 1 && only ? only : { kind, parts: others } },
      ...changesWithin(part).map(({ change, condition: changed }) => ({
        change,
        condition: { kind, parts: parts.with(index, changed) },
      })),
    ];
  });
};

const opposites: Readonly<Record<string, string>> = {
  '=': '<>',
  '<>': '=',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  attribute_exists: 'attribute_not_exists',
  attribute_not_exists: 'attribute_exists',
};

const turn = (clause: string): string =>
  clause.startsWith('contains(')
    ? `NOT ${clause}`
    : clause.replace(/attribute_\w+|[<>=]+/, (word) => opposites[word] ?? word);

const print = (condition: Condition): string => {
  if (condition.kind === 'clause') return condition.text;
  const parts = condition.parts.map((part) => (part.kind === 'clause' ? part.text : `(${print(part)})`));
  return parts.join(` ${condition.kind} `);
};

/** Parses `AND`, `OR`, parentheses, comparisons (also of sizes) and the functions that test for existence. */
const parse = (text: string): Condition => {
  const tokens = text.match(/[()]|[<>=]+|(?:attribute_\w+|contains|size)\([^()]*\)|[^\s()<>=]+/g) ?? [];
  let next = 0;
  const take = () => tokens[next++] ?? '';
  const refuse = (token: string): never => {
    throw new Error(`No mutants can be made of "${token}" in the condition "${text}". Teach ${import.meta.filename}.`);
  };
  const joined = (kind: 'AND' | 'OR', readPart: () => Condition): Condition => {
    const parts = [readPart()];
    while (tokens[next] === kind) {
      next++;
      parts.push(readPart());
    }
    const [only] = parts;
    return parts.length === 1 && only ? only : { kind, parts };
  };
  const readClause = (): Condition => {
    const first = take();
    if (first === '(') {
      const inner = readAll();
      if (take() !== ')') refuse('(');
      return inner;
    }
    if (/^(attribute_(not_)?exists|contains)\(/.test(first)) return { kind: 'clause', text: first };
    const comparison = take();
    if (!opposites[comparison]) refuse(`${first} ${comparison}`);
    return { kind: 'clause', text: `${first} ${comparison} ${take()}` };
  };
  const readAll = (): Condition => joined('OR', () => joined('AND', readClause));
  const condition = readAll();
  if (next < tokens.length) refuse(tokens[next] ?? '');
  return condition;
};

const isOurs = /^(lambdas|operator)\//;
/** Modules that forward commands of others. */
const passesOn = /^lambdas\/data\/store\//;

/** A test can send commands of its own in the middle of a call of the service. */
const isTest = /\.test\.ts$/;

/**
 * Returns the sender of a command: a module of the service or of the operator's program, and its declaration; undefined if a
 * test sends it.
 */
export const senderOf = (stack: string): string | undefined => {
  const frame = stack
    .split('\n')
    .flatMap((line) => {
      const [, path = '', row = ''] = /(?:file:\/\/|\(|at )(\/[^():]+\.ts):(\d+)/.exec(line) ?? [];
      return path === '' ? [] : [{ file: relative(process.cwd(), path), row: Number(row) }];
    })
    .find(({ file }) => isTest.test(file) || (isOurs.test(file) && !passesOn.test(file)));
  return frame && !isTest.test(frame.file) ? `${frame.file}: ${declarationAt(frame)}` : undefined;
};

/** Returns the declaration that a line of the module belongs to: frames of callbacks have no name. */
const declarationAt = ({ file, row }: { readonly file: string; readonly row: number }): string => {
  const above = rowsOf(file).slice(0, row);
  return (
    above.flatMap((text) => /^(?:export )?(?:const|async function\*|class) (\w+)/.exec(text)?.[1] ?? []).at(-1) ?? ''
  );
};

const sources = new Map<string, readonly string[]>();

const rowsOf = (file: string): readonly string[] => {
  const rows = sources.get(file) ?? readFileSync(file, 'utf8').split('\n');
  sources.set(file, rows);
  return rows;
};
