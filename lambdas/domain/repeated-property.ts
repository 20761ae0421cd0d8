/** An array or object that the text has opened: where in it the text is, and the names that an object has had. */
type Open = { at: string | number; readonly names?: Set<string> };

/** All marks that structure a valid JSON text, and its strings, which may hold the like. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/**
 * The way to the first property that a valid JSON text gives twice in one object; `JSON.parse` would silently keep the last.
 * Keeps a stack of its own, because parsers that report repeats recurse, and a body can be nested deeper than they can.
 */
export const repeatedPropertyIn = (json: string): readonly (string | number)[] | undefined => {
  const open: Open[] = [];
  let latestString = '';
  for (const [token] of json.matchAll(tokens)) {
    const innermost = open.at(-1);
    if (token === '{') open.push({ at: '', names: new Set() });
    else if (token === '[') open.push({ at: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') advance(innermost);
    else if (token !== ':') latestString = token;
    else if (innermost?.names) {
      innermost.at = JSON.parse(latestString) as string;
      if (innermost.names.has(innermost.at)) return open.map(({ at }) => at);
      innermost.names.add(innermost.at);
    }
  }
  return undefined;
};

const advance = (innermost: Open | undefined) => {
  if (typeof innermost?.at === 'number') innermost.at++;
};
