import type { JsonAnswer } from '../json-answer.ts';
import type { Resources } from '../resources.ts';

/** Reads the parameters that stacks of the account have made. */
export const createSsm =
  ({ propertiesOf }: Resources) =>
  (target: string, { Name }: { readonly Name?: string }): JsonAnswer => {
    if (!target.endsWith('.GetParameter')) return refusal('InvalidAction', `SSM does not know ${target} here.`);
    const parameter = propertiesOf('AWS::SSM::Parameter').find((each) => each.Name === Name);
    if (!parameter) return refusal('ParameterNotFound', `There is no parameter ${Name} in this account.`);
    const { Type, Value } = parameter;
    return { status: 200, body: { Parameter: { Name, Type, Value, Version: 1 } } };
  };

const refusal = (code: string, message: string): JsonAnswer => ({ status: 400, body: { __type: code, message } });
