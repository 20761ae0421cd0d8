const token = /\s*(?:([A-Za-z_][A-Za-z0-9_]*|[#:][A-Za-z0-9_]+|<>|<=|>=|[=<>(),.+-])|$)/y;

/** The words and signs of an expression, to be taken one after the other. */
export const readTokens = (expression: string) => {
  const tokens: string[] = [];
  for (token.lastIndex = 0; token.lastIndex < expression.length; ) {
    const at = token.lastIndex;
    const [, text] = token.exec(expression) ?? [];
    if (text === undefined && token.lastIndex === 0) throw unknown(expression, expression.slice(at));
    if (text !== undefined) tokens.push(text);
  }
  let next = 0;
  const isNext = (text: string) => tokens[next]?.toUpperCase() === text.toUpperCase();
  return {
    /** Takes the next one whatever it is. */
    take: (): string => {
      const taken = tokens[next++];
      if (taken === undefined) throw unknown(expression, 'the end');
      return taken;
    },
    isNext,
    isNextValue: (): boolean => tokens[next]?.startsWith(':') === true,
    /** Takes the next one if it is this. */
    takeIf: (text: string): boolean => {
      const is = isNext(text);
      if (is) next++;
      return is;
    },
    /** The names of a path into an item, as they stand. */
    takePath: (): string[] => {
      const path = [takeName()];
      while (isNext('.')) {
        next++;
        path.push(takeName());
      }
      return path;
    },
    expect: (text: string): void => {
      if (!isNext(text)) throw unknown(expression, tokens[next] ?? 'the end');
      next++;
    },
    expectEnd: (): void => {
      if (next < tokens.length) throw unknown(expression, String(tokens[next]));
    },
    unknown: (what: string): Error => unknown(expression, what),
  };

  function takeName(): string {
    const name = tokens[next++] ?? 'the end';
    if (!/^[#A-Za-z_]/.test(name)) throw unknown(expression, name);
    return name;
  }
};

export type Tokens = ReturnType<typeof readTokens>;

const unknown = (expression: string, what: string) =>
  new Error(`The store in memory does not know "${what}" in "${expression}". Teach it in store/expressions/.`);
