import { crc32 } from 'node:zlib';

/**
 * Returns a ZIP archive with the texts of files by path, uncompressed. The same files give the same archive: all have the
 * earliest date that ZIP supports.
 */
export const zipOf = (files: ReadonlyMap<string, string>): Buffer => {
  const contents: Buffer[] = [];
  const directory: Buffer[] = [];
  let position = 0;
  for (const [path, text] of files) {
    const [name, content] = [Buffer.from(path), Buffer.from(text)];
    const description = fields(
      [2, 20], // the version of the format
      [2, namesAreUtf8],
      [2, 0], // uncompressed
      [2, 0], // time
      [2, firstOf1980],
      [4, crc32(content)],
      [4, content.length],
      [4, content.length],
      [2, name.length],
      [2, 0], // extra fields
    );
    const entry = Buffer.concat([fields([4, 0x04034b50]), description, name, content]);
    // Comment length, disk number, and the attributes and position of the file.
    const rest = fields([2, 0], [2, 0], [2, 0], [4, 0], [4, position]);
    directory.push(fields([4, 0x02014b50], [2, 20]), description, rest, name);
    contents.push(entry);
    position += entry.length;
  }
  const entries = Buffer.concat(directory);
  const end = [fields([4, 0x06054b50], [2, 0], [2, 0]), fields([2, files.size], [2, files.size])];
  return Buffer.concat([...contents, entries, ...end, fields([4, entries.length], [4, position], [2, 0])]);
};

const namesAreUtf8 = 0x0800;
const firstOf1980 = (1 << 5) | 1;

/** Writes little-endian numbers of two or four bytes. */
const fields = (...numbers: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer =>
  Buffer.concat(
    numbers.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
