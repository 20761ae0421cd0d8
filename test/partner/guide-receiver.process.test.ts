import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from 'serve-stack/host';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { signatureHeaders } from '../../lambdas/domain/webhook-message.ts';
import { hasPython } from '../support/service.ts';
import { eventually } from '../support/time.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = JSON.stringify({ type: 'events.available', data: { webhookId: 'wh_1', name: 'Grüße' } });
const bytes = Buffer.from(body);

const signed = (withSecret = secret) => signatureHeaders({ id: 'msg_1', timestampMs: Date.now(), body }, [withSecret]);

const chunk = (part: Buffer, extension = '') =>
  Buffer.concat([Buffer.from(`${part.length.toString(16)}${extension}\r\n`), part, Buffer.from('\r\n')]);

/** The framings of a message: the header that determines where its body ends, and the encoded body. */
const framings: Readonly<Record<string, readonly [string, Buffer]>> = {
  'with its length': [`Content-Length: ${bytes.length}`, bytes],
  'in one chunk': ['Transfer-Encoding: chunked', Buffer.concat([chunk(bytes), Buffer.from('0\r\n\r\n')])],
  'in two chunks that part a character': [
    'transfer-encoding: Chunked',
    Buffer.concat([chunk(bytes.subarray(0, 70)), chunk(bytes.subarray(70)), Buffer.from('0\r\n\r\n')]),
  ],
  'in a chunk for each byte': [
    'Transfer-Encoding: chunked',
    Buffer.concat([...Array.from(bytes, (byte) => chunk(Buffer.of(byte))), Buffer.from('0\r\n\r\n')]),
  ],
  'in chunks with extensions, and fields after them': [
    'Transfer-Encoding: chunked',
    Buffer.concat([chunk(bytes, ';name=value'), Buffer.from('0;last\r\nX-Checksum: 1\r\nX-More: 2\r\n\r\n')]),
  ],
};

describe.each([
  { program: 'receiver.ts', command: process.execPath },
  ...(hasPython ? [{ program: 'receiver.py', command: 'python3' }] : []),
])('$program of the guide', ({ program, command }) => {
  const secretsFile = join(mkdtempSync(join(tmpdir(), 'receiver-')), 'secrets');
  let port: number;
  let child: ChildProcess;
  /** The errors of the program, without its log of requests. */
  let said = '';

  /** Sends a message and returns the status of the answer, or the text that came instead. */
  const statusOf = async (headers: Record<string, string>, [field, sent] = framings['with its length'] ?? []) => {
    const socket = connect(port, '127.0.0.1');
    const lines = ['POST /hook HTTP/1.1', 'Host: localhost', 'Connection: close', field];
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.write(`${[...lines, ...fields].join('\r\n')}\r\n\r\n`);
    socket.write(sent ?? '');
    const answer: Buffer[] = [];
    for await (const part of socket) answer.push(part as Buffer);
    const text = Buffer.concat(answer).toString('latin1');
    return Number(/^HTTP\/1\.[01] (\d+)/.exec(text)?.[1]);
  };

  beforeAll(async () => {
    port = await freePort();
    const env = { ...process.env, PORT: String(port), SECRETS_FILE: secretsFile };
    child = spawn(command, [resolve('partner/guide', program)], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr?.on('data', (text) => {
      said += `${text}`.replaceAll(/^127\.0\.0\.1 - .*\n/gm, '');
    });
    await eventually(() => statusOf({}));
  });
  afterAll(async () => {
    child.kill();
    await once(child, 'close');
  });
  beforeEach(() => writeFileSync(secretsFile, `${secret}\n`));

  test.each(Object.entries(framings))('accepts a message %s', async (_, framing) => {
    expect(await statusOf(signed(), framing)).toBe(204);
  });

  test.each(Object.entries(framings))('rejects another signature with 401 %s', async (_, framing) => {
    expect(await statusOf(signed(`whsec_${Buffer.alloc(32, 8).toString('base64')}`), framing)).toBe(401);
  });

  test('rejects every message with 401 without its secrets file, and accepts them once the file exists', async () => {
    rmSync(secretsFile);
    expect(await statusOf(signed())).toBe(401);
    writeFileSync(secretsFile, secret);
    expect(await statusOf(signed())).toBe(204);
  });

  const cut = `${secret.slice(0, -5)}\n`;
  const line = (number: number) =>
    new RegExp(`^Line ${number} of .* has no secret, such as whsec_ and 44 characters\\.\n$`);

  /** The contents of a secrets file, whether one has the secret, and what the program says once. */
  const contents: Readonly<Record<string, readonly [string | Buffer, boolean, RegExp?]>> = {
    'an empty file': ['', false],
    'a mark of Windows and CRLF': [`\ufeff${secret}\r\n`, true],
    'tabs and blanks': [`\t${secret} \n`, true],
    quotes: [`"${secret}"\n'${secret}'`, true],
    'a comment in Latin-1': [Buffer.concat([Buffer.from('# f\xfcr acme\n', 'latin1'), Buffer.from(secret)]), true],
    'a secret in a comment': [`# ${secret}\n`, false],
    'a list of JSON': [JSON.stringify([secret, secret], null, 1), true, /^Line 1 .*\nLine 4 .*\n$/],
    'a cut line beside a right one': [`\n${cut}${secret}`, true, line(2)],
    'a line that is no text': [Buffer.concat([Buffer.from([10, 10, 255, 10]), Buffer.from(secret)]), true, line(3)],
    'UTF-16': [Buffer.from(`\ufeff${secret}\r\n`, 'utf16le'), false, /^\S+ is saved as UTF-16\. Save it as UTF-8\.\n$/],
  };

  test.each(Object.entries(contents))('reads a secrets file with %s', async (_, [content, isThere, says]) => {
    writeFileSync(secretsFile, content);
    said = '';
    for (let message = 0; message < 2; message++) expect(await statusOf(signed())).toBe(isThere ? 204 : 401);
    await eventually(async () => expect(said).toMatch(says ?? /^$/));
  });
});
