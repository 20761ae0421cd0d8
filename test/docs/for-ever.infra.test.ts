import { readFileSync } from 'node:fs';
import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import { expect, test } from 'vitest';
import { fullConfig, sandboxConfig, templateOf } from '../infra/synthesized.ts';

const specification = loadAwsServiceSpecSync();

/** The properties that the services refuse to change, or that lose data if changed, although no schema says so. */
const unsaid: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::GlobalTable': ['AttributeDefinitions', 'GlobalSecondaryIndexes', 'StreamSpecification'],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage', 'MultiRegion'],
  'AWS::Logs::LogGroup': ['LogGroupClass'],
};

const createOnlyOf = (type: string): string[] => {
  const [resource] = specification.lookup('resource', 'cloudFormationType', 'equals', type);
  return Object.entries(resource?.properties ?? {})
    .filter(([, { causesReplacement = 'no' }]) => causesReplacement !== 'no')
    .map(([name]) => name);
};

test('the page on fixed properties gives a reason for each such property of the template, and no other', async () => {
  const templates = await Promise.all([fullConfig, sandboxConfig].map(templateOf));
  const fixed = templates
    .flatMap(({ Resources }) => Object.values(Resources))
    .flatMap(({ Type, Properties = {} }) =>
      [...createOnlyOf(Type), ...(unsaid[Type] ?? [])]
        .filter((name) => name in Properties)
        .map((name) => `${Type} ${name}`),
    );
  const rows = [...readFileSync('docs/for-ever.md', 'utf8').matchAll(/^\| `(AWS::\S+)` \| (.+?) \| (.+) \|$/gm)];
  const documented = rows.flatMap(([, type, names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => `${type} ${name}`),
  );
  const known = new Set(fixed);
  const untold = [...known].filter((name) => !documented.includes(name)).toSorted();
  expect(
    untold,
    'A deployed stage cannot change these properties. Add each to the table of docs/for-ever.md with its reason.',
  ).toEqual([]);
  const gone = documented.filter((name) => !known.has(name)).toSorted();
  expect(gone, 'The template lacks these properties, or can change them. Remove them from docs/for-ever.md.').toEqual(
    [],
  );
  expect(new Set(documented).size, 'docs/for-ever.md has a property twice. Remove one.').toBe(documented.length);
  expect(rows.length).toBeGreaterThan(20);
});
