import { UserFacingError } from '../errors/user-facing-error.ts';

/** An operator is a call by its own name: `a + 1` → `{ kind: 'call', name: '+', parameters: [a, 1] }`. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'pattern'; readonly value: RegExp }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'call'; readonly name: string; readonly parameters: readonly Expression[] };

/** Describes one of CloudWatch's languages. Operators are written in lower case here and matched in any. */
export type Language = {
  /** Operators between two operands, loosest first. */
  readonly operators: readonly (readonly string[])[];
  /** Operators before an operand, each with the index in `operators` of the loosest one that its operand may hold. */
  readonly prefixes: Readonly<Record<string, number>>;
  /** Sticky. */
  readonly name: RegExp;
  readonly functions: readonly string[];
};

export type Scanner = {
  /** The text at the current place that a sticky pattern matches, which is then behind; `undefined` where it does not. */
  readonly accept: (pattern: RegExp) => string | undefined;
  readonly isAtEnd: () => boolean;
  /** Reads with `read`; also gives the text that it took. */
  readonly withSource: <T>(read: () => T) => { readonly value: T; readonly source: string };
  readonly fail: () => never;
};

/** Reads a text from left to right, past blanks and comments; `what` names it in errors. */
export const createScanner = (text: string, what: string): Scanner => {
  let position = 0;
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = position;
    const [found = ''] = pattern.exec(text) ?? [];
    position += found.length;
    return found;
  };
  const skipBlanks = () => match(/(?:\s|#.*)*/y);
  return {
    accept: (pattern) => {
      skipBlanks();
      return match(pattern) || undefined;
    },
    isAtEnd: () => {
      skipBlanks();
      return position === text.length;
    },
    withSource: (read) => {
      skipBlanks();
      const start = position;
      const value = read();
      return { value, source: text.slice(start, position).trim() };
    },
    fail: () => {
      const place = position === text.length ? 'its end' : `“${text.slice(position, position + 20)}”`;
      throw new UserFacingError(`The local run does not understand ${what} at ${place}: ${text}`);
    },
  };
};

/** The whole text as one expression. */
export const parseExpression = (text: string, language: Language, what: string): Expression => {
  const scanner = createScanner(text, what);
  const expression = readExpression(scanner, language);
  return scanner.isAtEnd() ? expression : scanner.fail();
};

/** Reads as much as is one expression; a function that the language does not have is an error that names it. */
export const readExpression = (scanner: Scanner, language: Language): Expression => {
  const { accept, fail } = scanner;
  const operatorPatterns = language.operators.map((operators) => patternOf(operators));
  const prefixPattern = patternOf(Object.keys(language.prefixes));

  const readFrom = (level: number): Expression => {
    const pattern = operatorPatterns[level];
    if (!pattern) return readOperand();
    let left = readFrom(level + 1);
    for (let operator = accept(pattern); operator !== undefined; operator = accept(pattern))
      left = { kind: 'call', name: canonical(operator), parameters: [left, readFrom(level + 1)] };
    return left;
  };

  const readOperand = (): Expression => {
    const prefix = accept(prefixPattern);
    if (prefix !== undefined) {
      const name = canonical(prefix);
      return { kind: 'call', name, parameters: [readFrom(language.prefixes[name] ?? 0)] };
    }
    if (accept(/\(/y)) {
      const inner = readFrom(0);
      return accept(/\)/y) ? inner : fail();
    }
    if (accept(/\[/y)) return { kind: 'list', items: readItems(/\]/y) };
    return readLiteral(scanner) ?? readNameOrCall();
  };

  const readNameOrCall = (): Expression => {
    const name = accept(language.name)?.replaceAll('`', '') ?? fail();
    if (!accept(/\(/y)) return { kind: 'name', name };
    if (!language.functions.includes(name))
      throw new UserFacingError(`The local run does not know the function ${name} of CloudWatch.`);
    return { kind: 'call', name, parameters: readItems(/\)/y) };
  };

  const readItems = (end: RegExp): Expression[] => {
    const items: Expression[] = [];
    while (!accept(end)) {
      if (items.length > 0 && !accept(/,/y)) fail();
      items.push(readFrom(0));
    }
    return items;
  };

  return readFrom(0);
};

const readLiteral = ({ accept }: Scanner): Expression | undefined => {
  const number = accept(/\d+(?:\.\d+)?(?![\w.])/y);
  if (number !== undefined) return { kind: 'number', value: Number(number) };
  const text = accept(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y);
  if (text !== undefined) return { kind: 'text', value: text.slice(1, -1).replace(/\\(.)/g, '$1') };
  const pattern = accept(/\/(?:[^/\\\n]|\\.)+\//y);
  if (pattern === undefined) return undefined;
  const source = pattern.slice(1, -1);
  return { kind: 'pattern', value: new RegExp(source.replace(/^\(\?i\)/, ''), source.startsWith('(?i)') ? 'i' : '') };
};

/** `not  LIKE` → `not like`. */
const canonical = (operator: string) => operator.toLowerCase().replace(/\s+/g, ' ');

/** The longest first, so that `<=` is not read as `<`; a word ends where a name would. */
const patternOf = (operators: readonly string[]): RegExp => {
  const longestFirst = [...operators].sort((a, b) => b.length - a.length);
  const alternatives = longestFirst.map((operator) =>
    /\w/.test(operator) ? `${operator.replaceAll(' ', '\\s+')}(?![\\w.])` : operator.replace(/\W/g, '\\$&'),
  );
  return new RegExp(alternatives.join('|') || '(?!)', 'iy');
};
