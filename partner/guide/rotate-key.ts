// Replaces the API key in the file API_KEY_FILE if it expires within 30 days, or at once: node rotate-key.ts --now
// Run it every few hours. If it breaks off, run it again.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const { BASE_URL, API_KEY_FILE: file = 'api-key' } = process.env;
type Body = Record<'keyId' | 'apiKey' | 'expiresAt' | 'title' | 'detail', string>;

const call = async (apiKey: string, method: string, path: string, headers = {}) => {
  const init = { method, headers: { 'x-api-key': apiKey, ...headers }, redirect: 'error' } as const;
  const answer = await fetch(BASE_URL + path, init);
  const body = (answer.status === 204 ? {} : await answer.json()) as Body;
  if (answer.ok) return body;
  console.error(`${method} ${path}: ${body.title}. ${body.detail}`);
  process.exit(1);
};

const oldKey = readFileSync(file, 'utf8').trim();
const old = await call(oldKey, 'GET', '/api-keys/me');
if (Date.parse(old.expiresAt) - Date.now() > 30 * 86_400_000 && process.argv[2] !== '--now') process.exit();
// A repeat within 24 hours gives the same new key, so a lost answer leaves no key that nobody can name.
const created = await call(oldKey, 'POST', '/api-keys', { 'Idempotency-Key': `rotation-of-${old.keyId}` });
writeFileSync(`${file}.new`, created.apiKey, { mode: 0o600, flush: true });
renameSync(`${file}.new`, file);
await call(created.apiKey, 'GET', '/api-keys/me');
// If the program does not get here, the old key works until it expires or somebody deletes it.
await call(created.apiKey, 'DELETE', `/api-keys/${old.keyId}`);
console.log(`The key ${old.keyId} was replaced by ${created.keyId}, which expires at ${created.expiresAt}.`);
