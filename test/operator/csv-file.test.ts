import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCsvLines } from '../../operator/cli/csv-file.ts';

const fileOf = (content: string | Buffer): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'csv-')), 'file.csv');
  writeFileSync(file, content);
  return file;
};

const read = async (content: string | Buffer, columns: readonly string[] = ['userId', 'gatewayId']) =>
  (await readCsvLines(fileOf(content), columns)).map(({ line, cells }) => [line, ...cells]);

describe('the order of columns', () => {
  test.each([
    [
      'without a header, as requested',
      'o1,g1\no2,g2',
      [
        [1, 'o1', 'g1'],
        [2, 'o2', 'g2'],
      ],
    ],
    ['by a header', 'userId,gatewayId\no1,g1', [[2, 'o1', 'g1']]],
    [
      'by a header in another order',
      'gatewayId,userId\ng1,o1\n,o2',
      [
        [2, 'o1', 'g1'],
        [3, 'o2'],
      ],
    ],
    ['by a header in another spelling', 'USER_ID;Gateway-Id\no1;g1', [[2, 'o1', 'g1']]],
    ['by a header with dots, as in abbreviations', 'Gateway.Id.;User-ID.\ng1;o1', [[2, 'o1', 'g1']]],
    ['by a header with spaces', ' user id \t gateway ID \no1\tg1', [[2, 'o1', 'g1']]],
    ['by a quoted header', '"userid","gatewayid"\no1,g1', [[2, 'o1', 'g1']]],
    ['by a header behind empty lines', '\n,,\nuserId,gatewayId\no1,g1', [[4, 'o1', 'g1']]],
    ['by a header with empty cells behind it', 'userId,gatewayId,,\no1,g1,,', [[2, 'o1', 'g1']]],
    ['by a header that leaves out a column', 'userId\no1', [[2, 'o1']]],
    [
      'by the last header before them, if files were concatenated',
      'userId,gatewayId\no1,g1\ngatewayId,userId\ng2,o2',
      [
        [2, 'o1', 'g1'],
        [4, 'o2', 'g2'],
      ],
    ],
    ['and what else stands in a line is behind them', 'gatewayId,userId\ng1,o1,x', [[2, 'o1', 'g1', 'x']]],
  ])('%s', async (_, content, lines) => {
    expect(await read(content)).toEqual(lines);
  });
});

describe('reads a file as spreadsheets write it', () => {
  test.each([
    ['a byte order mark, and Windows line ends', '\uFEFFuserId,gatewayId\r\no1,g1\r\n', [[2, 'o1', 'g1']]],
    ['a line that names the separator', 'sep=|\no1|g,1', [[2, 'o1', 'g,1']]],
    ['that line with a byte order mark and a header', '\uFEFFsep=;\r\nuserId;gatewayId\r\no1;g1', [[3, 'o1', 'g1']]],
    ['quotes around a separator', '"o,1";"g;1"', [[1, 'o,1', 'g;1']]],
    ['quotes within quotes', '"o""1","g1"', [[1, 'o"1', 'g1']]],
    ['spaces around quotes', ' "o1" , "g,1" ', [[1, 'o1', 'g,1']]],
    ['a quote within a cell', 'o"1,g1', [[1, 'o"1', 'g1']]],
    ['an empty cell between tabs', '\to1\t\tg1', [[1, '', 'o1', '', 'g1']]],
    [
      'a line break within quotes',
      '"o\n1",g1\no2',
      [
        [2, 'o\n1', 'g1'],
        [3, 'o2'],
      ],
    ],
    [
      'line ends of several systems',
      'o1\r\no2\no3\ro4',
      [
        [1, 'o1'],
        [2, 'o2'],
        [3, 'o3'],
        [4, 'o4'],
      ],
    ],
    ['a line that names the separator behind empty lines, in quotes', '\n,,\n"sep=|" \no1|g1', [[4, 'o1', 'g1']]],
    ['an empty cell in quotes', '"",g1', [[1, '', 'g1']]],
    ['separators at the end', 'o1,g1,,;', [[1, 'o1', 'g1']]],
    [
      'empty lines',
      'o1\n\n ; \no2',
      [
        [1, 'o1'],
        [4, 'o2'],
      ],
    ],
  ])('%s', async (_, content, lines) => {
    expect(await read(content)).toEqual(lines);
  });
});

describe('refuses an unusable file without showing its content', () => {
  test.each([
    [
      'a header with other columns',
      'owner;device\nsecret;g1',
      'refused',
      /: line 1 names other columns than userId and gatewayId\.$/,
    ],
    ['a header with an abbreviation', 'Gateway-Nr.\nsecret', 'refused', /: line 1 names other columns than/],
    ['a header without the first column', '\nGateway ID\nsecret', 'refused', /: line 2 names other columns than/],
    [
      'a header with one more column',
      'userId,gatewayId,note\nsecret,g1,x',
      'refused',
      /: line 1 names other columns than/,
    ],
    ['a header that names a column twice', 'userId,user_id\nsecret,o2', 'refused', /: line 1 names other columns than/],
    [
      'a quote that does not end',
      'o1\n"secret\n,g1',
      'refused',
      /a quote in line 2 does not end, or text follows it\.$/,
    ],
    ['text behind a quote', 'o1\n\n"secret"x,g1', 'refused', /a quote in line 3 does not end, or text follows it\.$/],
    ['UTF-16, little end first', Buffer.from('\uFEFFsecret', 'utf16le'), 'refused', /is not UTF-8, but UTF-16/],
    ['UTF-16, big end first', Buffer.from('\uFEFFsecret', 'utf16le').swap16(), 'refused', /is not UTF-8/],
    ['UTF-16 without a mark', Buffer.from('secret', 'utf16le'), 'refused', /is not UTF-8/],
    ['nothing', '', 'not-found', /file\.csv has no lines with data\.$/],
    ['nothing but empty lines', '\n;;\n\uFEFF\n', 'not-found', /has no lines/],
    ['nothing but a separator', 'sep=;\n', 'not-found', /has no lines/],
    ['nothing but a header', 'userId,gatewayId\n', 'not-found', /has no lines/],
  ])('%s', async (_, content, exitCode, sentence) => {
    const error = await read(content).catch((thrown) => thrown);
    expect(error).toMatchObject({ exitCode, message: expect.stringMatching(sentence) });
    expect(error.message).not.toContain('secret');
  });

  test('treats ids that look like column names in a later line as ids', async () => {
    expect(await read('o1\ndevice', ['gatewayId'])).toEqual([
      [1, 'o1'],
      [2, 'device'],
    ]);
  });
});
