import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { maxBodyBytes } from '../../api/limits.ts';
import { Problem } from '../../api/problem.ts';
import type { Middleware, MiddlewareFactory } from '../call.ts';
import { headerValues } from '../header-values.ts';
import { schemaErrors } from '../schema-errors.ts';

/** Reads a JSON body and checks it against the row's schema, which knows every property that it may have. */
export const body: MiddlewareFactory = ({ body: makeSchema = z.unknown }) => {
  const schema = makeSchema();
  const before: Middleware['before'] = ({ event, context }) => {
    if (!isJson(headerValues(event, 'content-type'))) throw new Problem('unsupported-media-type');
    const text = textOf(event);
    if (Buffer.byteLength(text) > maxBodyBytes)
      throw new Problem('body-too-large', { detail: `Send at most ${maxBodyBytes} bytes.` });
    const result = z.safeParse(schema, parseJson(text));
    if (result.error) throw new Problem('invalid-request', { errors: schemaErrors('/body', result.error) });
    context.call.body = result.data;
  };
  return { before };
};

const isJson = ([value, ...others]: string[]) =>
  others.length === 0 && /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(value ?? '');

const textOf = ({ body: text, isBase64Encoded }: APIGatewayProxyEvent): string =>
  isBase64Encoded ? Buffer.from(text ?? '', 'base64').toString() : (text ?? '');

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('invalid-request', { errors: [{ pointer: '/body', detail: 'Expected JSON.' }] });
  }
};
