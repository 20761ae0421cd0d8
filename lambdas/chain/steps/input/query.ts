import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { Problem } from '../../../api/problem.ts';
import type { Step } from '../step.ts';
import { schemaErrors } from './schema-errors.ts';

/** Checks the query against the row's schema. Parameters that the schema does not know are left alone. */
export const query: Step<'query'> = ({ query: makeSchema = z.unknown }) => {
  const schema = makeSchema();
  return ({ event }) => {
    const { values, repeated } = readQuery(event);
    const result = z.safeParse(schema, values);
    const errors = [
      ...repeated.map((name) => ({ pointer: `/query/${name}`, detail: 'Expected the parameter once.' })),
      ...(result.error ? schemaErrors('/query', result.error) : []),
    ];
    return errors.length > 0 ? new Problem('invalid-request', { errors }) : { query: result.data };
  };
};

const readQuery = ({ multiValueQueryStringParameters }: APIGatewayProxyEvent) => {
  const entries = Object.entries(multiValueQueryStringParameters ?? {});
  return {
    values: Object.fromEntries(entries.map(([name, all]) => [name, all?.[0]])),
    repeated: entries.filter(([, all = []]) => all.length > 1).map(([name]) => name),
  };
};
