/**
 * The few types of ASN.1 that a certificate needs, in their distinguished encoding (X.690): a tag, the length of the
 * content, the content.
 */
const encode = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag), lengthOf(content), content]);
};

/** Up to 127 in one byte; longer ones as the number of bytes that follow, and these. */
const lengthOf = ({ length }: Buffer): Buffer => {
  if (length < 0x80) return Buffer.of(length);
  const bytes = Buffer.from(evenDigits(length.toString(16)), 'hex');
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
};

const evenDigits = (hex: string) => (hex.length % 2 ? `0${hex}` : hex);

export const boolean = (value: boolean): Buffer => encode(0x01, Buffer.of(value ? 0xff : 0));

/** A whole number from 0, big-endian; the leading zero keeps it from being read as negative. */
export const integer = (bytes: Uint8Array): Buffer =>
  encode(0x02, Buffer.of(...((bytes[0] ?? 0) & 0x80 ? [0] : [])), bytes);

export const bitString = (bytes: Uint8Array, unusedBits = 0): Buffer => encode(0x03, Buffer.of(unusedBits), bytes);

export const octetString = (content: Uint8Array): Buffer => encode(0x04, content);

/** `'2.5.4.3'`: the first two numbers share a byte, each further one takes as many groups of seven bits as it needs. */
export const objectIdentifier = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  return encode(0x06, Buffer.of(40 * first + second, ...others.flatMap(base128)));
};

const base128 = (value: number): number[] => {
  const groups = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
};

export const utf8String = (text: string): Buffer => encode(0x0c, Buffer.from(text));

/** Two digits of the year: good until 2049. */
export const utcTime = (epochMs: number): Buffer =>
  encode(
    0x17,
    Buffer.from(
      `${new Date(epochMs)
        .toISOString()
        .replace(/\.\d+|[-:T]/g, '')
        .slice(2)}`,
    ),
  );

export const sequence = (...items: readonly Uint8Array[]): Buffer => encode(0x30, ...items);

export const set = (...items: readonly Uint8Array[]): Buffer => encode(0x31, ...items);

/** A field that its structure knows by number: another type inside, or plain bytes. */
export const tagged = (number: number, content: Uint8Array, { constructed }: { constructed: boolean }): Buffer =>
  encode((constructed ? 0xa0 : 0x80) | number, content);
