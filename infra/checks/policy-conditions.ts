import type { Check, Fault } from './check.ts';
import { typeOfConditionKey } from './iam-names.ts';
import { statementsIn } from './policy-documents.ts';

/** Finds conditions that IAM would refuse, or that never hold: unknown operators and keys, or pairs that do not fit. */
export const checkPolicyConditions: Check = (template) =>
  statementsIn(template).flatMap(({ logicalId, statement }): Fault[] => {
    const conditions = Object.entries((statement.Condition ?? {}) as Readonly<Record<string, object>>);
    return conditions.flatMap(([operator, keys]) =>
      Object.keys(keys).flatMap((key) => {
        const fault = faultOf(operator, key);
        return fault === undefined ? [] : { logicalId, sentence: `has a policy with ${fault}` };
      }),
    );
  });

const faultOf = (written: string, key: string): string | undefined => {
  const operator = written.replace(/^(ForAllValues|ForAnyValue):/, '').replace(/(?<!Null)IfExists$/, '');
  if (!operators.test(operator))
    return `the condition operator ${written}, which IAM does not know; write one such as StringEquals, ArnLike, Bool or IpAddress.`;
  const type = typeOfConditionKey(key);
  if (type === undefined) return `a condition on ${key}, which is no condition key; correct the name.`;
  if (operator === 'Null' || operatorsByType[type]?.test(operator)) return undefined;
  return `the condition operator ${written} on ${key}, whose values are of the type ${type}; use the operators of that type.`;
};

const text = 'String(Not)?(Equals(IgnoreCase)?|Like)';
const comparison = '(Not)?Equals|(LessThan|GreaterThan)(Equals)?';

const operatorsByType: Readonly<Record<string, RegExp>> = {
  // An ARN is a text, too, and BinaryEquals compares texts in base 64.
  String: new RegExp(`^(${text}|BinaryEquals)$`),
  ARN: new RegExp(`^(Arn(Not)?(Equals|Like)|${text})$`),
  Bool: /^Bool$/,
  Numeric: new RegExp(`^Numeric(${comparison})$`),
  Date: new RegExp(`^Date(${comparison})$`),
  IPAddress: /^(Not)?IpAddress$/,
};

const operators = new RegExp([/^Null$/, ...Object.values(operatorsByType)].map(({ source }) => source).join('|'));
