/** Returns the Python literal of a JSON value. Python supports all escapes of JSON strings. */
export const literalOf = (value: unknown): string => {
  if (value === null) return 'None';
  if (value === true) return 'True';
  return value === false ? 'False' : JSON.stringify(value);
};

/** Returns a list of expressions, one per line, whose closing bracket is at the given column. */
export const listOf = (expressions: readonly string[], column: number): string => {
  const indent = ' '.repeat(column);
  return ['[', ...expressions.map((each) => `${indent}    ${each},`), `${indent}]`].join('\n');
};

export const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;

/** Converts `heatingCircuit` to `heating_circuit`, `If-Match` to `if_match`, and the keyword `from` to `from_`. */
export const snakeCase = (name: string): string => {
  const snake = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
  return keywords.has(snake) ? `${snake}_` : snake;
};

export const pascalCase = (name: string): string =>
  name.replaceAll(/(?:^|[-_.])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Whether a property name is valid as a class attribute. */
export const isAttribute = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !keywords.has(name);

const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** Returns the lines of a docstring with Markdown from the API document. */
export const docstringOf = (text: string, column: number): string[] => {
  const indent = ' '.repeat(column);
  const [first = '', ...rest] = wrapped(text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"'), 116 - column);
  if (rest.length === 0) return [`${indent}"""${first.replace(/"$/, '\\"')}"""`];
  return [`${indent}"""${first}`, ...rest.map((line) => (line ? indent + line : '')), `${indent}"""`];
};

/** Wraps the paragraphs of a text at a width. A longer word gets its own line. */
const wrapped = (text: string, width: number): string[] =>
  text.split('\n').flatMap((paragraph) => {
    const found = [''];
    for (const word of paragraph.split(' ')) {
      const last = found.at(-1) ?? '';
      if (last === '') found[found.length - 1] = word;
      else if (last.length + 1 + word.length <= width) found[found.length - 1] = `${last} ${word}`;
      else found.push(word);
    }
    return found;
  });
