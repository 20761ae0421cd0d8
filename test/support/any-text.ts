import fc from 'fast-check';

/** Any code points, halves of surrogate pairs among them. The unit `binary` of fast-check takes seconds to prepare. */
export const anyText = (maxLength = 10): fc.Arbitrary<string> =>
  fc.array(fc.nat({ max: 0x10ffff }), { maxLength }).map((codePoints) => String.fromCodePoint(...codePoints));
