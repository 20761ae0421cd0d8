import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import exampleConfig from '../../../config/example.json' with { type: 'json' };
import { check } from '../../../config/load.ts';
import { stageConfig } from '../../../config/schema.ts';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import {
  inboundEventDocs,
  inboundEventSchema,
  inboundEventTypes,
} from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { setLibraryWords } from '../../../lambdas/api/schemas/library-words.ts';
import { documentationOf } from '../../../partner/openapi/schemas.ts';
import { corrupted } from '../../support/corrupted.ts';
import { seed } from '../../support/random.ts';

setLibraryWords();

type Kind = z.core.$ZodIssue['code'];
type Case = readonly [schema: z.ZodMiniType, value: unknown, words: string];

/** Each kind of faults that the library finds. The compiler asks for a row if an update brings another. */
const kinds: Readonly<Record<Kind, readonly Case[]>> = {
  invalid_type: [
    [z.string(), 1, 'Expected string.'],
    [z.object({ name: z.string() }), {}, 'Missing. Expected string.'],
    [z.int(), 1.5, 'Expected int.'],
  ],
  invalid_value: [
    [z.enum(['on', 'off']), 'of', 'Expected one of on, off.'],
    [z.literal('on'), 'off', 'Expected on.'],
  ],
  invalid_format: [
    [z.string().check(z.regex(/^a$/)), 'b', 'Expected a text that matches /^a$/.'],
    [z.url(), 'b', 'Expected url.'],
  ],
  unrecognized_keys: [
    [z.strictObject({}), { acess: 1 }, 'Unknown property "acess": leave it out. Expected none.'],
    [
      z.partial(z.strictObject({ c: z.string(), d: z.string() })),
      { a: 1, b: 2 },
      'Unknown properties "a", "b": leave them out. Expected only c, d.',
    ],
  ],
  too_big: [
    [z.number().check(z.maximum(30)), 31, 'Expected at most 30.'],
    [z.string().check(z.maxLength(1)), 'ab', 'Expected at most 1 character.'],
    [z.array(z.number()).check(z.maxLength(2)), [1, 2, 3], 'Expected at most 2 items.'],
  ],
  too_small: [
    [z.number().check(z.minimum(5)), 4, 'Expected at least 5.'],
    [z.string().check(z.minLength(2)), 'a', 'Expected at least 2 characters.'],
    [z.array(z.number()).check(z.minLength(1)), [], 'Expected at least 1 item.'],
  ],
  invalid_union: [[z.union([z.string(), z.number()]), true, 'Expected another value.']],
  not_multiple_of: [[z.number().check(z.multipleOf(5)), 3, 'Expected another value.']],
  invalid_key: [[z.record(z.string().check(z.regex(/^a$/)), z.number()), { b: 1 }, 'Expected another value.']],
  invalid_element: [[z.map(z.object({}), z.number()), new Map([[{}, 'x']]), 'Expected another value.']],
  custom: [[z.string().check(z.refine(() => false)), 'a', 'Expected another value.']],
};

const rows = Object.entries(kinds).flatMap(([kind, cases]) => cases.map((each) => [kind, ...each] as const));

test.each(rows)('a fault of the kind %s is said in our words', (kind, schema, value, words) => {
  const [issue] = z.safeParse(schema, value).error?.issues ?? [];
  expect(issue).toMatchObject({ code: kind, message: words });
});

/** A value for each parameter; what is wrong comes from the corruption. */
const exampleOf = (shape: object) => Object.fromEntries(Object.keys(shape).map((name) => [name, '2026-11-20']));

const bodies = Object.values<Endpoint>(endpoints).flatMap(({ body }) =>
  body ? [[body.name, body(), documentationOf(body).example] as const] : [],
);
const queries = Object.entries<Endpoint>(endpoints).flatMap(([operationId, { query }]) =>
  query ? [[`the query of ${operationId}`, query(), exampleOf(query().shape)] as const] : [],
);
const envelope = { specversion: '1.0', id: 'e1', source: 'portal', time: '2026-11-20T16:30:00Z' };
const events = inboundEventTypes.map(
  (type) => [type, inboundEventSchema(type), { ...envelope, type, ...inboundEventDocs()[type].example }] as const,
);

const messagesOf = (schema: z.ZodMiniType, value: unknown) =>
  z.safeParse(schema, value).error?.issues.map(({ message }) => message) ?? [];

const requests: [string, z.ZodMiniType, unknown][] = [...bodies, ...queries, ...events].map(
  ([name, schema, example]) => [name, schema as z.ZodMiniType, example],
);

test.each(requests)('%s is refused in our words, whatever is wrong with it', (_, schema, example) => {
  const ours = /^(Missing\. )?(Expected|Unknown propert(y|ies)) .*\.$/s;
  let messages = 0;
  fc.assert(
    fc.property(corrupted(example), (value) => {
      for (const message of messagesOf(schema, value)) {
        expect(message).toMatch(ours);
        messages++;
      }
    }),
    { seed, numRuns: 500 },
  );
  expect(messages).toBeGreaterThan(0);
});

test('so is the configuration of a stage', () => {
  const ofLibrary = /Invalid|Too (big|small)|Unrecognized|received/;
  fc.assert(
    fc.property(corrupted(exampleConfig), (config) => {
      for (const fault of check(stageConfig, config).faults) expect(fault).not.toMatch(ofLibrary);
    }),
    { seed, numRuns: 500 },
  );
});
