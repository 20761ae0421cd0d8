import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { invalidRequest, pointerTo } from '../../../api/invalid-request.ts';
import { maxBodyBytes } from '../../../api/limits.ts';
import { Problem } from '../../../api/problem.ts';
import { parseJson } from '../../../domain/parse-json.ts';
import { repeatedPropertyIn } from '../../../domain/repeated-property.ts';
import { headerValues } from '../header-values.ts';
import type { Step } from '../step.ts';
import { schemaErrors } from './schema-errors.ts';

/** Reads a JSON body and checks it against the row's schema, which knows every property that it may have. */
export const body: Step<'body'> = ({ body: makeSchema = z.unknown }) => {
  const schema = makeSchema();
  return ({ event }) => {
    if (!isJson(headerValues(event, 'content-type'))) return new Problem('unsupported-media-type');
    const text = textOf(event);
    if (Buffer.byteLength(text) > maxBodyBytes)
      return new Problem('body-too-large', { detail: `Send at most ${maxBodyBytes} bytes.` });
    const json = parseJson(text);
    if (json === undefined) return invalidRequest([{ pointer: pointerTo('body'), detail: 'Expected JSON.' }]);
    const repeated = repeatedPropertyIn(text);
    if (repeated)
      return invalidRequest([{ pointer: pointerTo('body', ...repeated), detail: 'Expected the property once.' }]);
    const result = z.safeParse(schema, json);
    return result.error ? invalidRequest(schemaErrors('body', result.error)) : { body: result.data };
  };
};

const isJson = ([value, ...others]: string[]) =>
  others.length === 0 && /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(value ?? '');

const textOf = ({ body: text, isBase64Encoded }: APIGatewayProxyEvent): string =>
  isBase64Encoded ? Buffer.from(text ?? '', 'base64').toString() : (text ?? '');
