import { UserFacingError } from '../errors.ts';

/** An operator is a call with the operator as name: `a + 1` → `{ kind: 'call', name: '+', parameters: [a, 1] }`. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'call'; readonly name: string; readonly parameters: readonly Expression[] };

/** The operators of metric math and of alarm rules, loosest first. */
const operators = [/OR\b/y, /AND\b/y, />=?/y, /[+-]/y, /[*/]/y];

/** Parses a whole text as one expression of metric math or of an alarm rule; `what` names it in errors. */
export const parseExpression = (text: string, what: string): Expression => {
  let position = 0;

  const match = (pattern: RegExp): string => {
    pattern.lastIndex = position;
    const [found = ''] = pattern.exec(text) ?? [];
    position += found.length;
    return found;
  };
  /** Returns the text at the current place, after blanks, that a sticky pattern matches; '' if it does not match. */
  const accept = (pattern: RegExp): string => {
    match(/\s*/y);
    return match(pattern);
  };
  const fail = (): never => {
    const place = position === text.length ? 'its end' : `“${text.slice(position, position + 20)}”`;
    throw new UserFacingError(`The local run does not understand ${what} at ${place}: ${text}`);
  };

  const readFrom = (level: number): Expression => {
    const operator = operators[level];
    if (!operator) return readOperand();
    let left = readFrom(level + 1);
    for (let name = accept(operator); name !== ''; name = accept(operator))
      left = { kind: 'call', name, parameters: [left, readFrom(level + 1)] };
    return left;
  };

  const readOperand = (): Expression => {
    if (accept(/\(/y)) {
      const inner = readFrom(0);
      return accept(/\)/y) ? inner : fail();
    }
    if (accept(/\[/y)) return { kind: 'list', items: readItems(/\]/y) };
    const number = accept(/\d+(?:\.\d+)?(?![\w.])/y);
    if (number) return { kind: 'number', value: Number(number) };
    const quoted = accept(/"[^"\\]*"/y);
    if (quoted) return { kind: 'text', value: quoted.slice(1, -1) };
    const name = accept(/[A-Za-z]\w*/y) || fail();
    return accept(/\(/y) ? { kind: 'call', name, parameters: readItems(/\)/y) } : { kind: 'name', name };
  };

  const readItems = (end: RegExp): Expression[] => {
    const items: Expression[] = [];
    while (!accept(end)) {
      if (items.length > 0 && !accept(/,/y)) fail();
      items.push(readFrom(0));
    }
    return items;
  };

  const expression = readFrom(0);
  match(/\s*/y);
  return position === text.length ? expression : fail();
};
