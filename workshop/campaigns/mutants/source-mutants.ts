import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'vitest/node';

/** The modules that only decide and have no effects; mutants of decisions change these. */
export const decisionModules: readonly string[] = [
  'lambdas/domain/**/*.ts',
  'lambdas/chain/{authorization,every-answer,input,request}.ts',
  'lambdas/runtime/log-lines.ts',
  'lambdas/runtime/process-memory.ts',
  'lambdas/webhooks/global-addresses.ts',
  'lambdas/feed/*-events.ts',
  'lambdas/api/host-name.ts',
  'lambdas/answers/home.ts',
  'lambdas/sandbox/{controls,due-times,home-controls,homes}.ts',
  'config/cidr*.ts',
]
  .flatMap((glob) => {
    const files = globSync(glob);
    if (files.length === 0) throw new Error(`No module is named ${glob}: write here how those that decide are named.`);
    return files;
  })
  .toSorted();

/** Returns the names of all mutants of a module. */
export const mutantsOfSource = (file: string): readonly string[] => instrument(file, readFileSync(file, 'utf8')).names;

type InstrumentedModule = {
  readonly code: string;
  /** The names of its mutants, in the order of their numbers. */
  readonly names: readonly string[];
};

/** What a module passes on about itself while it loads. */
export type ModuleFacts = {
  readonly file: string;
  readonly names: readonly string[];
  /** The numbers of the mutants in code that runs while the module loads. */
  readonly ofLoading: readonly number[];
  readonly imports: readonly string[];
};

type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<Record<string, unknown>>;

/**
 * Returns a module with all of its mutants, each behind a switch, so that they can be tried without loading the module again.
 * Module-level computations run again whenever one of their mutants is turned on or off.
 */
export const instrument = (file: string, source: string): InstrumentedModule => {
  const names: string[] = [];
  const ofLoading: number[] = [];
  const computedAgain = new Set<string>();
  let owner = '';

  const add = (change: string): number => {
    const name = `${file}: ${owner}${change}`;
    const same = names.filter((each) => each === name || each.startsWith(`${name} (`)).length;
    return names.push(same === 0 ? name : `${name} (${same + 1})`) - 1;
  };

  const print = (node: Node, parents: readonly Node[]): string => {
    const [parent] = parents;
    if (parent?.type === 'Program') return printStatement(node, parents);
    const own = mutantsOf(node, parents, source).map(({ change, text }) => `$mutant(${add(change)}) ? (${text}) : `);
    const text = printParts(node, parents);
    if (isLoopBody(node, parent)) return `{ $mutant.turn(); ${text} }`;
    return own.length === 0 ? text : `(${own.join('')}${text})`;
  };

  const printParts = (node: Node, parents: readonly Node[]): string => {
    let text = '';
    let position = node.start;
    for (const child of childrenOf(node)) {
      // A shorthand property occurs twice, as key and as value.
      if (child.start < position) continue;
      text += source.slice(position, child.start) + print(child, [node, ...parents]);
      position = child.end;
    }
    return text + source.slice(position, node.end);
  };

  const printStatement = (statement: Node, parents: readonly Node[]): string => {
    const { id, init }: Partial<Node> = declaratorOf(statement) ?? {};
    owner = isNode(id) ? `${source.slice(id.start, id.end).replace(/:.*/s, '')}: ` : '';
    const first = names.length;
    const text = printParts(statement, parents);
    if (!isNode(id) || !isNode(init) || id.type !== 'Identifier' || isFunction(init)) return text;
    const value = text.slice(text.indexOf('=', id.end - statement.start) + 1).replace(/;$/, '');
    const rests = (value.match(/[\w$]+/g) ?? []).some((each) => computedAgain.has(each));
    if (names.length === first && !rests) return text;
    for (let index = first; index < names.length; index++) ofLoading.push(index);
    computedAgain.add(String(id.name));
    return `${text.replace(/\bconst\b/, 'let')}\n$mutant.again(() => { ${id.name} =${value}; });`;
  };

  const program = parseAst(source, { lang: 'ts' }) as unknown as Node;
  const code = printParts(program, []);
  const facts: ModuleFacts = { file, names, ofLoading, imports: importsOf(file, program) };
  return { code: `const $mutant = globalThis.mutantSwitch(${JSON.stringify(facts)});\n${code}`, names };
};

const isNode = (value: unknown): value is Node => typeof (value as Node | null | undefined)?.type === 'string';

/** Returns the children of a node that are no types, in source order. */
const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .filter(isNode)
    .filter(({ type }) => !type.startsWith('TS') || /^TS(As|Satisfies|NonNull)Expression$/.test(type))
    .toSorted((one, other) => one.start - other.start || other.end - one.end);

const declaratorOf = (statement: Node): Node | undefined => {
  const declaration = isNode(statement.declaration) ? statement.declaration : statement;
  return declaration.type === 'VariableDeclaration' ? (declaration.declarations as Node[])[0] : declaration;
};

const isFunction = ({ type }: Node): boolean => type === 'ArrowFunctionExpression' || type === 'FunctionExpression';

const isLoopBody = (node: Node, parent: Node | undefined): boolean =>
  parent !== undefined && /^(For|While|DoWhile)/.test(parent.type) && parent.body === node;

const importsOf = (file: string, program: Node): string[] =>
  (program.body as Node[])
    .filter(({ type }) => type === 'ImportDeclaration')
    .map(({ source }) => String((source as Node).value))
    .flatMap((path) => (path.startsWith('.') ? [join(dirname(file), path)] : []));

/** A change in one place, and the text that replaces the original. */
type Mutant = { readonly change: string; readonly text: string };

/** Returns the mutants of this node alone; its children have their own. */
const mutantsOf = (node: Node, parents: readonly Node[], source: string): Mutant[] => {
  const [parent] = parents;
  const textOf = ({ start, end }: Node) => source.slice(start, end);
  const shownOf = (each: Node) => textOf(each).replace(/\s+/g, ' ');
  const as = (text: string, shown = text): Mutant => ({
    change: `"${shownOf(node)}" as "${shown.replace(/\s+/g, ' ')}"`,
    text,
  });
  /** Replaces a part of the node's text. */
  const replaced = (start: number, end: number, text: string): Mutant =>
    as(source.slice(node.start, start) + text + source.slice(end, node.end));
  const { left, right, operator } = node as unknown as { left: Node; right: Node; operator: string };
  const operatorReplaced = (): Mutant[] => {
    const other = otherOperators.get(operator);
    if (!other || [left, right].some(isText)) return [];
    const start = left.end + source.slice(left.end, right.start).indexOf(operator);
    return [replaced(start, start + operator.length, other)];
  };

  const clauseLeftOut = (): Mutant[] => {
    if (parent?.type === node.type && parent.operator === operator) return [];
    const clauses = clausesOf(node);
    return clauses.map((clause, index) => ({
      change: `without "${shownOf(clause)}" of "${shownOf(node)}"`,
      text: clauses.toSpliced(index, 1).map(textOf).join(` ${operator} `),
    }));
  };

  const literalChanged = (): Mutant[] => {
    const { value } = node;
    if (parent?.type === 'Property' && parent.key === node) return [];
    const around = parent && parent.end - parent.start < 60 ? parent : node;
    const inPlace = (text: string): Mutant => {
      const before = source.slice(around.start, node.start);
      const shown = `${before}${text}${source.slice(node.end, around.end)}`.replace(/\s+/g, ' ');
      return { change: `"${shownOf(around)}" as "${shown}"`, text };
    };
    if (typeof value === 'boolean') return [inPlace(String(!value))];
    if (typeof value === 'number') return [value + 1, value - 1].map((other) => inPlace(String(other)));
    return node.regex ? patternsLike(textOf(node)) : [];
  };

  const callChanged = (): Mutant[] => {
    const callee = node.callee as Node;
    if (callee.type !== 'MemberExpression' || isWithinChain(node, parents)) return [];
    const { name, start, end } = callee.property as Node;
    const other = otherCalls.get(String(name));
    return [
      ...(other ? [replaced(start, end, other)] : []),
      ...(callsLeftOut.has(String(name)) ? [as(textOf(callee.object as Node))] : []),
    ];
  };

  const ofKind: Readonly<Record<string, () => Mutant[]>> = {
    BinaryExpression: operatorReplaced,
    AssignmentExpression: operatorReplaced,
    LogicalExpression: clauseLeftOut,
    ConditionalExpression: () => [node.consequent, node.alternate].map((branch) => as(textOf(branch as Node))),
    UnaryExpression: () => (/^[!-]$/.test(operator) ? [replaced(node.start, node.start + 1, '')] : []),
    UpdateExpression: () => [as(textOf(node).replace(operator, otherOperators.get(operator) ?? ''))],
    Literal: literalChanged,
    CallExpression: callChanged,
  };
  const isGuard = parent?.type === 'IfStatement' && parent.test === node;
  return [...(isGuard ? [as('false')] : []), ...(ofKind[node.type]?.() ?? [])];
};

const otherOperators = new Map([
  ...Object.entries({ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' }),
  ...Object.entries({ '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' }),
  ...Object.entries({ '+=': '-=', '-=': '+=', '++': '--', '--': '++' }),
]);

const otherCalls = new Map([
  ...Object.entries({ some: 'every', every: 'some', startsWith: 'endsWith', endsWith: 'startsWith' }),
  ...Object.entries({ min: 'max', max: 'min', floor: 'ceil', ceil: 'floor', round: 'floor' }),
]);

const callsLeftOut = new Set(['filter', 'slice', 'toLowerCase', 'toUpperCase', 'toSorted', 'toReversed', 'trim']);

const isText = (node: Node): boolean => typeof node.value === 'string' || node.type === 'TemplateLiteral';

const clausesOf = (node: Node): Node[] =>
  [node.left as Node, node.right as Node].flatMap((part) =>
    part.type === node.type && part.operator === node.operator ? clausesOf(part) : [part],
  );

/** Returns the regular expressions that differ from this one in one anchor, bound, quantifier or negation. */
const patternsLike = (pattern: string): Mutant[] =>
  [...pattern.matchAll(/\\.|\[(?:\\.|[^\]])*\]|\{\d+(?:,\d*)?\}|./gs)].flatMap(({ 0: token, index }) =>
    tokensLike(token).map((other) => ({
      change: `pattern with "${other}" for "${token}"`,
      text: pattern.slice(0, index) + other + pattern.slice(index + token.length),
    })),
  );

const tokensLike = (token: string): string[] => {
  if (/^[$^]$/.test(token)) return [''];
  if (/^[+*]$/.test(token)) return [token === '+' ? '*' : '+'];
  if (token.startsWith('[^')) return [`[${token.slice(2)}`];
  if (!/^\{\d/.test(token)) return [];
  return [...token.matchAll(/\d+/g)].flatMap(({ 0: bound, index }) =>
    [1, -1].map((step) => token.slice(0, index) + (Number(bound) + step) + token.slice(index + bound.length)),
  );
};

/** Whether the node is part of an optional chain: parentheses would end the chain and change what `?.` skips. */
const isWithinChain = (node: Node, [parent, ...further]: readonly Node[]): boolean => {
  if (!parent || parent.type === 'ChainExpression') return parent !== undefined;
  const isSpine = parent.type === 'MemberExpression' ? parent.object === node : parent.callee === node;
  return isSpine && isWithinChain(parent, further);
};
