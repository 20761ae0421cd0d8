// Replaces the API key in the file API_KEY_FILE if it expires within 30 days, or at once: node rotate-key.ts --now
// Run it every few hours. If it is interrupted, run it again.
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const { BASE_URL, API_KEY_FILE: file = 'api-key' } = process.env;

const call = async (method: string, path: string, more = {}) => {
  const key = readFileSync(file, 'utf8').trim();
  // An error of fetch would quote the key.
  if (!/^[!-~]+$/.test(key)) throw new Error(`${file} is ${key.includes('\0') ? 'UTF-16' : 'not one API key'}.`);
  const answer = await fetch(BASE_URL + path, { method, headers: { 'x-api-key': key, ...more }, redirect: 'error' });
  const body = (answer.status === 204 ? {} : await answer.json()) as Record<string, string>;
  if (answer.ok) return body;
  // Replaces characters with which an answer could control the terminal.
  console.error(`${method} ${path}: ${body.title}. ${body.detail}`.replace(/[^ -~]/g, '?'));
  process.exit(1);
};

const { keyId, expiresAt = '' } = await call('GET', '/api-keys/me');
if (Date.parse(expiresAt) - Date.now() > 30 * 86_400_000 && process.argv[2] !== '--now') process.exit();
// A repeat with the same 128 random bits, the first in the file, returns the same key: a lost answer leaves no unused key.
appendFileSync(`${file}.next`, crypto.getRandomValues(Buffer.alloc(16)).toString('hex'), { mode: 0o600, flush: true });
const made = await call('POST', '/api-keys', { 'Idempotency-Key': readFileSync(`${file}.next`, 'utf8').slice(0, 32) });
writeFileSync(`${file}.new`, made.apiKey ?? '', { mode: 0o600, flush: true });
renameSync(`${file}.new`, file);
rmSync(`${file}.next`);
// The new key deletes the old one. If the program does not get here, the old key works until somebody deletes it.
await call('DELETE', `/api-keys/${keyId}`);
console.log(`Key ${keyId} was replaced by ${made.keyId}, which expires at ${made.expiresAt}.`.replace(/[^ -~]/g, '?'));
