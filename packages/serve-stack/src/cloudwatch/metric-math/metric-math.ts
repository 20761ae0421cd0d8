import { UserFacingError } from '../../errors/user-facing-error.ts';
import { type Expression, parseExpression } from '../expression.ts';
import type { Value } from '../metrics/time-series.ts';
import type { MathScope } from './math-function-kinds.ts';
import { mathFunctions } from './math-functions.ts';

const language = {
  operators: [
    ['or', '||'],
    ['and', '&&'],
    ['==', '!=', '<', '<=', '>', '>='],
    ['+', '-'],
    ['*', '/'],
  ],
  prefixes: { '-': 5 },
  name: /[A-Za-z]\w*/y,
  functions: Object.keys(mathFunctions).filter((name) => /^[A-Z]/.test(name)),
};

export type MathExpression = { readonly text: string; readonly root: Expression };

export const parseMath = (text: string): MathExpression => {
  const root = parseExpression(text, language, 'the metric math');
  checkParameters(root);
  return { text, root };
};

const checkParameters = (expression: Expression): void => {
  if (expression.kind === 'list') expression.items.forEach(checkParameters);
  if (expression.kind !== 'call') return;
  const { name, parameters } = expression;
  if (!mathFunctions[name]?.counts.includes(parameters.length))
    throw new UserFacingError(
      `The local run does not know ${name} of metric math with ${parameters.length} parameters.`,
    );
  parameters.forEach(checkParameters);
};

/** The functions that an expression calls, operators included. */
export const functionsIn = (expression: Expression): string[] => {
  if (expression.kind === 'list') return expression.items.flatMap(functionsIn);
  if (expression.kind !== 'call') return [];
  return [expression.name, ...expression.parameters.flatMap(functionsIn)];
};

/** The value of an expression at the times of its scope. */
export const evaluateMath = ({ text, root }: MathExpression, scope: MathScope): Value => {
  const evaluate = (expression: Expression): Value => {
    switch (expression.kind) {
      case 'number':
        return expression.value;
      case 'name':
        return scope.valueOf(expression.name);
      case 'list':
        return expression.items.flatMap((item) => {
          const value = evaluate(item);
          if (typeof value === 'number') throw new UserFacingError(`A list of metric math holds series only: ${text}`);
          return value;
        });
      case 'call':
        return callOf(expression.name)(scope, expression.parameters, evaluate);
      default:
        throw new UserFacingError(`Metric math has no value for a text here: ${text}`);
    }
  };
  return evaluate(root);
};

const callOf = (name: string) => {
  const known = mathFunctions[name];
  if (!known) throw new UserFacingError(`The local run does not know ${name} of metric math.`);
  return known.call;
};
