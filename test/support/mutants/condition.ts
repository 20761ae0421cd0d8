/** A condition as DynamoDB writes it, taken apart. */
type Condition =
  | { readonly kind: 'clause'; readonly text: string }
  | { readonly kind: 'AND' | 'OR'; readonly parts: readonly Condition[] };

/** A condition made weaker or wrong in one place, and what was done to it; without text where nothing of it is left. */
export type ChangedCondition = { readonly change: string; readonly text: string | undefined };

/** Every condition that differs from this one in one place: a clause is left out or turned, or all is left out. */
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

/** Reads `AND`, `OR`, parentheses, comparisons, also of sizes, and the functions that ask whether something is there. */
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
