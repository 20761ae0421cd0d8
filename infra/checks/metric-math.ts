/** Stands for one of the metrics and expressions that reckon with each other by their ids. */
export type MathRow = { readonly id?: string | undefined; readonly expression?: string | undefined };

/** Finds the words that begin with a small letter: functions are in capitals, and texts are in quotes. */
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

/** Knows names, percentiles, trimmed and Winsorized means and the like: `p99.9`, `tm90`, `PR(:300)`, `TM(10%:90%)`. */
const statistic =
  /^(SampleCount|Average|Sum|Minimum|Maximum|IQM|(p|tm|wm|tc|ts)\d+(\.\d+)?|(PR|TM|WM|TC|TS)\([\d.%]*:[\d.%]*\))$/;

/** Says which statistics CloudWatch does not know. */
export const faultsOfStatistics = (statistics: readonly (string | undefined)[]): string[] =>
  statistics
    .filter((each) => each !== undefined && !statistic.test(each))
    .map((each) => `asks for the statistic "${each}"; write one such as Sum, Average, SampleCount or p99.`);
