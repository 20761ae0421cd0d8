import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { isChange } from '../api/chain.ts';
import type { Endpoint, PathParameter } from '../api/endpoints/endpoint.ts';
import { maxBodyBytes } from '../api/limits.ts';
import { invalidRequest, Problem } from '../api/problems.ts';
import { faultsOf, pointerTo, type Schema } from '../api/schemas/common.ts';
import { setLibraryWords } from '../api/schemas/library-words.ts';
import { expectedIfMatch, type IfMatch, parseIfMatch } from '../domain/appliance.ts';
import { parseJson, repeatedPropertyIn } from '../domain/encoding.ts';
import { expectedIdempotencyKey, parseIdempotencyKey } from '../domain/idempotency-key.ts';
import { headerValues, type Opened, type Outcome, type WellFormed } from './request.ts';

setLibraryWords();

/** What a handler can read of the request: the inputs that the row of its endpoint names, with the types of their schemas. */
export type Input<Row extends Endpoint> = {
  readonly pathIds: Readonly<Record<PathParameter<Row['path']>, string>>;
} & Pick<InputOf<Row>, keyof Row & keyof InputOf<Row>>;

type InputOf<Row extends Endpoint> = {
  readonly query: Output<Row['query']>;
  /** Undefined if the request has no such header. */
  readonly idempotencyKey: string | undefined;
  /** The change itself checks whether it matches. */
  readonly ifMatch: IfMatch;
  readonly body: Output<Row['body']>;
};

/** The output of a row's schema; undefined if the row has no schema. */
export type Output<OfRow> = OfRow extends Schema ? z.output<ReturnType<OfRow>> : undefined;

type AnyInput = {
  readonly pathIds: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly idempotencyKey: string | undefined;
  readonly ifMatch: IfMatch | undefined;
  readonly body: unknown;
};

type Call = Pick<Opened & WellFormed, 'event' | 'pathIds'>;

/** Reads the inputs that the row describes, and refuses those that do not match. */
export function input<Row extends Endpoint>(row: Row): (call: Call) => Outcome<'input', Input<Row>>;
export function input(row: Endpoint): (call: Call) => Outcome<'input', AnyInput> {
  const readQuery = row.query && queryReader(row.query());
  const readBody = row.body && bodyReader(row.body(), row.isBodyOptional);
  return async ({ event, pathIds }: Call) => {
    const query = readQuery?.(event);
    if (query instanceof Problem) return query;
    const unchecked = isChange(row) && refuseUnchecked(event, row);
    if (unchecked instanceof Problem) return unchecked;
    const idempotencyKey = row.idempotencyKey && readIdempotencyKey(event);
    if (idempotencyKey instanceof Problem) return idempotencyKey;
    const ifMatch = row.ifMatch && readIfMatch(event);
    if (ifMatch instanceof Problem) return ifMatch;
    const body = readBody?.(event);
    if (body instanceof Problem) return body;
    return { pathIds, query, idempotencyKey, ifMatch, body };
  };
}

/** Refuses an unknown parameter: if it were ignored, a misspelt cursor would return the first page each time. */
const queryReader = (schema: z.ZodMiniObject) => {
  const names = Object.keys(schema.shape);
  return ({ multiValueQueryStringParameters }: APIGatewayProxyEvent) => {
    const sent = new Map(Object.entries(multiValueQueryStringParameters ?? {}));
    const firsts = names.map((name) => [name, sent.get(name)?.[0]]);
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
  // Other lists use `cursor`; the feed uses `after`, which also accepts `latest`.
  const hint = name === 'cursor' && names.includes('after') ? ' Send the cursor as after.' : '';
  return `Unknown parameter "${name}". Expected ${names.join(' or ')}.${hint}`;
};

/** Refuses a malformed key: if it were ignored, a retry would be a second creation. */
const readIdempotencyKey = (event: APIGatewayProxyEvent) => {
  const [value, ...others] = headerValues(event, 'idempotency-key');
  if (value === undefined) return undefined;
  const key = others.length === 0 ? parseIdempotencyKey(value) : undefined;
  return key ?? invalidRequest([{ pointer: pointerTo('header', 'Idempotency-Key'), detail: expectedIdempotencyKey }]);
};

/** Refuses a value that is not a tag of this service: it matches no version, however often the resource is read again. */
const readIfMatch = (event: APIGatewayProxyEvent) =>
  parseIfMatch(headerValues(event, 'if-match')) ??
  invalidRequest([{ pointer: pointerTo('header', 'If-Match'), detail: expectedIfMatch }]);

/**
 * Refuses a condition that the service would not check: whoever sends it relies on it. HTTP itself ignores the other conditions,
 * If-Modified-Since and If-Range, on a change.
 */
const refuseUnchecked = (event: APIGatewayProxyEvent, { ifMatch }: Endpoint) => {
  const unchecked = ['If-None-Match', 'If-Unmodified-Since', ...(ifMatch ? [] : ['If-Match'])];
  const name = unchecked.find((each) => headerValues(event, each.toLowerCase()).length > 0);
  const detail = `The service would not check it. Expected no condition${ifMatch ? ' but If-Match' : ''}.`;
  return name && invalidRequest([{ pointer: pointerTo('header', name), detail }]);
};

/** Reads a JSON body; its schema lists every property that it may have. An absent optional body needs no media type. */
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
