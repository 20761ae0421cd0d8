// Receives webhook messages on port PORT, or 9911: node receiver.ts. The file SECRETS_FILE has one webhook secret per line.
// Without the file, it refuses every message with 401. HOST=0.0.0.0 lets a container on this machine reach it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

const isSigned = (headers: IncomingHttpHeaders, body: string): boolean => {
  const { 'webhook-id': id, 'webhook-timestamp': seconds } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(seconds)) < 300)) return false;
  const expected = readKeys().map((key) =>
    Buffer.from(`v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`),
  );
  const given = `${headers['webhook-signature']}`.split(' ').map((signature) => Buffer.from(signature));
  return given.some((one) => expected.some((right) => one.length === right.length && timingSafeEqual(one, right)));
};

/** The keys of the secrets in the file. Leaves out a line that has no secret, and says so once. # begins a comment. */
const readKeys = (): Buffer[] => {
  const file = process.env.SECRETS_FILE ?? 'webhook-secrets';
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const isUtf16 = text.includes('\0');
  if (isUtf16) sayOnce(`${file} is saved as UTF-16. Save it as UTF-8.`);
  return (isUtf16 ? '' : text).split(/\r?\n/).flatMap((line, index) => {
    const [, key] = /^[\s'"]*whsec_([A-Za-z0-9+/]{43}=)[\s'",]*$/.exec(line) ?? [];
    if (!key && line.trim() && !/^\s*#/.test(line))
      sayOnce(`Line ${index + 1} of ${file} has no secret, such as whsec_ and 44 characters.`);
    return key ? [Buffer.from(key, 'base64')] : [];
  });
};

const said = new Set<string>();
const sayOnce = (sentence: string) => {
  if (!said.has(sentence)) console.error(sentence);
  said.add(sentence);
};

const receive = async (request: IncomingMessage, response: ServerResponse) => {
  const body = await text(request);
  if (!isSigned(request.headers, body)) return response.writeHead(401).end();
  response.writeHead(204).end();
  const { type, data } = JSON.parse(body);
  if (type === 'webhook.verify') console.log(`Send this code back: ${data.code}`);
  if (type === 'events.available') console.log('Read the feed.');
};

readKeys();
createServer((request, response) => {
  receive(request, response).catch((error) => response.destroy(error));
}).listen(Number(process.env.PORT ?? 9911), process.env.HOST ?? '127.0.0.1');
