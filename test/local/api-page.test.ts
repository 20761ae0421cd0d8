import { createServer, type Server } from 'node:http';
import { closeServer, listenOnLoopback } from 'serve-stack/host';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiPage, isForApiPage } from '../../local/api-page.ts';

let server: Server;
let baseUrl: string;
beforeAll(async () => {
  server = createServer(createApiPage(() => ({ serverUrl: '/v1', apiKey: 'the demo key' })));
  baseUrl = `http://${await listenOnLoopback(server)}`;
});
afterAll(() => closeServer(server));

test.each([
  ['/docs', true],
  ['/docs/', true],
  ['/docs?x', true],
  ['/docs/reference.html', true],
  ['/v1/docs', false],
  ['/docs-of-others', false],
  ['/', false],
])('a request for %s is for the page: %s', (url, expected) => {
  expect(isForApiPage(url)).toBe(expected);
});

test('the page itself has a path that its relative links are right under', async () => {
  const answer = await fetch(`${baseUrl}/docs`, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([308, '/docs/']);
});

test('every file is sent as what it is, and kept by nobody', async () => {
  for (const [name, mediaType] of [
    ['', 'text/html; charset=utf-8'],
    ['openapi.json', 'application/json'],
    ['site.css', 'text/css; charset=utf-8'],
    ['reference.js', 'text/javascript; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
  ]) {
    const { status, headers } = await fetch(`${baseUrl}/docs/${name}?any=query`);
    expect([name, status, headers.get('content-type')]).toEqual([name, 200, mediaType]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
  }
});

test('the key of the demo world is in the reference, and nowhere else', async () => {
  expect(await (await fetch(`${baseUrl}/docs/reference.html`)).text()).toContain('the demo key');
  expect(await (await fetch(`${baseUrl}/docs/`)).text()).not.toContain('the demo key');
});

test.each(['nothing', '../package.json', '%2e%2e/package.json', 'assets/site.css'])('there is no %s', async (name) => {
  const answer = await fetch(`${baseUrl}/docs/${name}`);
  expect(answer.status).toBe(404);
});
