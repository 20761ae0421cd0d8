import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { documentedSchemas } from '../../../partner/openapi/schemas.ts';
import { validatorOf } from '../../support/api-document.ts';
import { anyText, seed } from '../../support/random.ts';

const someValue = fc.oneof(
  fc.constantFrom<unknown>(...['auto', 'eco', 'comfort', 'off', 'monday', '06:30', '24:00', '1', '', 'x'.repeat(61)]),
  fc.constantFrom(
    'https://hooks.acme.example/',
    'http://hooks.acme.example/',
    'https://hooks.acme.example/ ',
    'https://',
  ),
  fc.constantFrom<unknown>(...[4.5, 5, 21, 21.25, 30, 30.5, 40, 52.5, 60, 61, null, [], {}]),
  anyText(64),
  fc.jsonValue(),
);

/** The value with one that lies somewhere in it replaced, or beside it added. */
const corrupted = (value: unknown): fc.Arbitrary<unknown> => {
  if (typeof value !== 'object' || value === null) return someValue;
  const inside = Object.entries(value).map(([name, part]) =>
    corrupted(part).map((other) =>
      Array.isArray(value) ? value.with(Number(name), other) : { ...value, [name]: other },
    ),
  );
  const removed = Object.keys(value).map((name) =>
    fc.constant(Object.fromEntries(Object.entries(value).filter(([each]) => each !== name))),
  );
  const added = fc.record({ name: fc.string(), part: someValue }).map(({ name, part }) => ({ ...value, [name]: part }));
  return fc.oneof(someValue, added, ...inside, ...removed);
};

const bodies = [...documentedSchemas].filter(([, { isSent }]) => isSent);

test('there are bodies to send', () => expect(bodies.length).toBeGreaterThan(3));

describe.each(bodies)('%s', (name, { schema, example }) => {
  const validate = validatorOf({ $ref: `#/components/schemas/${name}` });

  test('allows in the document what the service allows, and refuses what it refuses', () => {
    let allowed = 0;
    const made = schema();
    fc.assert(
      fc.property(corrupted(example), (body) => {
        const isAllowed = z.safeParse(made, body).success;
        if (isAllowed) allowed++;
        expect(validate(body)).toBe(isAllowed);
      }),
      { seed, numRuns: 2000 },
    );
    expect(allowed).toBeGreaterThan(0);
    expect(validate({})).toBe(false);
  });
});
