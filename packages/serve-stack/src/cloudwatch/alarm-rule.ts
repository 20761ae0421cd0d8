import { UserFacingError } from '../errors.ts';
import { type Expression, parseExpression } from './expression.ts';

export type Rule = (isRinging: (arn: string) => boolean) => boolean;

/** Parses the rule of a composite alarm: `ALARM("arn")`, AND, OR and parentheses. Throws if the rule contains anything else. */
export const parseRule = (text: string): { readonly arns: readonly string[]; readonly isRinging: Rule } => {
  const arns: string[] = [];
  const compile = (expression: Expression): Rule => {
    const { name, parameters } = expression.kind === 'call' ? expression : { name: '', parameters: [] };
    const [first, second] = parameters;
    if (name === 'ALARM' && first?.kind === 'text' && !second) {
      arns.push(first.value);
      return (isRinging) => isRinging(first.value);
    }
    if ((name !== 'AND' && name !== 'OR') || !first || !second)
      throw new UserFacingError(`The local run knows ALARM("…"), AND and OR of an alarm rule, not all of ${text}`);
    const [left, right] = [compile(first), compile(second)];
    return name === 'AND'
      ? (isRinging) => left(isRinging) && right(isRinging)
      : (isRinging) => left(isRinging) || right(isRinging);
  };
  return { isRinging: compile(parseExpression(text, 'the alarm rule')), arns };
};
