import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'vitest/node';

const filesOf = (...globs: readonly string[]): readonly string[] =>
  globs
    .flatMap((glob) => {
      const files = globSync(glob);
      if (files.length === 0) throw new Error(`No module is named ${glob}: write here how these modules are named.`);
      return files;
    })
    .toSorted();

/** The modules that only decide and have no effects; mutants of decisions change these. */
export const decisionModules = filesOf(
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
);

/** The modules of which the matrix says which test notices which mutant. */
export const modulesOfKills = filesOf(
  'lambdas/{answers,chain,data,domain,feed,handlers,inbound,jobs,outbound,runtime,usage,webhooks}/**/*.ts',
  'operator/{commands,companies,integrations,owners,restore}/**/*.ts',
);

/** Returns the names of all mutants of a module. */
export const mutantsOfSource = (file: string): readonly string[] => instrument(file, readFileSync(file, 'utf8')).names;

/** What a module passes on about itself while it loads. */
export type ModuleFacts = {
  readonly file: string;
  /** The names of its mutants, in the order of their numbers. */
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
export const instrument = (file: string, source: string): Pick<ModuleFacts, 'names'> & { readonly code: string } => {
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
    const isShownWithin = node.type === 'Literal' && !node.regex && parent && parent.end - parent.start < 60;
    const shown = isShownWithin ? parent : node;
    const own = editsOf(node, parents, source).map((edit) => {
      const change = `"${source.slice(shown.start, shown.end)}" as "${edited(source, shown, edit)}"`;
      return `$mutant(${add(change.replace(/\s+/g, ' '))}) ? (${edited(source, node, edit)}) : `;
    });
    const text = printParts(node, parents);
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

const importsOf = (file: string, program: Node): string[] =>
  (program.body as Node[])
    .filter(({ type }) => type === 'ImportDeclaration')
    .map(({ source }) => String((source as Node).value))
    .flatMap((path) => (path.startsWith('.') ? [join(dirname(file), path)] : []));

/** A change in one place: a part of the source, and what replaces it. */
type Edit = { readonly start: number; readonly end: number; readonly text: string };

const edited = (source: string, node: Node, { start, end, text }: Edit): string =>
  source.slice(node.start, start) + text + source.slice(end, node.end);

/** Returns the mutants of this node alone; its children have their own. */
const editsOf = (node: Node, parents: readonly Node[], source: string): Edit[] => {
  const [parent] = parents;
  const { start, left, right, operator, value, callee } = node as Node &
    Record<'left' | 'right' | 'callee', Node> & { readonly operator: string };
  const textOf = (part: unknown) => source.slice((part as Node).start, (part as Node).end);
  const as = (text: string, part: Pick<Node, 'start' | 'end'> = node): Edit => ({
    start: part.start,
    end: part.end,
    text,
  });
  const other = otherOperators.get(operator);

  const changes: Readonly<Record<string, () => Edit[]>> = {
    BinaryExpression: () => {
      if (!other || [left, right].some((part) => typeof part.value === 'string' || part.type === 'TemplateLiteral'))
        return [];
      const at = source.indexOf(operator, left.end);
      return [as(other, { start: at, end: at + operator.length })];
    },
    AssignmentExpression: () => changes.BinaryExpression?.() ?? [],
    LogicalExpression: () => {
      const isClause = parent?.type === node.type && parent.operator === operator;
      const clauses = isClause ? [] : clausesOf(node).map(textOf);
      return clauses.map((_, index) => as(clauses.toSpliced(index, 1).join(` ${operator} `)));
    },
    ConditionalExpression: () => [node.consequent, node.alternate].map((branch) => as(textOf(branch))),
    UnaryExpression: () => (/^[!-]$/.test(operator) ? [as('', { start, end: start + 1 })] : []),
    UpdateExpression: () => [as(textOf(node).replace(operator, other ?? ''))],
    Literal: () => {
      if (node.regex) return patternsLike(textOf(node)).map((pattern) => as(pattern));
      if (parent?.type === 'Property' && parent.key === node) return [];
      if (typeof value === 'boolean') return [as(String(!value))];
      return typeof value === 'number' ? [as(String(value + 1)), as(String(value - 1))] : [];
    },
    CallExpression: () => {
      if (callee.type !== 'MemberExpression' || isWithinChain(node, parents)) return [];
      const name = textOf(callee.property);
      const otherCall = otherCalls.get(name);
      if (otherCall) return [as(otherCall, callee.property as Node)];
      return callsLeftOut.has(name) ? [as(textOf(callee.object))] : [];
    },
  };
  const isGuard = parent?.type === 'IfStatement' && parent.test === node;
  return [...(isGuard ? [as('false')] : []), ...(changes[node.type]?.() ?? [])];
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

const clausesOf = (node: Node): Node[] =>
  [node.left as Node, node.right as Node].flatMap((part) =>
    part.type === node.type && part.operator === node.operator ? clausesOf(part) : [part],
  );

/** Returns the regular expressions that differ from this one in one anchor, bound, quantifier or negation. */
const patternsLike = (pattern: string): string[] =>
  [...pattern.matchAll(/\\.|\[(?:\\.|[^\]])*\]|\{\d+(?:,\d*)?\}|./gs)].flatMap(({ 0: token, index }) =>
    tokensLike(token).map((other) => pattern.slice(0, index) + other + pattern.slice(index + token.length)),
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
