import { UserFacingError } from '../../errors/user-facing-error.ts';
import { type Expression, parseExpression } from '../expression.ts';
import type { AlarmState } from './alarm-state.ts';

const states: readonly AlarmState[] = ['OK', 'ALARM', 'INSUFFICIENT_DATA'];

const language = {
  operators: [['or'], ['and']],
  prefixes: { not: 2 },
  name: /[^\s()"',]+/y,
  functions: states,
};

/** The rule of a composite alarm. */
export type CompositeRule = {
  /** The names or ARNs of the alarms that the rule looks at. */
  readonly alarms: readonly string[];
  readonly holds: (stateOf: (alarm: string) => AlarmState) => boolean;
};

export const parseCompositeRule = (text: string): CompositeRule => {
  const root = parseExpression(text, language, 'the alarm rule');
  const alarms: string[] = [];

  const compile = (expression: Expression): CompositeRule['holds'] => {
    if (expression.kind === 'name' && /^(TRUE|FALSE)$/.test(expression.name)) return () => expression.name === 'TRUE';
    if (expression.kind !== 'call')
      throw new UserFacingError(`The local run does not understand the alarm rule ${text}`);
    const { name, parameters } = expression;
    const state = states.find((each) => each === name);
    if (state) {
      const alarm = alarmIn(parameters);
      alarms.push(alarm);
      return (stateOf) => stateOf(alarm) === state;
    }
    const operands = parameters.map(compile);
    if (name === 'not') return (stateOf) => operands.every((holds) => !holds(stateOf));
    return (stateOf) => operands[name === 'and' ? 'every' : 'some']((holds) => holds(stateOf));
  };

  const alarmIn = ([parameter, ...others]: readonly Expression[]): string => {
    if (parameter?.kind === 'text' && others.length === 0) return parameter.value;
    if (parameter?.kind === 'name' && others.length === 0) return parameter.name;
    throw new UserFacingError(`A state of the alarm rule has to be that of one alarm: ${text}`);
  };

  return { holds: compile(root), alarms };
};
