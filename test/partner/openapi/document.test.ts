import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { requirementsOf } from '../../../lambdas/api/chain.ts';
import { type Endpoint, pathParametersOf } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../../lambdas/api/limits.ts';
import { type ProblemCode, problemDocs, problems } from '../../../lambdas/api/problems.ts';
import { dhwCircuitDocs, heatingCircuitDocs } from '../../../lambdas/api/schemas/circuit.ts';
import { type FeedEventTypeName, feedEventTypes } from '../../../lambdas/api/schemas/feed.ts';
import { parseIfMatch } from '../../../lambdas/domain/appliance.ts';
import type { PropertyDescriptions } from '../../../partner/openapi/json-schema.ts';
import { openApi30Text } from '../../../partner/openapi/openapi-3.0.ts';
import { problemResponseComponents } from '../../../partner/openapi/problem-responses.ts';
import { documentedSchemas } from '../../../partner/openapi/schemas.ts';
import { apiDocument, documentedPaths, type JsonSchema, resolve, validatorOf } from '../../support/api-document.ts';

const feedEventTypeNames = Object.keys(feedEventTypes) as FeedEventTypeName[];

const rows = Object.entries<Endpoint>(endpoints);
const { schemas, responses, headers, examples } = apiDocument.components;
const text = JSON.stringify(apiDocument);

/** Returns every object in the document, at any depth. */
const objectsIn = (value: unknown): Record<string, unknown>[] =>
  typeof value === 'object' && value !== null
    ? [value as Record<string, unknown>, ...Object.values(value).flatMap(objectsIn)]
    : [];

/** Returns the problem codes of a response. */
const codesOf = ({ content }: { content: Record<string, { examples: object }> }) =>
  Object.values(content).flatMap(({ examples: ofResponse }) => Object.keys(ofResponse));

const schemaOf = (code: ProblemCode) =>
  Object.values<{ properties?: { code?: { const: string } } }>(schemas).find(
    ({ properties }) => properties?.code?.const === code,
  ) ?? { not: {} };

const staleDocument = 'docs/openapi.json does not have what the rows say. Run npm run generate, and do what it says.';

test('is a valid OpenAPI 3.1 document', async () => {
  const result = await new Validator().validate(structuredClone(apiDocument));
  expect(result).toMatchObject({ valid: true });
  expect(apiDocument.openapi).toMatch(/^3\.1\./);
});

test('is also a valid OpenAPI 3.0 document, with the same operations, schemas and examples', async () => {
  const older = JSON.parse(openApi30Text());
  expect(await new Validator().validate(structuredClone(older))).toMatchObject({ valid: true });
  expect(older.openapi).toMatch(/^3\.0\./);
  const namesIn = ({ paths, components }: typeof apiDocument) =>
    [paths, ...Object.values(paths), ...Object.values(components)].map((part) => Object.keys(part as object));
  expect(namesIn(older)).toEqual(namesIn(apiDocument));
  const ajv = new Ajv({ strict: false });
  formats.default(ajv);
  ajv.addSchema(older, 'older.json');
  for (const [name, { example }] of Object.entries<{ example?: object }>(older.components.schemas)) {
    const validate = ajv.compile({ $ref: `older.json#/components/schemas/${name}` });
    expect(example).toEqual(schemas[name].examples?.[0]);
    if (example) expect(validate(example), `${name}: ${JSON.stringify(validate.errors)}`).toBe(true);
  }
  const { properties } = older.components.schemas.Webhook;
  expect(properties.disabledBecause).toMatchObject({ nullable: true, enum: expect.arrayContaining([null]) });
});

test('has schemas that are valid JSON Schema 2020-12', () => {
  const ajv = new Ajv2020();
  for (const schema of [...objectsIn(apiDocument).map(({ schema }) => schema), ...Object.values(schemas)])
    if (schema !== undefined) expect(ajv.validateSchema(schema as JsonSchema), JSON.stringify(schema)).toBe(true);
});

test('has no dangling references and no unused components', () => {
  const references = objectsIn(apiDocument).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));
  for (const reference of references) expect(resolve(reference), reference).toBeDefined();
  const components = Object.entries<object>(apiDocument.components)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, named]) => Object.keys(named).map((name) => `#/components/${kind}/${name}`));
  const unused = components.filter((component) => !references.includes(component));
  expect(unused).toEqual(['#/components/responses/route-not-found']);
});

test('has exactly the operations of the rows', () => {
  const operations = documentedPaths.flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
  );
  expect(operations.sort()).toEqual(rows.map(([id, { method, path }]) => `${id} ${method} ${path}`).sort());
});

describe.each(rows)('%s', (_, endpoint) => {
  const operation = apiDocument.paths[endpoint.path][endpoint.method.toLowerCase()];

  test('has exactly its success and its problems, each under its status', () => {
    const { [endpoint.success.status]: success, ...refusals } = operation.responses;
    expect('content' in success).toBe(endpoint.success.body !== undefined);
    const codes = Object.entries<{ $ref: string }>(refusals).flatMap(([status, { $ref }]) =>
      codesOf(resolve($ref)).map((code) => `${status} ${code}`),
    );
    const expected = requirementsOf(endpoint).problems.map((code) => `${problems[code].status} ${code}`);
    expect(codes.sort()).toEqual(expected.sort());
  });

  test('has the parameters of its path, its query and its headers', () => {
    const parameters: { in: string; name: string; required: boolean }[] = operation.parameters ?? [];
    const named = (place: string) => parameters.filter((each) => each.in === place).map(({ name }) => name);
    expect(named('path')).toEqual(pathParametersOf(endpoint.path));
    expect(named('query')).toEqual(Object.keys(endpoint.query?.().shape ?? {}));
    const userId = parameters.find(({ name }) => name === 'x-user-id');
    expect(userId?.required).toBe(endpoint.onBehalfOfUser ?? (endpoint.userId && false));
    expect('requestBody' in operation).toBe(endpoint.body !== undefined);
  });

  test('states its rate policy, also in the description', () => {
    const { burst, refillIntervalMs } = ratePolicies[endpoint.ratePolicy];
    expect(operation['x-rate-limit'], staleDocument).toEqual({ policy: endpoint.ratePolicy, burst, refillIntervalMs });
    for (const fact of [`\`${endpoint.ratePolicy}\``, `${burst} request`, `every ${refillIntervalMs} ms`])
      expect(operation.description).toContain(fact);
  });
});

describe.each(Object.keys(problems) as ProblemCode[])('problem %s', (code) => {
  test('has a schema, and an example that is valid against it', () => {
    const validate = validatorOf(schemaOf(code));
    expect(validate(examples[code].value), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...examples[code].value, code: 'another' })).toBe(false);
  });

  test('is in an answer', () => {
    expect(Object.values<Parameters<typeof codesOf>[0]>(responses).flatMap(codesOf)).toContain(code);
  });

  test('without a row fails the document, and the error says where to add it', () => {
    const others = Object.keys(problems).filter((other) => other !== code) as ProblemCode[];
    expect(() => problemResponseComponents([others])).toThrow(
      `No operation answers ${code}. Name it in its stage in lambdas/api/chain.ts`,
    );
  });
});

test('has an example of every schema of a body, and all are valid', () => {
  const ofBodies = Object.entries<JsonSchema & { examples?: unknown[] }>(schemas).filter(
    ([name]) => !name.endsWith('Problem'),
  );
  for (const [name, schema] of ofBodies) {
    expect(schema.examples, name).toHaveLength(1);
    const validate = validatorOf(schema);
    for (const example of schema.examples ?? [])
      expect(validate(example), `${name}: ${JSON.stringify(validate.errors)}`).toBe(true);
  }
});

const sentencesOf = (descriptions: PropertyDescriptions): string[] =>
  Object.values(descriptions).flatMap((words) =>
    typeof words === 'string' ? [words] : [words.description, ...sentencesOf(words.properties)],
  );

/** A parameter or a header. */
type Described = { schema: JsonSchema & { examples?: unknown[]; enum?: unknown[] }; example?: unknown };

type Titled = { readonly summary: string; readonly description: string };

test('gives each operation a summary of verb and noun, and a longer description', () => {
  const operations = Object.values<Record<string, Titled>>(apiDocument.paths).flatMap((item) => Object.values(item));
  const titles = operations.map(({ summary }) => summary);
  expect(new Set(titles).size).toBe(rows.length);
  for (const { summary, description } of operations) {
    expect(summary).toMatch(/^(?:Create|Delete|End|Get|List|Replace|Rotate|Set|Test|Update|Verify) (?:[\w-]+ ?){1,6}$/);
    expect(description).toMatch(/^[A-Z][a-z]+s .*\.$/m);
    expect(description).not.toContain(`${summary}.`);
  }
});

describe('a request from a tool that imports the document', () => {
  const operations = documentedPaths.flatMap(([, byMethod]) => Object.values(byMethod)) as unknown as {
    readonly operationId: string;
    readonly parameters?: readonly ({ name: string; in: string; required: boolean } & Described)[];
    readonly requestBody?: { content: { 'application/json': { schema: { $ref: string }; example: unknown } } };
  }[];
  const parametersNamed = (wanted: string) =>
    operations.flatMap(({ parameters = [] }) => parameters.filter(({ name }) => name === wanted));

  test('has the example of each body, which is valid', () => {
    const bodies = operations.flatMap(({ requestBody }) => requestBody?.content['application/json'] ?? []);
    expect(bodies.length).toBeGreaterThan(4);
    for (const { schema, example } of bodies) {
      expect(example).toEqual(resolve(schema.$ref).examples[0]);
      expect(validatorOf(schema)(example)).toBe(true);
    }
  });

  const described: [string, Described][] = [
    ...operations.flatMap(({ operationId, parameters = [] }) =>
      parameters.map((each): [string, Described] => [`${each.name} of ${operationId}`, each]),
    ),
    ...Object.entries<Described>(headers).map(([name, each]): [string, Described] => [`the header ${name}`, each]),
  ];

  test.each(described)(
    'has an example of %s, or one of its values, that its schema allows',
    (_, { schema, example }) => {
      const values = [example, ...(schema.examples ?? []), ...(schema.enum ?? [])].filter((each) => each !== undefined);
      expect(values).not.toEqual([]);
      for (const value of values) expect(validatorOf(schema)(value), String(value)).toBe(true);
    },
  );

  test('has an example of each optional header outside its schema, where tools look for it', () => {
    const optional = operations
      .flatMap(({ parameters = [] }) => parameters)
      .filter(({ in: place, required }) => place === 'header' && !required);
    expect(optional.length).toBeGreaterThan(3);
    expect(optional.filter(({ example }) => example === undefined)).toEqual([]);
  });

  test.each([
    [['*', '"7"', '"7", "8"', 'W/"7"', '"6", W/"7"'], true],
    [['string', '7', '"7', '', '"7" "8"', '"7"gzip', '"7-gzip"', '*, "7"'], false],
  ])('of %j as If-Match: %s, as the service takes it', (values, isAllowed) => {
    const [{ schema } = { schema: {} }] = parametersNamed('If-Match');
    for (const value of values) {
      expect(validatorOf(schema)(value), value).toBe(isAllowed);
      expect(parseIfMatch([value]) !== undefined, value).toBe(isAllowed);
    }
  });
});

describe('an event of the feed', () => {
  const validate = validatorOf(schemas.FeedEvent);
  const eventSchemas = Object.values<JsonSchema & { examples: [{ type: string; data: object }] }>(schemas).filter(
    ({ properties }) =>
      (properties as { type?: { const?: string } } | undefined)?.type?.const?.includes('.') &&
      'resource' in (properties as object),
  );
  const exampleOf = (type: FeedEventTypeName) =>
    eventSchemas.map(({ examples: [example] }) => example).find((example) => example.type === type);

  test('has a schema for each type, and each example is an event', () => {
    expect(eventSchemas.map(({ examples: [{ type }] }) => type)).toEqual(feedEventTypeNames);
    for (const {
      examples: [example],
    } of eventSchemas)
      expect(validate(example), JSON.stringify(example)).toBe(true);
  });

  test.each(feedEventTypeNames.filter((type) => !['gateway.added', 'gateway.removed'].includes(type)))(
    '%s does not allow data of another type',
    (type) => {
      expect(validate({ ...exampleOf(type), data: { pressureBar: 1.5 } })).toBe(false);
      expect(validate({ ...exampleOf(type), type: 'pressure.changed', data: { pressureBar: 1.5 } })).toBe(true);
    },
  );

  test('of a circuit has the body of GET for either family, or no data if the circuit is gone', () => {
    const example = exampleOf('circuit.changed');
    for (const data of [heatingCircuitDocs().example, dhwCircuitDocs().example, {}])
      expect(validate({ ...example, data }), JSON.stringify(data)).toBe(true);
    expect(validate({ ...exampleOf('contract.changed'), data: {} })).toBe(false);
  });
});

test('describes exactly the properties, headers and parameters that exist', () => {
  const described = objectsIn(schemas).flatMap(({ properties }) => Object.entries(properties ?? {}));
  for (const [name, property] of [...described, ...Object.entries(headers)])
    expect((property as { description?: string }).description, name).toMatch(/\.$/);
  const given = [
    ...[...documentedSchemas.values()].map(({ properties }) => properties as PropertyDescriptions),
    ...Object.values(problemDocs()).map((docs) => ('members' in docs ? (docs.members as PropertyDescriptions) : {})),
  ].flatMap(sentencesOf);
  expect(given.length).toBeGreaterThan(100);
  for (const sentence of given)
    expect(text.includes(JSON.stringify(sentence).slice(1, -1)), `${staleDocument} It lacks: ${sentence}`).toBe(true);
});

test('refers to the schema of the items in each page', () => {
  const pages = Object.keys(schemas).filter((name) => name.endsWith('Page'));
  expect(pages.length).toBeGreaterThan(0);
  for (const name of pages)
    expect(schemas[name].properties.items.items).toEqual({ $ref: `#/components/schemas/${name.slice(0, -4)}` });
});

test('allows additional properties in answers but not in request bodies', () => {
  const isClosed = (schema: unknown) =>
    objectsIn(schema).some(({ additionalProperties }) => additionalProperties === false);
  const closed = Object.keys(schemas).filter((name) => isClosed(schemas[name]));
  const sent = rows.flatMap(([, { path, method, body }]) =>
    body ? [apiDocument.paths[path][method.toLowerCase()].requestBody.content['application/json'].schema.$ref] : [],
  );
  expect(closed.map((name) => `#/components/schemas/${name}`).sort()).toEqual([...new Set(sent)].sort());
});
