import { beforeAll, expect, test } from 'vitest';
import { identities } from '../../../infra/deploy/refusals.ts';
import { fullConfig, type Template, templateOf } from '../synthesized.ts';

let template: Template;
beforeAll(async () => {
  template = await templateOf(fullConfig);
});

/** The properties with a resource's own name, if the template sets one; names of other resources are references. */
const ownName =
  /^(Name|AlarmName|ArchiveName|DashboardName|FunctionName|\w*GroupName|QueueName|RoleName|RuleName|TableName)$/;

test('each resource with a name in the template has it in its identity', () => {
  const unknown = Object.values(template.Resources).flatMap(({ Type, Properties = {} }) =>
    Object.entries(Properties)
      .filter(([name, value]) => ownName.test(name) && typeof value === 'string' && !identities[Type]?.includes(name))
      .map(([name]) => `${Type} ${name}`),
  );
  // Several APIs may have the same name.
  expect([...new Set(unknown)]).toEqual(['AWS::ApiGateway::RestApi Name']);
});

test('no two resources of the stage have the same identity', () => {
  const taken = Object.values(template.Resources).flatMap(({ Type, Properties = {} }) => {
    const values = identities[Type]?.map((name) => Properties[name]) ?? [];
    return values.length > 0 && !values.includes(undefined) ? [`${Type} ${JSON.stringify(values)}`] : [];
  });
  expect(taken.length).toBeGreaterThan(200);
  expect(taken.filter((each, index) => taken.indexOf(each) !== index)).toEqual([]);
});
