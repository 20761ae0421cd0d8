import { expect } from 'vitest';
import { type Resource, resourcesOf, type Template } from './synthesized.ts';

export const functionNamed = (template: Template, name: string): [logicalId: string, Resource] => {
  const found = resourcesOf(template, 'AWS::Lambda::Function').filter(
    ([, { Properties }]) => Properties.FunctionName === name,
  );
  expect(found).toHaveLength(1);
  return found[0] as [string, Resource];
};

export const roleOf = (template: Template, { Properties }: Resource): [logicalId: string, Resource] => {
  const [logicalId] = Properties.Role['Fn::GetAtt'];
  return [logicalId, template.Resources[logicalId] as Resource];
};

/** The logical id of the table that stands in the stack under this name. */
export const logicalIdOf = (template: Template, name: string, type = 'AWS::DynamoDB::GlobalTable'): string => {
  const found = resourcesOf(template, type).filter(([id]) => new RegExp(`^${name}[0-9A-F]{8}$`).test(id));
  expect(found).toHaveLength(1);
  return found[0]?.[0] as string;
};

/** Every pair of action and resource that a role allows, with its condition if it has one; policies of their own resource included. */
export const grantsOf = (template: Template, role: Resource['Properties']): Set<string> => {
  expect(resourcesOf(template, 'AWS::IAM::Policy')).toEqual([]);
  return new Set(
    role.Policies.flatMap(({ PolicyDocument }: { PolicyDocument: { Statement: Statement[] } }) =>
      PolicyDocument.Statement.flatMap(({ Effect, Action, Resource, Condition }) => {
        expect(Effect).toBe('Allow');
        const condition = Condition ? ` if ${JSON.stringify(Condition)}` : '';
        return [Action]
          .flat()
          .flatMap((action) =>
            ([Resource].flat() as (Arn | '*')[]).map((arn) => `${action} on ${nameOf(arn)}${condition}`),
          );
      }),
    ),
  );
};

/** `ApiKeys3BB3983D`, `ApiKeys3BB3983D/index/byExpiryMonth`, `KeyNotices9D5DA5BB stream`. */
const nameOf = (arn: Arn | '*'): string => {
  if (arn === '*') return arn;
  if ('Fn::Join' in arn) {
    const [delimiter, [table, rest]] = arn['Fn::Join'];
    return [nameOf(table), rest].join(delimiter);
  }
  const [logicalId, attribute] = arn['Fn::GetAtt'];
  expect(['Arn', 'StreamArn']).toContain(attribute);
  return attribute === 'Arn' ? logicalId : `${logicalId} stream`;
};

type GetArn = { readonly 'Fn::GetAtt': readonly [string, string] };
type Arn = GetArn | { readonly 'Fn::Join': readonly [string, readonly [GetArn, string]] };
type Statement = {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: Arn | Arn[] | '*';
  readonly Condition?: object;
};
