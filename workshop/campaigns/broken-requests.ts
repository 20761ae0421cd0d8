import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { below } from '../../test/support/random.ts';

/** A server of the run: where it listens, and requests that it answers. */
export type Target = {
  readonly name: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly requests: readonly GoodRequest[];
};

export type GoodRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: string;
};

type Random = () => number;

/** The parts that a client sends, and how it ends the connection. */
type BrokenRequest = { readonly parts: readonly Buffer[]; readonly ending: Ending; readonly isTls: boolean };

/** `read` waits for the first answer or the end; `half-close` sends no more; `reset` and `leave` do not wait. */
type Ending = 'read' | 'half-close' | 'leave' | 'reset';

const endings: readonly Ending[] = ['read', 'half-close', 'leave', 'reset'];

const pick = <T>(random: Random, values: readonly T[]): T => values[below(random, values.length)] as T;

/** Breaks or interrupts one of the target's valid requests. */
export const breakRequest = (random: Random, { requests, isTls }: Target): BrokenRequest => {
  const request = pick(random, requests);
  const whole = pick(random, [...breakages, ...breakages, inMiddle, pipelined, noise])(random, request);
  const parts = cutUp(random, whole);
  // One in ten uses the wrong protocol: TLS with a plain server, or plain text with a TLS server.
  return { parts, ending: pick(random, endings), isTls: below(random, 10) === 0 ? !isTls : isTls };
};

/** Returns the request as sent on the wire; `framing` are the headers that declare the length of its body. */
const textOf = ({ method, path, headers, body }: GoodRequest, framing: readonly string[] = lengthOf(body)): string =>
  `${[`${method} ${path} HTTP/1.1`, 'Host: localhost', ...headers, ...framing].join('\r\n')}\r\n\r\n${body}`;

const lengthOf = (body: string) => (body ? [`Content-Length: ${Buffer.byteLength(body)}`] : []);

const framings: readonly (readonly string[])[] = [
  [],
  ['Transfer-Encoding: xchunked'],
  ['Transfer-Encoding: chunked'],
  ['Transfer-Encoding: chunked', 'Content-Length: 5'],
  ['Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: identity'],
  ['Content-Length: -1'],
  ['Content-Length: abc'],
  ['Content-Length: 3'],
  ['Content-Length: 99999999999'],
  ['Content-Length: 18446744073709551617'],
  ['Content-Length: 5', 'Content-Length: 6'],
  ['Expect: 100-continue', 'Content-Length: 20'],
  ['Expect: a-miracle'],
  ['Connection: upgrade', 'Upgrade: websocket'],
  ['Connection: upgrade, http2-settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
];

const chunkedBodies = [
  '5\r\nhello\r\n0\r\n\r\n',
  '5\r\nhel',
  'zz\r\n{}\r\n0\r\n\r\n',
  '-1\r\n\r\n',
  'ffffffffffffffff\r\n{}',
  '0\r\nx-trailer: \u0000\r\n\r\n',
  '2;a="\r\n{}\r\n0\r\n',
];

const strangeHeaders = [
  `X-Long: ${'x'.repeat(20_000)}`,
  Array.from({ length: 2500 }, (_, index) => `x-${index}: 1`).join('\r\n'),
  'X-Nul: a\u0000b',
  'Bad Name: 1',
  ': no name',
  'no colon',
  'X-Folded: a\r\n b',
  'X-Bare: a\rb',
  'Host: second',
  'x-amz-target: \u00ff.\u00ff',
  'x-amzn-requestid: \u00fc',
  'x-http-method-override: CONNECT',
  `authorization: AWS4-HMAC-SHA256 Credential=${'A'.repeat(1000)}/`,
  'x-api-key: \t',
  'cookie: __proto__=1',
];

const strangeLines = [
  'GET /v1/contract',
  'GET  HTTP/1.1',
  'PROPFIND /v1/contract HTTP/1.1',
  'CONNECT example.com:443 HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'GET http://example.com/v1/contract HTTP/1.1',
  'GET //%zz/%00/..%2f..%2f HTTP/1.1',
  'GET /docs/%E0%A4%A HTTP/1.1',
  'GET /docs/../../etc/passwd HTTP/1.1',
  'GET /v1/hvacs/%/__proto__?a=%&a[]=1&%00 HTTP/1.1',
  'GET /v1/contract HTTP/1.0',
  'GET /v1/contract HTTP/9.9',
  'PRI * HTTP/2.0',
  `GET /${'a'.repeat(20_000)} HTTP/1.1`,
  'gibberish',
];

const strangeBodies = [
  'null',
  '[]',
  '0',
  '"text"',
  '{',
  '\u0000',
  '{"__proto__":null,"constructor":1}',
  '['.repeat(20_000),
  '{"Entries":[null]}',
  '{"Entries":{"length":3}}',
  '{"Entries":[{"EventBusName":1,"Source":{},"DetailType":[],"Detail":"null","Time":1e300}]}',
  '{"QueueUrl":{},"Entries":[{}],"MessageBody":1}',
  '{"TaskHandle":"bnVsbA==","SourceArn":7}',
  '{"logGroupName":{},"startTime":-1e308,"endTime":1e308,"queryString":{}}',
  '{"logGroupNames":"PartnerApi","startTime":"0","endTime":[],"queryString":"stats"}',
  '{"TableName":{"a":1},"Key":null,"RequestItems":[1]}',
  '{"Name":[],"Id":{},"Scope":"REGIONAL","Addresses":[{}],"LockToken":0}',
  '{"KeyId":[],"Message":{}}',
];

type Breakage = (random: Random, request: GoodRequest) => string | Buffer;

/** Replaces the request line and keeps the rest. */
const withLine = (text: string, line: string) => text.replace(/^[^\r]*/, () => line);

const breakages: readonly Breakage[] = [
  (random, request) => textOf(request, pick(random, framings)),
  (random, request) => textOf({ ...request, method: 'PUT', body: request.body || '{"a":1}' }, pick(random, framings)),
  (random, request) =>
    textOf({ ...request, method: 'POST', body: pick(random, chunkedBodies) }, ['Transfer-Encoding: chunked']),
  (random, request) => textOf({ ...request, headers: [...request.headers, pick(random, strangeHeaders)] }),
  (random, request) => withLine(textOf(request), pick(random, strangeLines)),
  (random, request) => textOf({ ...request, body: pick(random, strangeBodies) }),
];

/** The request up to some byte. */
const inMiddle: Breakage = (random, request) => {
  const text = textOf(request);
  return text.slice(0, below(random, text.length + 1));
};

/** Several requests on one connection, the last of which is broken. */
const pipelined: Breakage = (random, request) =>
  textOf(request).repeat(1 + below(random, 3)) + pick(random, breakages)(random, request).toString();

/** Random bytes: half of the cases begin like a TLS handshake, half are inserted into a request. */
const noise: Breakage = (random, request) => {
  const bytes = Buffer.from(Array.from({ length: below(random, 300) }, () => below(random, 256)));
  if (below(random, 2) === 0) return Buffer.concat([Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]), bytes]);
  const text = Buffer.from(textOf(request));
  const at = below(random, text.length);
  return Buffer.concat([text.subarray(0, at), bytes, text.subarray(at)]);
};

const cutUp = (random: Random, whole: string | Buffer): Buffer[] => {
  const bytes = Buffer.from(whole as string, 'latin1');
  const cuts = Array.from({ length: below(random, 3) }, () => below(random, bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length));
};

/** Sends the request and closes the connection as `ending` says; ignores connection errors. */
export const sendBroken = async (port: number, { parts, ending, isTls }: BrokenRequest): Promise<void> => {
  const connection = connect({ host: '127.0.0.1', port }).on('error', () => undefined);
  const closed = new Promise((resolve) => connection.once('close', resolve));
  const socket = isTls
    ? connectTls({ socket: connection, rejectUnauthorized: false, servername: 'localhost' })
    : connection;
  socket.on('error', () => undefined).on('data', () => undefined);
  const opened = once(socket, isTls ? 'secureConnect' : 'connect').catch(() => undefined);
  const answered = once(socket, 'data').catch(() => undefined);
  await Promise.race([opened, closed, patience()]);
  for (const part of parts) {
    if (socket.writable) socket.write(part);
    await new Promise(setImmediate);
  }
  if (ending === 'half-close') socket.end();
  if (ending === 'half-close' || ending === 'read') await Promise.race([answered, closed, patience()]);
  if (ending === 'reset' && !connection.destroyed) connection.resetAndDestroy();
  socket.destroy();
  connection.destroy();
};

/** The longest wait for a response that may never come. */
const patience = () => wait(300, undefined, { ref: false });
