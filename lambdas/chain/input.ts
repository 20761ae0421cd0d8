import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import type { Endpoint, PathParameter } from '../api/endpoints/endpoint.ts';
import { maxBodyBytes } from '../api/limits.ts';
import { invalidRequest, Problem } from '../api/problems.ts';
import { faultsOf, pointerTo, type Schema } from '../api/schemas/common.ts';
import { setLibraryWords } from '../api/schemas/library-words.ts';
import { expectedIdempotencyKey, parseIdempotencyKey } from '../domain/api-key.ts';
import { expectedIfMatch, type IfMatch, parseIfMatch } from '../domain/appliance.ts';
import { parseJson, repeatedPropertyIn } from '../domain/encoding.ts';
import { headerValues, type Opened, type Outcome, type WellFormed } from './request.ts';

setLibraryWords();

/** What a handler may read of the request: what the row of its endpoint names, of the types that its schemas let through. */
export type Input<Row extends Endpoint> = {
  readonly pathIds: Readonly<Record<PathParameter<Row['path']>, string>>;
} & Pick<InputOf<Row>, keyof Row & keyof InputOf<Row>>;

type InputOf<Row extends Endpoint> = {
  readonly query: Output<Row['query']>;
  /** Undefined if the request does not bring one. */
  readonly idempotencyKey: string | undefined;
  /** Whether it matches is decided with the change itself. */
  readonly ifMatch: IfMatch;
  readonly body: Output<Row['body']>;
};

/** What a schema of a row lets through; undefined if the row has none. */
export type Output<OfRow> = OfRow extends Schema ? z.output<ReturnType<OfRow>> : undefined;

type AnyInput = {
  readonly pathIds: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly idempotencyKey: string | undefined;
  readonly ifMatch: IfMatch | undefined;
  readonly body: unknown;
};

type Call = Pick<Opened & WellFormed, 'event' | 'pathIds'>;

/** Reads what the row describes of the request, and refuses what does not fit. */
export function input<Row extends Endpoint>(row: Row): (call: Call) => Outcome<'input', Input<Row>>;
export function input(row: Endpoint): (call: Call) => Outcome<'input', AnyInput> {
  const readQuery = row.query && queryReader(row.query());
  const readBody = row.body && bodyReader(row.body(), row.isBodyOptional);
  return async ({ event, pathIds }: Call) => {
    const query = readQuery?.(event);
    if (query instanceof Problem) return query;
    const idempotencyKey = row.idempotencyKey && readIdempotencyKey(event);
    if (idempotencyKey instanceof Problem) return idempotencyKey;
    const ifMatch = row.ifMatch && readIfMatch(event);
    if (ifMatch instanceof Problem) return ifMatch;
    const body = readBody?.(event);
    if (body instanceof Problem) return body;
    return { pathIds, query, idempotencyKey, ifMatch, body };
  };
}

/** A parameter that the schema does not know is refused: ignored, a misspelt cursor would begin at the first page each time. */
const queryReader = (schema: z.ZodMiniObject) => {
  const names = Object.keys(schema.shape);
  return ({ multiValueQueryStringParameters }: APIGatewayProxyEvent) => {
    const sent = new Map(Object.entries(multiValueQueryStringParameters ?? {}));
    const firsts = names.flatMap((name) => (sent.has(name) ? [[name, sent.get(name)?.[0]]] : []));
    const result = z.safeParse(schema, Object.fromEntries(firsts));
    const faultAt = (name: string, detail: string) => ({ pointer: pointerTo('query', name), detail });
    const faults = [
      ...[...sent.keys()].filter((name) => !names.includes(name)).map((name) => faultAt(name, unknown(name, names))),
      ...names
        .filter((name) => (sent.get(name) ?? []).length > 1)
        .map((name) => faultAt(name, 'Expected the parameter once.')),
      ...(result.error ? faultsOf(result.error, 'query') : []),
    ];
    return faults.length > 0 ? invalidRequest(faults) : result.data;
  };
};

const unknown = (name: string, names: readonly string[]): string => {
  // The other lists have `cursor`, and the feed has `after`, which is taken also as `latest`.
  const hint = name === 'cursor' && names.includes('after') ? ' Send the cursor as after.' : '';
  return `Unknown parameter "${name}". Expected ${names.join(' or ')}.${hint}`;
};

/** A wrong key is refused: ignored, it would make a repeat a second creation. */
const readIdempotencyKey = (event: APIGatewayProxyEvent) => {
  const [value, ...others] = headerValues(event, 'idempotency-key');
  if (value === undefined) return undefined;
  const key = others.length === 0 ? parseIdempotencyKey(value) : undefined;
  return key ?? invalidRequest([{ pointer: pointerTo('header', 'Idempotency-Key'), detail: expectedIdempotencyKey }]);
};

/** What is no tag of this service matches no version, however often the resource is read again: so it is refused as wrong. */
const readIfMatch = (event: APIGatewayProxyEvent) =>
  parseIfMatch(headerValues(event, 'if-match')) ??
  invalidRequest([{ pointer: pointerTo('header', 'If-Match'), detail: expectedIfMatch }]);

/** The schema of a JSON body knows every property that it may have. What is not sent has no media type. */
const bodyReader = (schema: z.ZodMiniType, isOptional?: true) => (event: APIGatewayProxyEvent) => {
  const text = textOf(event);
  if (isOptional && text === '') return z.parse(schema, {});
  if (!isJson(headerValues(event, 'content-type'))) return new Problem('unsupported-media-type');
  if (Buffer.byteLength(text) > maxBodyBytes)
    return new Problem('body-too-large', { detail: `Send at most ${maxBodyBytes} bytes.` });
  const json = parseJson(text);
  if (json === undefined) return invalidRequest([{ pointer: pointerTo('body'), detail: 'Expected JSON.' }]);
  const repeated = repeatedPropertyIn(text);
  if (repeated)
    return invalidRequest([{ pointer: pointerTo('body', ...repeated), detail: 'Expected the property once.' }]);
  const result = z.safeParse(schema, json);
  return result.error ? invalidRequest(faultsOf(result.error, 'body')) : result.data;
};

const isJson = ([value, ...others]: string[]) =>
  others.length === 0 && /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(value ?? '');

const textOf = ({ body, isBase64Encoded }: APIGatewayProxyEvent): string =>
  isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '');
