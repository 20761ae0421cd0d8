import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Company } from '../../config/company.ts';
import { loadStageConfig } from '../../config/load.ts';
import { generateKey } from '../../lambdas/domain/api-key.ts';
import { encodingFaultOf, readCsvLines } from '../../operator/cli/csv-file.ts';
import { readStandardInput, readTextFile } from '../../operator/cli/text-file.ts';
import { readKeyFile } from '../../operator/companies/key-file.ts';
import { readRegistration } from '../../operator/companies/registration.ts';

const directory = mkdtempSync(join(tmpdir(), 'texts-'));
const fileOf = (bytes: Buffer, name = 'file'): string => {
  const file = join(directory, name);
  writeFileSync(file, bytes, { mode: 0o600 });
  return file;
};

const company: Company = { companyId: 'acme', name: 'Müller', userId: 'owner-1', allowedCidrs: ['192.0.2.0/28'] };
const config = { ...loadStageConfig('example'), companies: [company] };
const { apiKey } = generateKey('acme', Date.now());
const inStore = { ...config, allowlist: 'waf', registrations: 'store', companies: [] };

/** What a person wrote, who reads it, and what it becomes. The last column says which lines survive bytes that are no UTF-8. */
const readers: Readonly<
  Record<string, [text: string, read: (bytes: Buffer) => unknown, value: unknown, rest?: unknown]>
> = {
  'a configuration': [
    JSON.stringify(config, null, 2),
    (bytes) => fileOf(bytes, 'prod.json') && loadStageConfig('prod', directory).companies,
    [company],
  ],
  'a registration': [
    JSON.stringify(company, null, 2),
    (bytes) =>
      readRegistration(
        { config: inStore, stage: 'prod', host: { directory } } as never,
        'acme',
        fileOf(bytes, 'r.json'),
      ),
    company,
  ],
  'an event to send': [
    '{\n"name": "Müller"}',
    async (bytes) => JSON.parse(await readTextFile(fileOf(bytes))),
    { name: 'Müller' },
  ],
  'a CSV file': [
    'gatewayId,note\ngw-1,ü\ngw-2,x\n',
    async (bytes) =>
      (await readCsvLines(fileOf(bytes), ['gatewayId', 'note'])).map(
        ({ line, cells }) => encodingFaultOf(cells) ?? line,
      ),
    [2, 3],
    ['is not UTF-8; save the file as "CSV UTF-8"', 3],
  ],
  'a key file': [`${apiKey}\n`, (bytes) => readKeyFile(fileOf(bytes, 'acme.key'), 'acme')?.apiKey, apiKey, apiKey],
  'standard input': [
    `ü\n${apiKey}\n`,
    async (bytes) => (await readStandardInput({ stdin: Readable.from([bytes]) } as never)).trim().split(/\s+/).at(-1),
    apiKey,
    apiKey,
  ],
};

const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');

test.each(Object.entries(readers))(
  '%s is read as Windows saves it, and no replaced character is kept',
  async (_, row) => {
    const [text, read, value, rest] = row;
    const resultOf = async (bytes: Buffer) => {
      try {
        return await read(bytes);
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(await resultOf(Buffer.from(text))).toEqual(value);
    expect(await resultOf(Buffer.from(`\uFEFF${text.replaceAll('\n', '\r\n')}`))).toEqual(value);
    for (const bytes of [utf16(text), utf16(text).swap16(), Buffer.from(text, 'utf16le')])
      expect(await resultOf(bytes)).toMatch(/ is not UTF-8, but UTF-16 or UTF-32\. Save it as UTF-8, and try again\.$/);
    expect(await resultOf(Buffer.from(text, 'latin1'))).toEqual(
      rest ??
        expect.stringMatching(/ is not UTF-8, but probably Latin-1 or Windows-1252: see line \d+\. Save it as UTF-8, /),
    );
    if (!rest)
      expect(await resultOf(Buffer.from(text.replace('ü', '\uFFFD')))).toMatch(
        / has the character U\+FFFD in line \d+,/,
      );
  },
);
