/** A metric or an expression by the id under which other expressions reckon with it. */
export type MathRow = { readonly id?: string | undefined; readonly expression?: string | undefined };

/** What stands in quotes names labels, statistics and searches; what begins with a small letter is an id. */
const idsIn = (expression: string): readonly string[] =>
  expression.replace(/'[^']*'|"[^"]*"/g, '').match(/(?<![\w.])[a-z]\w*/g) ?? [];

/** Says which ids of a set of metrics are no ids, stand twice, or are reckoned with and missing. */
export const faultsOfMath = (rows: readonly MathRow[]): string[] => {
  const ids = rows.flatMap(({ id }) => id ?? []);
  const wanted = new Set(rows.flatMap(({ expression }) => (expression === undefined ? [] : idsIn(expression))));
  return [
    ...ids
      .filter((id) => !/^[a-z]\w*$/.test(id))
      .map((id) => `has the metric id "${id}"; begin it with a small letter and use letters, digits and _ only.`),
    ...ids
      .filter((id, index) => ids.indexOf(id) !== index)
      .map((id) => `has two metrics with the id "${id}"; give each its own.`),
    ...[...wanted]
      .filter((id) => !ids.includes(id))
      .map((id) => `reckons with "${id}", which is the id of no metric beside it; correct the expression.`),
  ];
};
