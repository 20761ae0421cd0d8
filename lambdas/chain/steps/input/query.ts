import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { invalidRequest, pointerTo } from '../../../api/invalid-request.ts';
import type { Step } from '../step.ts';
import { schemaErrors } from './schema-errors.ts';

/** Checks the query against the row's schema. Parameters that the schema does not know are left alone, however often they come. */
export const query: Step<'query'> = ({ query: makeSchema = () => z.object({}) }) => {
  const schema = makeSchema();
  const names = Object.keys(schema.shape);
  return ({ event }) => {
    const { values, repeated } = readQuery(event, names);
    const result = z.safeParse(schema, values);
    const faults = [
      ...repeated.map((name) => ({ pointer: pointerTo('query', name), detail: 'Expected the parameter once.' })),
      ...(result.error ? schemaErrors('query', result.error) : []),
    ];
    return faults.length > 0 ? invalidRequest(faults) : { query: result.data };
  };
};

const readQuery = ({ multiValueQueryStringParameters: sent }: APIGatewayProxyEvent, names: readonly string[]) => ({
  values: Object.fromEntries(names.map((name) => [name, sent?.[name]?.[0]])),
  repeated: names.filter((name) => (sent?.[name] ?? []).length > 1),
});
