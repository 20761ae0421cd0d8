import type { JsonSchema } from './json-schema.ts';

type Reference = { readonly $ref: string };
type Media = { readonly schema: Reference };
type Success = { readonly headers: object; readonly content?: { readonly 'application/json': Media } };
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly required: boolean }[];
  readonly requestBody?: { readonly required: boolean; readonly content: { readonly 'application/json': Media } };
  readonly responses: Readonly<Record<string, Success>>;
  readonly 'x-rate-limit': { readonly burst: number; readonly refillIntervalMs: number };
};

export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
};

/**
 * Returns the promises that partners may depend on, one per line: the method and path of each operation, its required and
 * optional input, its answer and its rate limit; and the type or the values of each property, including those of problems,
 * with `?` if it may be absent. The change log has the other limits. Within a major version, lines may be added, never removed.
 */
export const compatibilityLinesOf = ({ paths, components }: Document): string[] => [
  ...Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).flatMap(([method, operation]) => [
      `${operation.operationId}: ${method.toUpperCase()} ${path}`,
      ...requestPromises(operation),
      ...successPromises(operation),
      allowanceOf(operation),
    ]),
  ),
  ...Object.entries(components.schemas).flatMap(([name, schema]) => memberPromises(name, schema)),
];

/** Returns the promises that would be broken; a major version allows none. A higher rate limit breaks no promise. */
export const brokenPromises = (promised: readonly string[], promises: readonly string[]): string[] =>
  promised.filter(
    (promise) => !promises.includes(promise) && !promises.some((other) => allowsNoLess(allowanceIn(other), promise)),
  );

const allowanceOf = ({ operationId, 'x-rate-limit': { burst, refillIntervalMs } }: Operation): string =>
  `${operationId} allows ${burst} at once and one more every ${refillIntervalMs} ms`;

type Allowance = { readonly operationId: string; readonly burst: number; readonly refillIntervalMs: number };

const allowanceIn = (promise: string): Allowance | undefined => {
  const [, operationId = '', burst, refillIntervalMs] =
    promise.match(/^(\w+) allows (\d+) at once and one more every (\d+) ms$/) ?? [];
  return operationId ? { operationId, burst: Number(burst), refillIntervalMs: Number(refillIntervalMs) } : undefined;
};

const allowsNoLess = (allowance: Allowance | undefined, promise: string): boolean => {
  const promised = allowanceIn(promise);
  return (
    allowance !== undefined &&
    promised?.operationId === allowance.operationId &&
    promised.burst <= allowance.burst &&
    promised.refillIntervalMs >= allowance.refillIntervalMs
  );
};

const requestPromises = ({ operationId, parameters = [], requestBody }: Operation): string[] => {
  const namesOf = (isRequired: boolean) =>
    parameters.filter((each) => each.required === isRequired).map(({ name }) => name);
  const body = requestBody ? [nameIn(requestBody.content['application/json'].schema)] : [];
  const needed = [...namesOf(true), ...(requestBody?.required ? body : [])];
  const taken = [...namesOf(false), ...(requestBody?.required ? [] : body)];
  return [
    `${operationId} needs ${needed.join(', ') || 'nothing'}`,
    ...taken.map((name) => `${operationId} takes ${name}`),
  ];
};

const successPromises = ({ operationId, responses }: Operation): string[] =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, { content, headers }]) => [
      `${operationId} answers ${status} ${content ? nameIn(content['application/json'].schema) : 'without a body'}`,
      ...Object.keys(headers).map((header) => `${operationId} answers with ${header}`),
    ]);

/** Returns the promises about the properties of a schema, at any depth. A request body must not require more later. */
const memberPromises = (
  place: string,
  { properties = {}, required = [], additionalProperties }: JsonSchema,
): string[] => {
  const names = required as string[];
  return [
    ...(additionalProperties === false ? [`${place} needs ${names.join(', ') || 'nothing'}`] : []),
    ...Object.entries(properties as Record<string, JsonSchema>).flatMap(([name, property]) =>
      valuePromises(`${place}.${name}${names.includes(name) ? '' : '?'}`, property),
    ),
  ];
};

const valuePromises = (place: string, schema: JsonSchema): string[] =>
  schema.items === undefined
    ? [`${place}: ${typeOf(schema)}`, ...memberPromises(place, schema)]
    : valuePromises(`${place}[]${[schema.type].flat().includes('null') ? ' or null' : ''}`, schema.items as JsonSchema);

const typeOf = ({ $ref, type, const: constant, enum: values, anyOf }: JsonSchema): string => {
  if ($ref !== undefined) return nameIn({ $ref: String($ref) });
  if (constant !== undefined) return JSON.stringify(constant);
  if (anyOf !== undefined) return (anyOf as JsonSchema[]).map(typeOf).join(' | ');
  return (values ? (values as unknown[]).map((value) => JSON.stringify(value)) : [type].flat()).join(' | ');
};

const nameIn = ({ $ref }: Reference): string => $ref.slice($ref.lastIndexOf('/') + 1);
