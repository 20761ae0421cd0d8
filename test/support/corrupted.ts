import fc from 'fast-check';
import { anyText } from './random.ts';

const someValue = fc.oneof(
  fc.constantFrom<unknown>(...['auto', 'eco', 'comfort', 'off', 'monday', '06:30', '24:00', '1', '', 'x'.repeat(61)]),
  fc.constantFrom('next-switch-point', '2026-11-20T22:00:00Z', '2026-11-20T22:00:00+01:00', '2026-02-30T22:00:00Z'),
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

/** Generates corrupted copies of a value: the value or a nested value is replaced, or a property is removed or added. */
export const corrupted = (value: unknown): fc.Arbitrary<unknown> => {
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
