import { type Endpoint, pathParametersOf } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { id } from '../../lambdas/api/schemas/common.ts';
import { toJsonSchema } from './json-schema.ts';
import { documentationOf, itemOf } from './schemas.ts';

const rows: readonly Endpoint[] = Object.values(endpoints);

/** The ids in a path, with the words and the example of the body that has the id as a property. */
export const pathParametersIn = ({ path }: Endpoint) =>
  pathParametersOf(path).map((name) => {
    const { description, example } = propertyOnTheWayTo(path, name);
    return {
      name,
      in: 'path',
      required: true,
      description: `${description} Case matters.`,
      schema: toJsonSchema(id, 'answered'),
      example,
    };
  });

/** A property of the nearest body on the way to a path: that of the path itself, or of a path that it begins with. */
const propertyOnTheWayTo = (path: string, name: string): { description: string; example: unknown } => {
  const onTheWay = rows
    .filter((row) => path.startsWith(row.path))
    .toSorted((one, other) => other.path.length - one.path.length);
  for (const { body } of onTheWay.map(({ success }) => success)) {
    if (!body) continue;
    const { properties, example } = documentationOf(itemOf(body) ?? body) as {
      properties: Record<string, unknown>;
      example: object;
    };
    const description = properties[name];
    if (typeof description === 'string' && name in example)
      return { description, example: (example as Record<string, unknown>)[name] };
  }
  throw new Error(
    `The path ${path} names {${name}}, and no body on the way to it has a property "${name}" to describe it. Give the body its id in lambdas/api/schemas/.`,
  );
};
