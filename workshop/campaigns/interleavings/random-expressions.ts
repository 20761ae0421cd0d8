import fc from 'fast-check';
import type { Value } from '../../../test/support/memory-store/tables.ts';

/** An expression as a command accepts it. */
export type Expression = {
  readonly text: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, Value>>;
};

/** Returns the names and values parameters of expressions; DynamoDB rejects empty ones. */
export const givenOf = (...expressions: (Expression | undefined)[]) => {
  const names = Object.assign({}, ...expressions.map((each) => each?.names));
  const values = Object.assign({}, ...expressions.map((each) => each?.values));
  return {
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
};

/** Renames the values, so that a command can use the expression together with another. */
export const renamed = ({ text, names, values }: Expression): Expression => ({
  text: text.replaceAll(':v', ':w'),
  names,
  values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name.replace(':v', ':w'), value])),
});

const simpleValue: fc.Arbitrary<Value> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.constantFrom(-1, 0, 0.5, 1, 2, 10, 1e12),
  fc.constantFrom('', 'a', 'ab', 'abc', 'b', 'B', 'é', '1', '\u{ffff}', '\u{1f600}'),
  fc.uint8Array({ maxLength: 2, max: 2 }),
);

const anyValue: fc.Arbitrary<Value> = fc.oneof(
  { weight: 4, arbitrary: simpleValue },
  { weight: 1, arbitrary: fc.array(simpleValue, { maxLength: 2 }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom('x', 'y'), simpleValue, { maxKeys: 2, noNullPrototype: true }),
  },
);

/** Optional attributes of any type; `m` is mostly a map. */
export const attributes: fc.Arbitrary<Readonly<Record<string, Value>>> = fc.record(
  {
    a: anyValue,
    b: anyValue,
    m: fc.oneof(
      {
        weight: 3,
        arbitrary: fc.dictionary(fc.constantFrom('x', 'y'), anyValue, { maxKeys: 2, noNullPrototype: true }),
      },
      { weight: 1, arbitrary: anyValue },
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
);

const paths = ['a', 'b', 'm', 'm.x', 'm.y', 'z', 'a[0]', 'm.x[1]'] as const;
const anyPath = fc.constantFrom(...paths);

/** A part of an expression, which adds its names and values to the pool of the expression. */
type Part = (pool: ReturnType<typeof openPool>) => string;

const openPool = () => {
  const names: Record<string, string> = {};
  const values: Record<string, Value> = {};
  return {
    names,
    values,
    value: (value: Value): string => {
      const name = `:v${Object.keys(values).length}`;
      values[name] = value;
      return name;
    },
    path: (path: string, isAliased: boolean): string =>
      path
        .split('.')
        .map((part) => {
          if (!isAliased) return part;
          const [name = '', index] = part.split('[');
          names[`#${name}`] = name;
          return index === undefined ? `#${name}` : `#${name}[${index}`;
        })
        .join('.'),
  };
};

const toExpression = (part: Part): Expression => {
  const pool = openPool();
  return { text: part(pool), names: pool.names, values: pool.values };
};

/** Mostly an ordered value, since DynamoDB rejects comparisons of other types. */
const comparable: fc.Arbitrary<Value> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom<Value>(0, 1, 2, 'a', 'ab', 'b', Uint8Array.of(1)) },
  { weight: 1, arbitrary: anyValue },
);

const comparison: fc.Arbitrary<Part> = fc
  .record({
    paths: fc.shuffledSubarray([...paths], { minLength: 2, maxLength: 2 }),
    sign: fc.oneof(
      fc.tuple(fc.constantFrom('=', '<>'), fc.option(anyValue, { nil: undefined, freq: 5 })),
      fc.tuple(fc.constantFrom('<', '<=', '>', '>='), fc.option(comparable, { nil: undefined, freq: 5 })),
    ),
    isTurned: fc.boolean(),
    isAliased: fc.boolean(),
  })
  .map(({ paths: [one = 'a', other = 'b'], sign: [sign, value], isTurned, isAliased }) => (pool) => {
    const left = pool.path(one, isAliased);
    const right = value === undefined ? pool.path(other, isAliased) : pool.value(value);
    return isTurned ? `${right} ${sign} ${left}` : `${left} ${sign} ${right}`;
  });

const presence: fc.Arbitrary<Part> = fc
  .tuple(fc.constantFrom('attribute_exists', 'attribute_not_exists'), anyPath, fc.boolean())
  .map(
    ([name, path, isAliased]) =>
      (pool) =>
        `${name}(${pool.path(path, isAliased)})`,
  );

const prefix: fc.Arbitrary<Part> = fc.tuple(anyPath, simpleValue).map(
  ([path, value]) =>
    (pool) =>
      `begins_with(${pool.path(path, false)}, ${pool.value(value)})`,
);

const joined = (part: fc.Arbitrary<Part>, sign: 'AND' | 'OR'): fc.Arbitrary<Part> =>
  fc
    .array(part, { minLength: 1, maxLength: 3 })
    .map((parts) => (pool) => parts.map((each) => each(pool)).join(` ${sign} `));

const group: fc.Arbitrary<Part> = fc.tuple(comparison, presence, fc.constantFrom('AND', 'OR')).map(
  ([one, other, sign]): Part =>
    (pool) =>
      `(${one(pool)} ${sign} ${other(pool)})`,
);

const inner: fc.Arbitrary<Part> = fc.oneof(
  { weight: 4, arbitrary: fc.oneof(comparison, presence, prefix) },
  { weight: 1, arbitrary: group },
);

export const condition: fc.Arbitrary<Expression> = joined(joined(inner, 'AND'), 'OR').map(toExpression);

/** Mostly a value, since DynamoDB rejects a missing attribute. */
const operand: fc.Arbitrary<Part> = fc.oneof(
  {
    weight: 6,
    arbitrary: anyValue.map(
      (value): Part =>
        (pool) =>
          pool.value(value),
    ),
  },
  {
    weight: 1,
    arbitrary: anyPath.map(
      (path): Part =>
        (pool) =>
          pool.path(path, false),
    ),
  },
);

const sum: fc.Arbitrary<Part> = fc.tuple(fc.constantFrom('a', 'b', 'm.x'), fc.constantFrom(1, 0.5, -2)).map(
  ([path, value]) =>
    (pool) =>
      `${pool.path(path, false)} + ${pool.value(value)}`,
);

const standing: fc.Arbitrary<Part> = fc.tuple(anyPath, operand).map(
  ([path, other]) =>
    (pool) =>
      `if_not_exists(${pool.path(path, false)}, ${other(pool)})`,
);

export const update: fc.Arbitrary<Expression> = fc
  .record({
    targets: fc.shuffledSubarray(['a', 'b', 'z', 'm', 'm.x'], { minLength: 1, maxLength: 2 }),
    removed: fc.constantFrom(0, 0, 1),
    values: fc.array(
      fc.oneof({ weight: 8, arbitrary: operand }, { weight: 1, arbitrary: sum }, { weight: 1, arbitrary: standing }),
      { minLength: 2, maxLength: 2 },
    ),
    isAliased: fc.boolean(),
  })
  .map(({ targets, removed, values, isAliased }) => {
    const remove = targets.slice(0, removed);
    const set = targets.slice(removed);
    return toExpression((pool) => {
      const assignments = set.map((path, index) => `${pool.path(path, isAliased)} = ${values[index]?.(pool)}`);
      return [
        ...(set.length > 0 ? [`SET ${assignments.join(', ')}`] : []),
        ...(remove.length > 0 ? [`REMOVE ${remove.map((path) => pool.path(path, isAliased)).join(', ')}`] : []),
      ].join(' ');
    });
  });

/** Sort keys that sort differently in UTF-8, in UTF-16 and by locale. */
export const sortKeys = [
  'KEY#a',
  'KEY#b',
  'KEY#bé',
  'KEY#B',
  'SLOT#1',
  'SLOT#2',
  'SLOT#10',
  'SLOT#\u{ffff}',
  'SLOT#\u{1f600}',
];

/** An optional condition on the sort key. */
export const sortKeyRange = fc.oneof(
  fc.constant(undefined),
  fc
    .tuple(fc.constantFrom('=', '<', '<=', '>', '>=', 'begins_with'), fc.constantFrom(...sortKeys, 'KEY#', 'S', 'T'))
    .map(([sign, value]) =>
      sign === 'begins_with'
        ? { text: 'begins_with(sk, :sk)', value, isComparison: false }
        : { text: `sk ${sign} :sk`, value, isComparison: true },
    ),
);
